/** What only the page of a report on traffic has: the exchanges that decided, and the calls of each client. */
import type { NumberedFinding } from '../../../tests/client/report/groups.ts';
import { callAnchor, renderCalls, shownCalls } from '../../../tests/client/report/html-scenarios.ts';
import { inSeconds, tokensInWords } from '../../../tests/client/report/wording.ts';
import { type Markup, markup } from '../../../tests/report/markup.ts';
import { anchorOf } from '../../../tests/report/model.ts';
import { table } from '../../../tests/report/table.ts';
import { several } from '../../../tests/report/text.ts';
import type { ReportedRequirement, TrafficReport } from './report.ts';
import { lifetimeInWords } from './wording.ts';

type Client = TrafficReport['client']['clients'][number];

/** Links to the calls that the page shows, by their entries in the file. */
export type LinkTo = (entry: number) => Markup;

export function linksIn(report: TrafficReport, findings: readonly NumberedFinding[]): LinkTo {
  const anchors = new Map<number, string>();
  for (const client of report.client.clients)
    for (const { id } of shownCalls(scenarioOf(client, report), findings))
      anchors.set(id, callAnchor(client.id, id));
  return (entry) => {
    const anchor = anchors.get(entry);
    const text = markup`${entry}<span class="unseen"> in the file</span>`;
    return anchor === undefined ? text : markup`<a href="#${anchor}">${text}</a>`;
  };
}

/** Anchor of a client in the page. */
export const clientAnchor = (id: string): string => `client-${anchorOf(id)}`;

/** The exchanges that a verdict rests on. */
export function renderDeciding(
  { id, evidence }: ReportedRequirement,
  { exchanges, recording: { untimed } }: TrafficReport,
  linkTo: LinkTo,
): Markup | false {
  const deciding = evidence.exchanges.flatMap(
    (one) => exchanges.find((exchange) => exchange.id === one) ?? [],
  );
  if (deciding.length === 0) return false;
  return markup`<details><summary>Exchanges: ${deciding.length}<span class="unseen"> for ${id}</span></summary>
${table(
  'requests',
  'By their place in the file',
  ['Entry', 'Purpose', 'Request line', 'Answer', 'Body', ...(untimed ? [] : ['Sent at'])],
  deciding.map(({ entry, what, method, path, status, mediaType, body, sentAtMs }) => [
    linkTo(entry),
    what,
    markup`<code>${method} ${path}</code>`,
    status === undefined ? 'none' : `${status}, ${mediaType ?? 'no media type'}`,
    body ?? '',
    ...(untimed ? [] : [inSeconds(sentAtMs)]),
  ]),
)}</details>`;
}

/** Each client with its calls. */
export const renderClients = (report: TrafficReport, all: readonly NumberedFinding[]): Markup =>
  markup`${report.client.clients.map((client) => {
    const { id, tokens, callCount, startMs, durationMs, outcome, strategy } = client;
    const scenario = scenarioOf(client, report);
    const lifetime = lifetimeOf(client, report);
    const { untimed = false } = report.recording;
    const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
    return markup`<section id="${clientAnchor(id)}" class="scenario" aria-label="${id}">
<h3>${id}</h3>
<p class="about">${outcome}; ${several(callCount, 'call')}${!untimed && ` in ${inSeconds(durationMs)}${begin}`}; ${tokensInWords(tokens)}${strategy !== 'none' && `; strategy: ${strategy}`}${lifetime && `; token lifetime: ${lifetimeInWords(lifetime)}`}.</p>
${scenario.calls.length > 0 && renderCalls(scenario, all, { untimed })}
</section>
`;
  })}`;

const lifetimeOf = ({ id }: Client, { tokenLifetime }: TrafficReport) =>
  tokenLifetime.clients.find((one) => one.id === id);

/** A client as the page of a certificate shows a scenario. */
function scenarioOf(client: Client, report: TrafficReport) {
  const { agreedSeconds, atMostSeconds } = lifetimeOf(client, report) ?? {};
  const agreed = agreedSeconds ?? atMostSeconds ?? 1;
  return {
    ...client,
    name: client.id,
    summary: '',
    agreedLifetimeSeconds: agreed,
    tokenLifetimeSeconds: agreed,
    state: 'seen' as const,
  };
}
