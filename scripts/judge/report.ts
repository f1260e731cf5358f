/** The report on recorded traffic: both judgements as one list of items, free of secrets. */
import { randomUUID } from 'node:crypto';
import { rules as clientRules } from '../../tests/client/judge.ts';
import { callsOf, itemOf as ruleItem, tokensInWords } from '../../tests/client/report.ts';
import {
  type Block,
  countsOf,
  factsIn,
  type Item,
  itemWith,
  JUDGES,
  type Report,
  reportWith,
  type Section,
  type Exchange as Shown,
  tallyOf,
} from '../../tests/report/report.ts';
import { inSeconds, inUtc, several, VERDICTS } from '../../tests/report/text.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import { bodyInWords, type Exchange } from '../../tests/server/support/evidence.ts';
import { groupBy } from '../../tests/support/collections.ts';
import { ledger } from '../../tests/support/requirements.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { gravestOf, type Outcome, outcomeOf } from '../../tests/support/verdict.ts';
import type { JudgedClient, JudgedRecording } from './judge-recording.ts';
import type { Recording } from './read-recording.ts';

/** A run that judged a recording. */
export interface JudgingRun {
  startedAt: string;
  durationMs: number;
  /** Whether it recorded what it judged. */
  isProxy?: boolean;
}

/** The service, or all clients. */
interface Part {
  outcome: Outcome;
  items: readonly Item[];
}

export function reportOf(recording: Recording, judged: JudgedRecording, run: JudgingRun): Report {
  const { secrets, clients } = judged;
  const { file, exchanges } = recording;
  const { unread } = recording.left;
  const server = { outcome: serverOutcome(judged), items: requirementItems(judged) };
  const client = {
    outcome: gravestOf(clients.map(({ certificate }) => certificate.outcome)),
    items: ruleItems(clients),
  };
  const excess = recording.left.excess + judged.callsLeft;
  const isShort = excess > 0 || (run.isProxy === true && unread.count > 0);
  const named = new Set(judged.server.flatMap((one) => one.exchanges));
  const baseUrl = secrets.redact(recording.baseUrl);
  const unanswered = exchanges.filter(({ proxyAnswer }) => proxyAnswer !== undefined).length;
  const recorded = `${inUtc(new Date(judged.startMs).toISOString())}, for ${inSeconds(judged.durationMs)}`;
  const outcome = gravestOf([server.outcome, client.outcome, ...(isShort ? ['incomplete' as const] : [])]);
  return reportWith({
    judge: run.isProxy ? 'proxy' : 'judge',
    runId: randomUUID(),
    subject: run.isProxy
      ? { name: 'Service', text: baseUrl, isCode: true }
      : { name: 'Recording', text: file, isCode: true },
    outcome,
    remarks: [
      unanswered > 0 && `The proxy answered ${several(unanswered, 'request')}: the service gave no answer.`,
      // What is missing in a part that is incomplete, and what was left out.
      ...(server.outcome === 'incomplete' ? missingInWords('service', server.items) : []),
      ...(client.outcome === 'incomplete' ? missingOfClients(clients) : []),
      unread.count > 0 &&
        (run.isProxy
          ? `Not recorded: ${several(unread.count, 'exchange')}. `
          : `Left out: ${unread.count} of the entries, which cannot be read. `) +
          `${secrets.excerpt(unread.first, 200)}.`,
      excess > 0 && `Not judged: ${several(excess, 'exchange')} beyond the limit.`,
      outcome === 'conformant' &&
        'What the traffic did not show was not judged: mrs verify and mrs certify test it.',
    ].filter((one) => one !== false),
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
      ['Token lifetime', [...new Set(clients.map(lifetimeInWords))].join(' · ')],
    ]),
    properties: { server: server.outcome, client: client.outcome },
    items: [...server.items, ...client.items],
    sections: [clientsSection(clients)],
    exchanges: [...judged.exchanges.values()]
      .filter(({ id }) => named.has(id))
      .map((one) => exchangeOf(one, secrets)),
  });
}

// Requirements of the service.

/** What the traffic of any client shows has to be seen; nothing violated by what is missing is conformant. */
function serverOutcome({ server, lifetimes }: JudgedRecording): Outcome {
  const isShort = server.some(({ verdict, requirement: { id } }) => isMissing({ id, verdict }));
  return outcomeOf(server, { partial: isShort || lifetimes.hasDoubts });
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
      ...{ id, group: `server.${clause}`, statement, verdict, severity, violation },
      reason: reason && byOption(reason),
      advice: advice && byOption(advice),
      expected: expected && byOption(expected),
      seen: seen || undefined,
      facts: factsIn([['Calls', kept + violated > 0 ? calls : undefined]]),
      exchanges,
    });
  });

/** The ledger and the requirements name the variables of a run: `mrs judge` has options only. */
const byOption = (text: string): string =>
  text
    .replace(/(--[a-z-]{1,40}) \(MRS_[A-Z_]+\)/g, '$1')
    .replace(/\bMRS_[A-Z_]+/g, (name) => `--${name.slice(4).toLowerCase().replaceAll('_', '-')}`);

function exchangeOf(raw: Exchange, secrets: Secrets): Shown {
  const { id, what, request, response, sentAtMs, durationMs } = redactExchange(raw, secrets);
  const { method, path } = request;
  return {
    ...{ id, what, request: { method, path }, sentAtMs, durationMs },
    ...(response
      ? { response: { status: response.status, mediaType: response.mediaType, body: bodyInWords(response) } }
      : { failure: 'gave no answer that was recorded' }),
  };
}

// Clients.

const GRAVITY = ['failed', 'warned', 'passed', 'not-seen'] as const;

/** Each rule once, with the gravest verdict and the findings of all clients. */
function ruleItems(clients: readonly JudgedClient[]): Item[] {
  const [first] = clients;
  return (first?.certificate.rules ?? []).map((rule, at) => {
    const own = clients.flatMap(({ certificate }) => certificate.rules[at] ?? []);
    const gravest = GRAVITY.flatMap((verdict) => own.find((one) => one.verdict === verdict) ?? [])[0] ?? rule;
    const item = ruleItem({ ...gravest, findings: own.flatMap(({ findings }) => findings) }, 'client');
    return { ...item, group: `client.${item.group}` };
  });
}

const clientsSection = (clients: readonly JudgedClient[]): Section => ({
  id: 'clients',
  title: 'Clients',
  about:
    'The calls of each client, by the tokens that they carried. A call has the number of its entry in the file; times count from the first call of the client.',
  blocks: clients.map((client): Block => {
    const { id, certificate, startMs } = client;
    const { tokens, outcome, strategy, scenario, rules } = certificate;
    const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
    const text = [
      outcome,
      `${several(scenario.callCount, 'call')} in ${inSeconds(scenario.durationMs)}${begin}`,
      `tokens requested: ${tokensInWords(tokens, rules)}`,
      ...(strategy === 'none' ? [] : [`strategy: ${strategy}`]),
      `token lifetime: ${lifetimeInWords(client)}.`,
    ].join('; ');
    const verdict = outcome === 'nonconformant' ? 'failed' : outcome === 'conformant' ? 'passed' : 'not-seen';
    return { ...callsOf({ ...scenario, name: id }, rules, VERDICTS[verdict].mark), text };
  }),
});

// Words.

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

/** For each reason, a line: which are not seen, what they require, and why. */
function missingInWords(
  whose: string,
  all: readonly { id: string; verdict: string; statement: string; reason?: string | undefined }[],
): string[] {
  const byReason = groupBy(all.filter(isMissing), ({ reason = '' }) => reason);
  return [...byReason].slice(0, MOST_MISSING).map(([reason, own]) => {
    const names = own.slice(0, MOST_MISSING).map(({ id, statement }) => `${id} (${statement.slice(0, -1)})`);
    const rest = own.length > names.length ? ` and ${own.length - names.length} more` : '';
    return `Not seen of the ${whose}: ${names.join(', ')}${rest}. ${reason}`;
  });
}

/** `nonconformant (8 passed, 1 failed, 14 not seen)`. */
const partInWords = ({ outcome, items }: Part): string =>
  `${outcome} (${tallyOf(countsOf(items, JUDGES.judge.verdicts).filter(({ value }) => value > 0))})`;

/** What is known of how long the tokens of a client live. */
function lifetimeInWords({ lifetime: { agreedSeconds, seen } }: JudgedClient): string {
  const expiry = seen
    ? `seen: ${inSeconds(seen.atLeastSeconds * 1000)} to ${inSeconds(seen.atMostSeconds * 1000)}`
    : 'the traffic does not show when a token ends';
  return agreedSeconds === undefined ? `not given; ${expiry}` : `${agreedSeconds} s, as agreed; ${expiry}`;
}

/** What was read, and what of it was left out. */
function recordingInWords(recording: Recording, { unattributed, secrets }: JudgedRecording): string {
  const { entries, exchanges, left } = recording;
  const creator = secrets.excerpt(recording.creator, 100);
  return [
    `${exchanges.length} of ${entries} ${entries === 1 ? 'entry' : 'entries'} judged`,
    unattributed > 0 ? `, ${unattributed} of an unknown client` : '',
    left.ignored > 0 ? `, ${left.ignored} ignored` : '',
    creator && `; recorded by ${creator}`,
  ].join('');
}
