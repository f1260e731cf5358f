/** What only the page of a report on traffic has: the exchanges that decided, and the calls of each client. */
import type { NumberedFinding } from '../../../tests/client/report/groups.ts';
import { renderDrawing } from '../../../tests/client/report/html-drawing.ts';
import { renderCalls } from '../../../tests/client/report/html-scenarios.ts';
import { inSeconds, tokensInWords } from '../../../tests/client/report/wording.ts';
import { type Markup, markup } from '../../../tests/report/markup.ts';
import { anchorOf } from '../../../tests/report/model.ts';
import { table } from '../../../tests/report/table.ts';
import { several } from '../../../tests/report/text.ts';
import type { ReportedRequirement, TrafficReport } from './report.ts';

/** The exchanges that a verdict rests on. */
export function renderDeciding(
  { id, evidence }: ReportedRequirement,
  { exchanges }: TrafficReport,
): Markup | false {
  const deciding = evidence.exchanges.flatMap(
    (one) => exchanges.find((exchange) => exchange.id === one) ?? [],
  );
  if (deciding.length === 0) return false;
  return markup`<details><summary>Exchanges: ${deciding.length}<span class="unseen"> for ${id}</span></summary>
${table(
  'requests',
  'By their place in the file',
  ['Entry', 'Purpose', 'Request line', 'Answer', 'Body', 'Sent at'],
  deciding.map(({ id: entry, what, method, path, status, mediaType, body, sentAtMs }) => [
    entry.slice(1),
    what,
    markup`<code>${method} ${path}</code>`,
    status === undefined ? 'none' : `${status}, ${mediaType ?? 'no media type'}`,
    body ?? '',
    inSeconds(sentAtMs),
  ]),
)}</details>`;
}

/** Each client with its timeline. */
export const renderClients = (
  { client, tokenLifetime }: TrafficReport,
  all: readonly NumberedFinding[],
): Markup =>
  markup`${client.clients.map((one) => {
    const { id, tokens, callCount, durationMs, outcome, strategy } = one;
    const findings = all.filter(({ scenario }) => scenario === id);
    const agreed = tokenLifetime.agreedSeconds ?? tokenLifetime.atMostSeconds ?? 1;
    const scenario = {
      ...one,
      name: id,
      summary: '',
      agreedLifetimeSeconds: agreed,
      tokenLifetimeSeconds: agreed,
      state: 'seen' as const,
    };
    return markup`<section id="client-${anchorOf(id)}" class="scenario" aria-label="${id}">
<h3>${id}</h3>
<p class="about">${outcome}; ${several(callCount, 'call')} in ${inSeconds(durationMs)}; ${tokensInWords(tokens)}${strategy !== 'none' && `; strategy: ${strategy}`}.</p>
${scenario.calls.length > 0 && renderDrawing(scenario, findings)}
${scenario.calls.length > 0 && renderCalls(scenario, findings)}
</section>
`;
  })}`;
