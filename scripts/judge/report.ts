/** The report on recorded traffic: both judgements as one list of items, free of secrets. */
import { randomUUID } from 'node:crypto';
import { rules as clientRules } from '../../tests/client/judge.ts';
import {
  callsOf,
  inOrder,
  inSeconds,
  itemOf as ruleItem,
  scenarioAnchor,
  tokensInWords,
} from '../../tests/client/report.ts';
import {
  type Block,
  countItems,
  factsIn,
  type Item,
  itemWith,
  type Report,
  reportWith,
  type Section,
  type Exchange as Shown,
} from '../../tests/report/report.ts';
import { several, tallyOf } from '../../tests/report/text.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import { bodyInWords, type Exchange } from '../../tests/server/support/evidence.ts';
import { NO_REQUEST } from '../../tests/server/traffic.ts';
import { groupBy } from '../../tests/support/collections.ts';
import { takesOption } from '../../tests/support/options.ts';
import { ledger } from '../../tests/support/requirements.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import type { JudgedClient, JudgedRecording } from './judge-recording.ts';
import type { Recording } from './read-recording.ts';

/** A run that judged a recording. */
export interface JudgingRun {
  startedAt: string;
  durationMs: number;
  /** Whether it recorded what it judged. */
  isProxy?: boolean;
}

export interface TrafficReport {
  report: Report;
  /** By part, for tests. */
  server: Part;
  client: Part;
}

interface Part {
  outcome: PartOutcome;
  items: readonly Item[];
}

const ORDER = ['nonconformant', 'incomplete', 'conformant'] as const;
type PartOutcome = (typeof ORDER)[number];

/** The gravest; of nothing, `incomplete`. */
const worst = (outcomes: readonly PartOutcome[]): PartOutcome =>
  ORDER.find((one) => outcomes.includes(one)) ?? 'incomplete';

export function reportOf(recording: Recording, judged: JudgedRecording, run: JudgingRun): TrafficReport {
  const { secrets, clients } = judged;
  const server = { outcome: serverOutcome(judged), items: requirementItems(judged) };
  const client = {
    outcome: worst(clients.map(({ certificate }) => certificate.outcome)),
    items: ruleItems(clients),
  };
  const left = clients.reduce((sum, { callsLeft }) => sum + callsLeft, judged.callsLeft);
  const excess = recording.left.excess + left;
  const outcome = worst([server.outcome, client.outcome, ...(excess > 0 ? (['incomplete'] as const) : [])]);
  const items = [...server.items, ...client.items];
  const named = new Set(judged.server.flatMap(({ exchanges }) => exchanges));
  const baseUrl = secrets.redact(recording.baseUrl);
  const unanswered = recording.exchanges.filter(({ exchange }) => exchange.proxyAnswer !== undefined).length;
  const recorded = `${new Date(judged.startMs).toISOString()}, for ${inSeconds(judged.durationMs)}`;
  const report = reportWith({
    judge: run.isProxy ? 'proxy' : 'judge',
    runId: randomUUID(),
    subject: run.isProxy
      ? { name: 'Service', text: baseUrl, isCode: true }
      : { name: 'Recording', text: recording.file, isCode: true },
    outcome,
    headline: headlineOf(outcome, items),
    // What is missing in a part that is incomplete, and what was left out.
    remarks: [
      ...(unanswered > 0
        ? [`The proxy answered ${several(unanswered, 'request')}: the service gave no answer.`]
        : []),
      ...(server.outcome === 'incomplete' ? missingInWords('service', server.items) : []),
      ...(client.outcome === 'incomplete' ? missingOfClients(clients) : []),
      ...(excess > 0 ? [`Not judged: ${several(excess, 'exchange')} beyond the limit.`] : []),
    ],
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    facts: factsIn([
      ['Base URL', baseUrl, 'code'],
      ['Service', partInWords(server)],
      clients.length === 0
        ? ['Client', 'none was seen']
        : [several(clients.length, 'client').replace(/^1 c/, 'C'), partInWords(client)],
      ['Recorded', judged.exchanges.size === 0 ? 'nothing' : recorded],
      ['Entries', recordingInWords(recording, judged)],
      [
        'Token lifetime',
        [...new Set(clients.map(({ lifetime }) => lifetimeInWords(lifetime)))].join(' · ') || undefined,
      ],
    ]),
    properties: {
      recording: recording.file,
      'base-url': baseUrl,
      server: server.outcome,
      client: client.outcome,
      exchanges: String(recording.exchanges.length),
    },
    items,
    sections: [clientsSection(clients, items)],
    exchanges: [...judged.exchanges.values()]
      .filter(({ id }) => named.has(id))
      .map((one) => exchangeOf(one, secrets)),
  });
  return { report, server, client };
}

// Requirements of the service.

/** What the traffic of any client shows has to be seen; nothing violated by what is missing is conformant. */
function serverOutcome({ server, lifetimes }: JudgedRecording): PartOutcome {
  if (server.some(({ verdict }) => verdict === 'failed')) return 'nonconformant';
  const isShort = server.some(({ verdict, requirement: { id } }) => isMissing({ id, verdict }));
  return isShort || lifetimes.hasDoubts ? 'incomplete' : 'conformant';
}

const requirementItems = ({ server }: JudgedRecording): Item[] =>
  server.map(({ requirement, verdict, expected, reason, seen, kept, violated, exchanges }): Item => {
    const { id, clause, statement, severity, violation, advice } = requirement;
    const entries = exchanges.slice(0, Math.min(violated, 3)).map((one) => one.slice(1));
    const calls =
      violated > 0
        ? `${violated} of ${kept + violated} violate it, by entry: ${entries.join(', ')}`
        : `${several(kept, 'call')} kept it`;
    return itemWith({
      ...{ id, group: `server.${clause}`, statement, verdict, severity, violation, reason },
      advice: advice && byOption(advice),
      expected: expected && byOption(expected),
      seen: seen || undefined,
      facts: factsIn([['Calls', kept + violated > 0 ? calls : undefined]]),
      exchanges,
    });
  });

/** The ledger and the requirements name the variables of a run: `mrs judge` has options only. */
const byOption = (text: string): string =>
  text.replace(/\bMRS_[A-Z_]+/g, (name) => `--${name.slice(4).toLowerCase().replaceAll('_', '-')}`);

function exchangeOf(raw: Exchange, secrets: Secrets): Shown {
  const { id, what, request, response, sentAtMs, durationMs } = redactExchange(raw, secrets);
  const { method, path } = request;
  const answer = response && { ...response, body: bodyInWords(response) };
  return {
    ...{ id, what, request: { method, path }, sentAtMs, durationMs },
    response: answer && { status: answer.status, mediaType: answer.mediaType, body: answer.body },
    failure: response ? undefined : 'gave no answer that was recorded',
  };
}

// Clients.

const GRAVITY = ['failed', 'warned', 'passed', 'not-seen'] as const;

/** Each rule once, with the gravest verdict and the findings of all clients. */
function ruleItems(clients: readonly JudgedClient[]): Item[] {
  const [first] = clients;
  const merged = (first?.certificate.rules ?? []).map((rule, at) => {
    const own = clients.flatMap(({ certificate }) => certificate.rules[at] ?? []);
    const gravest = GRAVITY.flatMap((verdict) => own.find((one) => one.verdict === verdict) ?? [])[0] ?? rule;
    return { ...gravest, findings: own.flatMap(({ findings }) => findings) };
  });
  return inOrder(merged).map((rule) => {
    const item = ruleItem(rule);
    return { ...item, group: `client.${item.group}` };
  });
}

const clientsSection = (clients: readonly JudgedClient[], items: readonly Item[]): Section => ({
  id: 'clients',
  title: 'Clients',
  about:
    'The calls of each client, by the tokens that they carried. A call has the number of its entry in the file; times count from the first call of the client.',
  blocks: clients.map(({ id, certificate, startMs, lifetime }): Block => {
    const { tokens, outcome, strategy, scenario } = certificate;
    const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
    const text = [
      outcome,
      `${several(scenario.callCount, 'call')} in ${inSeconds(scenario.durationMs)}${begin}`,
      tokensInWords(tokens),
      ...(strategy === 'none' ? [] : [`strategy: ${strategy}`]),
      `token lifetime: ${lifetimeInWords(lifetime)}.`,
    ].join('; ');
    const calls = callsOf({ ...scenario, name: id }, items);
    return { card: { id: scenarioAnchor(id), title: id, blocks: [{ text }, ...calls] } };
  }),
});

// Words.

/** The result as a short sentence without its full stop. */
function headlineOf(outcome: PartOutcome, items: readonly Item[]): string {
  const failed = items.filter(({ verdict }) => verdict === 'failed');
  const ofServer = failed.filter(({ group }) => group.startsWith('server.')).length;
  const ofClient = failed.length - ofServer;
  const found = [
    ...(ofServer > 0 ? [`The service violates ${several(ofServer, 'requirement')}`] : []),
    ...(ofClient > 0 ? [`${ofServer > 0 ? 'the' : 'The'} client breaks ${several(ofClient, 'rule')}`] : []),
  ];
  if (found.length > 0) return found.join(', ');
  return `Nothing seen is wrong${outcome === 'incomplete' ? ', but the traffic shows too little' : ''}`;
}

/** The requirements and rules without which a part is incomplete. */
const NEEDED: ReadonlySet<string> = new Set([
  ...ledger.flatMap((one) => (one.passive === 'usual' ? one.id : [])),
  ...clientRules.flatMap((rule) => (rule.required === true ? rule.id : [])),
]);

/** Whether a part is incomplete because this is not seen. */
export const isMissing = ({ id, verdict }: { id: string; verdict: string }): boolean =>
  verdict === 'not-seen' && NEEDED.has(id);

/** Of clients, and of causes of each: more would hide what to do first. */
const MOST_MISSING = 2;

const missingOfClients = (clients: readonly JudgedClient[]): string[] =>
  clients
    .filter(({ certificate }) => certificate.rules.some(isMissing))
    .slice(0, MOST_MISSING)
    .flatMap(({ id, certificate }) =>
      missingInWords(clients.length > 1 ? `client ${id}` : 'client', certificate.rules),
    );

/** What shows requirements and rules, as the rest of a sentence that begins with "Record". */
const SHOWN_BY = new Map(
  Object.entries({
    'a token request, with the body of its answer': 'MRS-2a MRS-4.1a MRS-4.1k MRS-4.1l',
    'a token request without an Authorization header': 'MRS-4.1b',
    'a second token request with the same credentials': 'MRS-4.1m',
    'a read of the data, with its Authorization header': 'MRS-4.2a',
    'a read of the data, with its Authorization header and the body of its answer': 'MRS-4.2b',
    'at least two reads with one token': 'MRS-5.3b',
    'a token request': 'token-path form-content-type token-accept form-fields credentials-place',
    'a read of the data': 'data-path data-accept',
    'reads with their Authorization headers': 'bearer-header token-place',
    'a token request with the body of its answer, and a read with that token': 'token-member',
    'until a token has expired and the client has renewed it': 'renewal token-reuse',
  }).flatMap(([what, ids]) => ids.split(' ').map((id) => [id, what] as const)),
);

/** For each cause, a line: which are not seen, why, and what to record or to give. */
function missingInWords(
  whose: string,
  all: readonly { id: string; verdict: string; reason?: string | undefined }[],
): string[] {
  const byCause = groupBy(all.filter(isMissing), ({ id, reason = '' }) => {
    const record = takesOption(reason) ? '' : `Record ${SHOWN_BY.get(id) ?? 'a request that shows it'}.`;
    return [reason === NO_REQUEST ? '' : reason, record].filter((text) => text !== '').join(' ');
  });
  return [...byCause]
    .slice(0, MOST_MISSING)
    .map(([cause, own]) => `Not seen of the ${whose}: ${own.map(({ id }) => id).join(', ')}. ${cause}`);
}

/** `nonconformant (8 passed, 1 failed, 14 not seen)`. */
function partInWords({ outcome, items }: Part): string {
  const warned = items.some(({ verdict }) => verdict === 'warned') ? (['warned'] as const) : [];
  return `${outcome} (${tallyOf(countItems(items, ['passed', 'failed', 'not-seen', ...warned]).of)})`;
}

/** What is known of how long the tokens of a client live. */
function lifetimeInWords({ agreedSeconds, seen }: JudgedClient['lifetime']): string {
  const expiry = seen
    ? `seen: ${inSeconds(seen.atLeastSeconds * 1000)} to ${inSeconds(seen.atMostSeconds * 1000)}`
    : 'no token was seen to end with 403';
  return agreedSeconds === undefined ? `not given; ${expiry}` : `${agreedSeconds} s, as agreed; ${expiry}`;
}

/** What was read, and what of it was left out. */
function recordingInWords(recording: Recording, { unattributed, secrets }: JudgedRecording): string {
  const { entries, exchanges, left } = recording;
  const creator = secrets.excerpt(recording.creator, 100);
  return [
    `${exchanges.length} of ${entries} ${entries === 1 ? 'entry' : 'entries'} judged`,
    unattributed > 0 ? `, ${unattributed} of an unknown client` : '',
    left.ignored > 0
      ? `, ${left.ignored} ignored: to other addresses, preflights, not sent over the network, or there twice`
      : '',
    creator && `; recorded by ${creator}`,
  ].join('');
}
