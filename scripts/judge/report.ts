/** The report on recorded traffic: both judgements as one list of items, free of secrets. */
import { randomUUID } from 'node:crypto';
import { rules as clientRules } from '../../tests/client/judge.ts';
import type { TrafficRule } from '../../tests/client/recorded.ts';
import {
  callsOf,
  inOrder,
  inSeconds,
  itemOf as ruleItem,
  scenarioAnchor,
  tokensInWords,
} from '../../tests/client/report.ts';
import type { Call } from '../../tests/client/traffic.ts';
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
import { bodyInWords } from '../../tests/server/report/curl.ts';
import type { Exchange } from '../../tests/server/support/evidence.ts';
import { type JudgedByTraffic, NO_REQUEST } from '../../tests/server/traffic.ts';
import { groupBy } from '../../tests/support/collections.ts';
import { takesOption } from '../../tests/support/option-advice.ts';
import { plainName } from '../../tests/support/plain-name.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import type { JudgedClient, JudgedRecording } from './judge-recording.ts';
import type { Recording } from './read-recording.ts';

/** A run that judged a recording. */
export interface JudgingRun {
  startedAt: string;
  durationMs: number;
  /** Of `mrs proxy`; absent for a file. */
  proxy?: ProxyAnswers | undefined;
}

/** What a proxy answered in place of the service. */
export interface ProxyAnswers {
  /** Because the service gave no answer. */
  unanswered: number;
  /** By the scenario that was injected for a client. */
  injected: number;
  scenario?: string;
  client?: string;
}

export interface TrafficReport {
  report: Report;
  /** What must not be in it. */
  secrets: Secrets;
  /** Words of the report that look like secrets of the recording. */
  words: string;
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
  const secrets = createSecrets();
  for (const [value, alias] of judged.secrets) secrets.register(value, alias, { whole: alias === 'hidden' });
  const redact = createSentences(secrets, judged.secrets);
  const proxy = run.proxy && secrets.redact(run.proxy);
  const server = { outcome: serverOutcome(judged), items: requirementItems(judged, redact) };
  const clients = judged.clients.map((client) => redactClient(client, secrets));
  const client = {
    outcome: worst(clients.map(({ outcome }) => outcome)),
    items: ruleItems(judged.clients, secrets, redact),
  };
  const left = judged.clients.reduce((sum, { callsLeft }) => sum + callsLeft, judged.callsLeft);
  const excess = recording.left.excess + left;
  const outcome = worst([server.outcome, client.outcome, ...(excess > 0 ? (['incomplete'] as const) : [])]);
  const items = [...server.items, ...client.items];
  const named = new Set(judged.server.flatMap(({ exchanges }) => exchanges));
  const baseUrl = secrets.redact(recording.baseUrl);
  const recorded =
    judged.exchanges.size === 0
      ? 'nothing'
      : `${new Date(judged.startMs).toISOString()}, for ${inSeconds(judged.durationMs)}`;
  const report = reportWith({
    judge: proxy ? 'proxy' : 'judge',
    runId: randomUUID(),
    subject: { name: proxy ? 'Service' : 'Recording', text: proxy ? baseUrl : recording.file, isCode: true },
    outcome,
    headline: headlineOf(outcome, server, client),
    // What is missing in a part that is incomplete, and what was left out.
    remarks: [
      ...(proxy && proxy.injected + proxy.unanswered > 0
        ? [`The proxy answered ${proxyInWords(proxy)}.`]
        : []),
      ...judged.absentIds.map(
        (id) =>
          `--token-lifetime has a value for the client "${secrets.redact(id)}", and no token request has this id. Correct the id, or leave the value out.`,
      ),
      ...(server.outcome === 'incomplete' ? missingInWords('service', server.items.filter(isMissing)) : []),
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
      ['Recorded', recorded],
      ['Entries', recordingInWords(recording, judged, secrets)],
      ['Answered by the proxy', proxy && proxyInWords(proxy)],
      ['Token lifetime', lifetimesInWords(clients)],
    ]),
    properties: {
      recording: recording.file,
      ...(proxy && { injected: String(proxy.injected) }),
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
  const own = items.flatMap(({ seen, expected, reason, findings }) => [
    ...[seen ?? '', expected ?? '', reason ?? ''],
    ...findings.map((finding) => finding.seen),
  ]);
  return { report, secrets, server, client, words: wordsAmong(judged.secrets, own).join(' ') };
}

// Requirements of the service.

/** What the traffic of any client shows has to be seen; nothing violated by what is missing is conformant. */
function serverOutcome({ server, lifetimes }: JudgedRecording): PartOutcome {
  if (server.some(({ verdict }) => verdict === 'failed')) return 'nonconformant';
  const isShort = server.some(({ verdict, requirement: { id } }) => isMissing({ id, verdict }));
  return isShort || lifetimes.hasDoubts ? 'incomplete' : 'conformant';
}

const requirementItems = ({ server, exchanges: all }: JudgedRecording, redact: Redact): Item[] =>
  server.map((judged: JudgedByTraffic): Item => {
    const { requirement, verdict, expected, reason, seen, kept, violated, exchanges } = judged;
    const { id, clause, statement, severity, violation, advice } = requirement;
    const own = exchanges.flatMap((one) => all.get(one) ?? []);
    const quoted = own.flatMap(({ request, response }) => [
      ...[request.path, request.method],
      response?.mediaType,
    ]);
    const calls =
      violated > 0
        ? `${violated} of ${kept + violated} violate it: ${entriesInWords(own.slice(0, violated))}`
        : `${several(kept, 'call')} kept it`;
    return itemWith({
      ...{ id, group: `server.${clause}`, statement, verdict, severity, violation },
      advice: advice && byOption(advice),
      reason: reason && redact(reason, quoted),
      expected: expected === undefined ? undefined : redact(byOption(expected), quoted),
      seen: redact(seen, quoted) || undefined,
      facts: factsIn([['Calls', kept + violated > 0 ? calls : undefined]]),
      exchanges,
    });
  });

/** `entry 14 at 61.9 s`, `entries 14 at 61.9 s and 20 at 75 s`: exchanges by their places in the file; of many the first. */
function entriesInWords(exchanges: readonly Exchange[]): string {
  const shown = exchanges.slice(0, 3).map(({ id, sentAtMs }) => `${id.slice(1)} at ${inSeconds(sentAtMs)}`);
  const list = new Intl.ListFormat('en-GB').format([...shown, ...(exchanges.length > 3 ? ['more'] : [])]);
  return `${exchanges.length === 1 ? 'entry' : 'entries'} ${list}`;
}

/** The ledger and the requirements name the variables of a run: `mrs judge` has options only. */
const byOption = (text: string): string =>
  text.replace(/\bMRS_[A-Z_]+/g, (name) => `--${name.slice(4).toLowerCase().replaceAll('_', '-')}`);

function exchangeOf(raw: Exchange, secrets: Secrets): Shown {
  const { id, what, request, response, sentAtMs, durationMs } = redactExchange(raw, secrets);
  const { method, path } = request;
  return {
    id,
    what: secrets.excerpt(what, 200),
    request: { method: secrets.excerpt(method, 40), path: secrets.excerpt(path, 200) },
    response: response && {
      status: response.status,
      mediaType: response.mediaType,
      body: bodyInWords({ response }),
    },
    failure: response ? undefined : 'gave no answer that was recorded',
    sentAtMs,
    durationMs,
  };
}

// Clients.

const GRAVITY = ['failed', 'warned', 'passed', 'not-seen'] as const;

/** Each rule once, with the gravest verdict and the findings of all clients. */
function ruleItems(clients: readonly JudgedClient[], secrets: Secrets, redact: Redact): Item[] {
  const [first] = clients;
  const merged = (first?.certificate.rules ?? []).map((rule, at): TrafficRule => {
    const own = clients.flatMap(({ certificate }) => certificate.rules[at] ?? []);
    const gravest = GRAVITY.flatMap((verdict) => own.find((one) => one.verdict === verdict) ?? [])[0] ?? rule;
    const findings = own.flatMap((one) => one.findings);
    return {
      ...gravest,
      findings: findings.map((finding) => {
        const { scenario, seen, calls } = finding;
        const proving = new Set(calls);
        const proof = clients
          .flatMap(({ id, certificate }) => (id === scenario ? certificate.scenario.calls : []))
          .filter(({ id }) => proving.has(id));
        const quoted = proof.flatMap(({ path, method, accept, contentType }) => [
          ...[path, method],
          ...[accept, contentType],
        ]);
        return { ...finding, scenario: secrets.redact(scenario), seen: redact(seen, quoted) };
      }),
    };
  });
  return inOrder(merged).map((rule) => {
    const item = ruleItem(rule);
    return { ...item, group: `client.${item.group}` };
  });
}

/** A client without secrets. */
function redactClient({ id, certificate, lifetime, startMs }: JudgedClient, secrets: Secrets) {
  const { scenario, rules } = certificate;
  const name = secrets.redact(id);
  return {
    ...certificate,
    ...{ id: name, name, lifetime, startMs },
    durationMs: scenario.durationMs,
    callCount: scenario.callCount,
    lives: scenario.lives,
    calls: scenario.calls.map((call) => redactCall(call, (text) => secrets.excerpt(text, 200))),
    missing: rules
      .filter(isMissing)
      .map(({ id: rule, reason }) => ({ id: rule, reason: reason && secrets.redact(reason) })),
  };
}

type Client = ReturnType<typeof redactClient>;

function redactCall(call: Call, cut: (text: string) => string): Call {
  const { target, path, query, accept, contentType, method, fields, proxyAnswer } = call;
  const names = (all: readonly string[]) => all.slice(0, 50).map(plainName).map(cut);
  return {
    ...call,
    target: cut(target),
    method: cut(method),
    path: cut(path),
    query: names(query),
    ...(proxyAnswer !== undefined && { proxyAnswer: cut(proxyAnswer) }),
    ...(accept !== undefined && { accept: cut(accept) }),
    ...(contentType !== undefined && { contentType: cut(contentType) }),
    ...(fields && { fields: names(fields) }),
  };
}

const clientsSection = (clients: readonly Client[], items: readonly Item[]): Section => ({
  id: 'clients',
  title: 'Clients',
  about:
    'The calls of each client, by the tokens that they carried. A call has the number of its entry in the file; times count from the first call of the client.',
  blocks: clients.map((client): Block => {
    const { id, tokens, callCount, startMs, durationMs, outcome, strategy, lifetime } = client;
    const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
    const text = [
      outcome,
      `${several(callCount, 'call')} in ${inSeconds(durationMs)}${begin}`,
      tokensInWords(tokens),
      ...(strategy === 'none' ? [] : [`strategy: ${strategy}`]),
      `token lifetime: ${lifetimeInWords(lifetime)}.`,
    ].join('; ');
    return { card: { id: scenarioAnchor(id), title: id, blocks: [{ text }, ...callsOf(client, items)] } };
  }),
});

// Words.

/** The result as a short sentence without its full stop. */
function headlineOf(outcome: PartOutcome, server: Part, client: Part): string {
  const [ofServer = 0, ofClient = 0] = [server, client].map(
    ({ items }) => items.filter(({ verdict }) => verdict === 'failed').length,
  );
  if (ofServer > 0 && ofClient > 0)
    return `The service violates ${several(ofServer, 'clause')}, the client ${ofClient}`;
  if (ofServer > 0) return `The service violates ${several(ofServer, 'requirement')}`;
  if (ofClient > 0) return `The client breaks ${several(ofClient, 'rule')}`;
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

/** More clients, or more causes, would hide what to do first. */
const MOST_MISSING = 2;

function missingOfClients(clients: readonly Client[]): string[] {
  const short = clients.filter(({ missing }) => missing.length > 0);
  const left = short.length - MOST_MISSING;
  return [
    ...short
      .slice(0, MOST_MISSING)
      .flatMap(({ id, missing }) => missingInWords(clients.length > 1 ? `client ${id}` : 'client', missing)),
    ...(left > 0 ? [`Too little was seen of ${several(left, 'more client')}.`] : []),
  ];
}

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
function missingInWords(whose: string, missing: readonly Pick<Item, 'id' | 'reason'>[]): string[] {
  const byCause = groupBy(missing, ({ id, reason = '' }) => {
    const record = takesOption(reason) ? '' : `Record ${SHOWN_BY.get(id) ?? 'a request that shows it'}.`;
    return [reason === NO_REQUEST ? '' : reason, record].filter((text) => text !== '').join(' ');
  });
  const left = byCause.size - MOST_MISSING;
  return [...byCause].slice(0, MOST_MISSING).map(([cause, own], at) => {
    const more = left > 0 && at === MOST_MISSING - 1 ? ` The report has ${several(left, 'more cause')}.` : '';
    return `Not seen of the ${whose}: ${own.map(({ id }) => id).join(', ')}. ${cause}${more}`;
  });
}

/** `nonconformant (8 passed, 1 failed, 14 not seen)`. */
function partInWords({ outcome, items }: Part): string {
  const warned = items.some(({ verdict }) => verdict === 'warned') ? (['warned'] as const) : [];
  return `${outcome} (${tallyOf(countItems(items, ['passed', 'failed', 'not-seen', ...warned]).of)})`;
}

/** More would be hard to read; the page has the lifetime of each client. */
const MOST_LIFETIMES = 3;

/** What is known of how long tokens live, for each client where that differs. */
function lifetimesInWords(clients: readonly Client[]): string {
  const each = clients.map(({ id, lifetime }) => ({ id, text: lifetimeInWords(lifetime) }));
  const [first] = each;
  if (each.every(({ text }) => text === first?.text)) return first?.text ?? 'not given';
  const left = each.length - MOST_LIFETIMES;
  const parts = each.slice(0, MOST_LIFETIMES).map(({ id, text }) => `${id}: ${text}`);
  return [...parts, ...(left > 0 ? [`${left} more`] : [])].join(' · ');
}

/** What is known of how long the tokens of a client live. */
function lifetimeInWords({ agreedSeconds, seen }: JudgedClient['lifetime']): string {
  const rounded = (seconds: number) => `${Math.round(seconds * 10) / 10} s`;
  const expiry =
    seen === undefined
      ? 'none was seen to expire'
      : `seen: ${rounded(seen.atLeastSeconds)} to ${rounded(seen.atMostSeconds)}`;
  return agreedSeconds === undefined ? `not given; ${expiry}` : `${agreedSeconds} s, as agreed; ${expiry}`;
}

/** `2 requests of acme, by the injected scenario expires; 1 request that the service gave no answer to`. */
function proxyInWords({ unanswered, injected, scenario, client }: ProxyAnswers): string {
  const parts = [
    ...(scenario === undefined
      ? []
      : [`${several(injected, 'request')} of ${client}, by the injected scenario ${scenario}`]),
    ...(unanswered > 0 ? [`${several(unanswered, 'request')} that the service gave no answer to`] : []),
  ];
  return parts.length > 0 ? `${parts.join('; ')}; not judged as answers of the service` : 'nothing';
}

/** What was read, and what of it was left out. */
function recordingInWords(recording: Recording, { unattributed }: JudgedRecording, secrets: Secrets): string {
  const { entries, exchanges, left } = recording;
  const { elsewhere, preflights, notSent, duplicates = 0 } = left;
  const creator = secrets.excerpt(recording.creator, 100);
  const ignored = [
    ...(elsewhere > 0 ? [`${elsewhere} to other addresses`] : []),
    ...(preflights > 0 ? [several(preflights, 'preflight')] : []),
    ...(notSent > 0 ? [`${notSent} that did not go over the network`] : []),
    ...(duplicates > 0 ? [several(duplicates, 'duplicate')] : []),
  ];
  return [
    `${exchanges.length} of ${entries} ${entries === 1 ? 'entry' : 'entries'} judged`,
    unattributed > 0 ? `, ${unattributed} of an unknown client` : '',
    ignored.length > 0 ? `, ignored: ${ignored.join(', ')}` : '',
    creator && `; recorded by ${creator}`,
  ].join('');
}

// Sentences without secrets. They are our own words around values of the recording: a secret that is a usual word, or
// shares some letters with them, must not take our words out.

/** `quoted`: the values of the recording that the sentence may hold. */
type Redact = (sentence: string, quoted: Iterable<string | undefined>) => string;

type Values = readonly (readonly [value: string, alias: string])[];

/** A value that looks like one of our words, and shows nothing where we use it. */
const WORD = /^\p{L}{1,16}$/u;
/** A shorter value holds no secret. */
const SHORTEST = 4;

/** `secrets` holds the same `values`; their parts are looked for in what is quoted only. */
function createSentences(secrets: Secrets, values: Values): Redact {
  const wholes = createSecrets();
  for (const [value, alias] of values) if (!WORD.test(value)) wholes.register(value, alias, { whole: true });
  return (sentence, quoted) => {
    let text = sentence;
    for (const value of new Set(quoted))
      if (value !== undefined && value.length >= SHORTEST && text.includes(value))
        text = text.replaceAll(value, () => secrets.redact(value));
    return wholes.redact(text);
  };
}

/** Those of the secrets that are words of these texts: they look like our words. */
function wordsAmong(values: Values, texts: readonly string[]): string[] {
  const words = new Set(texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []));
  return values.flatMap(([value]) => (WORD.test(value) && words.has(value) ? value : []));
}
