/** The report on recorded traffic: both judgements as one list of items, free of secrets. */
import { randomUUID } from 'node:crypto';
import { rules as clientRules } from '../../../tests/client/judge.ts';
import type { TrafficRule } from '../../../tests/client/recorded.ts';
import {
  callAnchor,
  callsOf,
  inSeconds,
  numbered,
  type PageLinks,
  itemOf as ruleItem,
  scenarioAnchor,
  tokensInWords,
} from '../../../tests/client/report.ts';
import type { Call } from '../../../tests/client/traffic.ts';
import {
  type Block,
  countItems,
  type Fact,
  frame,
  type Item,
  type Report,
  type Section,
  type Exchange as Shown,
} from '../../../tests/report/report.ts';
import { several, tallyOf } from '../../../tests/report/text.ts';
import { type JudgedByTraffic, NO_REQUEST } from '../../../tests/server/passive/judge-traffic.ts';
import { redactExchange } from '../../../tests/server/probe/redacted-exchange.ts';
import { bodyInWords } from '../../../tests/server/report/curl.ts';
import type { Exchange } from '../../../tests/server/support/evidence.ts';
import { groupBy } from '../../../tests/support/collections.ts';
import { takesOption } from '../../../tests/support/option-advice.ts';
import { plainName } from '../../../tests/support/plain-name.ts';
import { ledger } from '../../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import type { Outcome } from '../../../tests/support/verdict.ts';
import type { JudgedClient, JudgedRecording } from '../judge-recording.ts';
import type { Recording } from '../read-recording.ts';

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
  /** By part, for `mrs proxy` and tests. */
  server: Part;
  client: Part;
}

interface Part {
  outcome: PartOutcome;
  items: readonly Item[];
}

type PartOutcome = 'conformant' | 'nonconformant' | 'incomplete';

export function reportOf(recording: Recording, judged: JudgedRecording, run: JudgingRun): TrafficReport {
  const secrets = createSecrets();
  for (const [value, alias] of judged.secrets) secrets.register(value, alias, { whole: alias === 'hidden' });
  const clean = { ...run, proxy: run.proxy && secrets.redact(run.proxy) };
  const times = timesIn(judged);
  const sentences = createSentences(secrets, judged.secrets);
  const clients = judged.clients.map((client) => redactClient(client, secrets));
  const requirements = judged.server.map((one) =>
    requirementItem(one, times, (text) =>
      sentences.redact(text, one.exchanges.flatMap((id) => judged.exchanges.get(id) ?? []).flatMap(quotedOf)),
    ),
  );
  const rules = mergedRules(judged.clients.map(({ certificate }) => certificate.rules)).map((rule) => ({
    ...rule,
    findings: rule.findings.map((finding) => ({
      ...finding,
      scenario: secrets.redact(finding.scenario),
      seen: sentences.redact(finding.seen, quotedBy(finding, judged.clients)),
    })),
  }));
  const links = linksTo(clients);
  const ruleItems = numbered(rules).map(({ rule, first }) => {
    const item = ruleItem(rule, first, links);
    return { ...item, group: `client.${item.group}` };
  });
  const server: Part = { outcome: serverOutcome(judged), items: requirements };
  const client: Part = {
    outcome: worst(judged.clients.map(({ certificate }) => certificate.outcome)),
    items: ruleItems,
  };
  const excess =
    recording.left.excess + judged.clients.reduce((sum, { callsLeft }) => sum + callsLeft, judged.callsLeft);
  const outcome = worst([server.outcome, client.outcome, ...(excess > 0 ? (['incomplete'] as const) : [])]);
  const items = [...requirements, ...ruleItems];
  const { counts, tally } = countItems(items, ['passed', 'failed', 'warned', 'not-seen']);
  const named = new Set(judged.server.flatMap(({ exchanges }) => exchanges));
  const baseUrl = secrets.redact(recording.baseUrl);
  const parts = { server, client, clients, excess, proxy: clean.proxy };
  const facts: Fact[] = [
    { name: 'Base URL', text: baseUrl, isCode: true },
    { name: 'Service', text: partInWords(server) },
    {
      name: several(clients.length, 'client').replace(/^1 c/, 'C'),
      text: partInWords(client),
    },
    { name: 'Recorded', text: recordedInWords(judged, times) },
    { name: 'Entries', text: recordingInWords(recording, judged, secrets) },
    ...(clean.proxy ? [{ name: 'Answered by the proxy', text: proxyInWords(clean.proxy) }] : []),
    { name: 'Token lifetime', text: lifetimesInWords(clients) },
  ];
  const report: Report = {
    ...frame(clean.proxy ? 'proxy' : 'judge', randomUUID(), facts),
    subject: clean.proxy
      ? { name: 'Service', text: baseUrl, isCode: true }
      : { name: 'Recording', text: recording.file, isCode: true },
    outcome,
    headline: headlineOf(outcome, server, client),
    next: nextOf(outcome, clean.proxy !== undefined),
    remarks: remarksOf(judged, parts, secrets),
    counts,
    tally,
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    properties: {
      recording: recording.file,
      ...(clean.proxy && { injected: String(clean.proxy.injected) }),
      'base-url': baseUrl,
      server: server.outcome,
      client: client.outcome,
      exchanges: String(recording.exchanges.length),
    },
    items,
    sections: [clientsSection(clients, items, times.untimed)],
    exchanges: [...judged.exchanges.values()]
      .filter(({ id }) => named.has(id))
      .map((one) => exchangeOf(one, secrets, times.untimed)),
    problems: [],
  };
  const own = items.flatMap(({ seen, expected, reason, findings }) => [
    seen ?? '',
    expected ?? '',
    reason ?? '',
    ...findings.map((finding) => finding.seen),
  ]);
  return { report, secrets, server, client, words: wordsAmong(judged.secrets, own).join(' ') };
}

// Outcomes.

/** What the traffic of any client shows has to be seen; nothing violated by what is missing is conformant. */
const serverOutcome = ({ server, lifetimes }: JudgedRecording): PartOutcome => {
  if (server.some(({ verdict }) => verdict === 'failed')) return 'nonconformant';
  const isShort = server.some(
    ({ verdict, requirement }) => verdict === 'not-seen' && requirement.passive === 'usual',
  );
  return isShort || lifetimes.hasDoubts ? 'incomplete' : 'conformant';
};

const ORDER = ['nonconformant', 'incomplete', 'conformant'] as const;

/** The gravest; of nothing, `incomplete`. */
const worst = (outcomes: readonly PartOutcome[]): PartOutcome =>
  outcomes.length === 0 ? 'incomplete' : (ORDER.find((one) => outcomes.includes(one)) ?? 'incomplete');

// Requirements of the service.

/** When each entry was sent, by the id of its exchange. */
interface Times {
  /** Whether the file has no usable times. */
  untimed: boolean;
  sentAtMs(exchange: string): number | undefined;
}

const timesIn = ({ exchanges, startMs }: JudgedRecording): Times => ({
  untimed: exchanges.size > 0 && startMs === undefined,
  sentAtMs: (id) => exchanges.get(id)?.sentAtMs,
});

function requirementItem(judged: JudgedByTraffic, times: Times, clean: (text: string) => string): Item {
  const { requirement, verdict, expected, reason, seen, kept, violated, exchanges } = judged;
  const { id, clause, statement, severity, violation, advice } = requirement;
  const isFailed = verdict === 'failed';
  const decided = kept + violated;
  const calls =
    violated > 0
      ? `${violated} of ${decided} violate it: ${entriesInWords(exchanges.slice(0, violated), times)}`
      : `${several(kept, 'call')} kept it`;
  return {
    id,
    group: `server.${clause}`,
    statement,
    verdict,
    ...(isFailed && { severity, violation, advice: advice && byOption(advice) }),
    reason: reason && clean(reason),
    expected: expected === undefined ? undefined : clean(byOption(expected)),
    seen: clean(seen) || undefined,
    facts: decided > 0 ? [{ name: 'Calls', text: calls }] : [],
    findings: [],
    exchanges: [...exchanges],
  };
}

/**
 * `entry 14 at 61.9 s`, `entries 14 at 61.9 s and 20 at 75 s`: exchanges by their places in the file; of many the first.
 * Without times where the file does not have them.
 */
function entriesInWords(ids: readonly string[], { untimed, sentAtMs }: Times): string {
  const shown = ids.slice(0, 3).map((id) => {
    const at = untimed ? undefined : sentAtMs(id);
    return at === undefined ? id.slice(1) : `${id.slice(1)} at ${inSeconds(at)}`;
  });
  const list = new Intl.ListFormat('en-GB').format([...shown, ...(ids.length > 3 ? ['more'] : [])]);
  return `${ids.length === 1 ? 'entry' : 'entries'} ${list}`;
}

/** The ledger and the requirements name the variables of a run: `mrs judge` has options only. */
const byOption = (text: string): string =>
  text.replace(/\bMRS_[A-Z_]+/g, (name) => `--${name.slice(4).toLowerCase().replaceAll('_', '-')}`);

/** What a sentence on an exchange may quote. */
const quotedOf = ({ request, response }: Exchange): (string | undefined)[] => [
  request.path,
  request.method,
  response?.mediaType,
];

function exchangeOf(raw: Exchange, secrets: Secrets, untimed: boolean): Shown {
  const { id, what, request, response, sentAtMs, durationMs } = redactExchange(raw, secrets);
  return {
    id,
    what: secrets.excerpt(what, 200),
    request: { method: secrets.excerpt(request.method, 40), path: secrets.excerpt(request.path, 200) },
    response: response && {
      status: response.status,
      mediaType: response.mediaType,
      body: bodyInWords({ response }),
    },
    failure: response ? undefined : 'gave no answer that was recorded',
    ...(!untimed && { sentAtMs, durationMs }),
  };
}

// Clients.

const GRAVITY = ['failed', 'warned', 'passed', 'not-seen'] as const;

/** Each rule once, with the gravest verdict and the findings of all clients. */
function mergedRules(ofClients: readonly (readonly TrafficRule[])[]): TrafficRule[] {
  const [first = []] = ofClients;
  return first.map((rule, at) => {
    const own = ofClients.flatMap((rules) => rules[at] ?? []);
    const gravest = GRAVITY.flatMap((verdict) => own.find((one) => one.verdict === verdict) ?? [])[0] ?? rule;
    return { ...gravest, findings: own.flatMap(({ findings }) => findings) };
  });
}

/** What a finding may quote of its calls. */
function quotedBy(
  { scenario, calls }: TrafficRule['findings'][number],
  clients: readonly JudgedClient[],
): (string | undefined)[] {
  const own = clients.find(({ id }) => id === scenario)?.certificate.scenario.calls ?? [];
  const proof = new Set(calls);
  return own
    .filter(({ id }) => proof.has(id))
    .flatMap(({ path, method, accept, contentType }) => [path, method, accept, contentType]);
}

/** A client without secrets. */
function redactClient(client: JudgedClient, secrets: Secrets) {
  const { id, certificate, lifetime, startMs } = client;
  const { scenario } = certificate;
  const cut = createCut(secrets);
  return {
    ...certificate,
    id: secrets.redact(id),
    name: secrets.redact(id),
    lifetime,
    startMs,
    durationMs: scenario.durationMs,
    callCount: scenario.callCount,
    lives: scenario.lives,
    calls: scenario.calls.map((call) => redactCall(call, cut)),
    missing: certificate.rules
      .filter(isMissing)
      .map(({ id: rule, reason }) => ({ id: rule, reason: reason && secrets.redact(reason) })),
  };
}

type Client = ReturnType<typeof redactClient>;

/** The beginning of a text without secrets; found once for texts that are in many calls. */
function createCut(secrets: Secrets): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const found = secrets.excerpt(text, 200);
    if (known.size === REMEMBERED) known.clear();
    known.set(text, found);
    return found;
  };
}

const REMEMBERED = 1000;

function redactCall(call: Call, cut: (text: string) => string): Call {
  const { path, query, accept, contentType, method, fields, misplaced, proxyAnswer, lacksHeaders, ...rest } =
    call;
  return {
    ...rest,
    target: cut(call.target),
    method: cut(method),
    path: cut(path),
    query: query.slice(0, 50).map(plainName).map(cut),
    misplaced: [...misplaced],
    ...(proxyAnswer !== undefined && { proxyAnswer: cut(proxyAnswer) }),
    ...(accept !== undefined && { accept: cut(accept) }),
    ...(contentType !== undefined && { contentType: cut(contentType) }),
    ...(fields && { fields: fields.slice(0, 50).map(plainName).map(cut) }),
  };
}

/** Only to calls of the clients that the page shows. */
function linksTo(clients: readonly Client[]): PageLinks {
  return {
    toScenario: (name) => [{ text: name, to: scenarioAnchor(name) }],
    toCall: (name, call) => ({
      text: String(call),
      ...(clients.some((one) => one.name === name) && { to: callAnchor(name, call) }),
    }),
  };
}

function clientsSection(clients: readonly Client[], items: readonly Item[], untimed: boolean): Section {
  return {
    id: 'clients',
    title: 'Clients',
    about: `The calls of each client, by the tokens that they carried. A call has the number of its entry in the file${untimed ? '' : '; times count from the first call of the client'}.`,
    blocks: clients.map((client): Block => {
      const { id, tokens, callCount, startMs, durationMs, outcome, strategy, lifetime } = client;
      const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
      const text = [
        `${outcome}`,
        `${several(callCount, 'call')}${untimed ? '' : ` in ${inSeconds(durationMs)}${begin}`}`,
        tokensInWords(tokens),
        ...(strategy === 'none' ? [] : [`strategy: ${strategy}`]),
        `token lifetime: ${lifetimeInWords(lifetime)}.`,
      ].join('; ');
      return {
        card: {
          id: scenarioAnchor(id),
          title: id,
          blocks: [{ text }, ...callsOf(client, items, untimed)],
        },
      };
    }),
  };
}

// Words.

/** The result as a short sentence without its full stop. */
function headlineOf(outcome: Outcome, server: Part, client: Part): string {
  const failed = ({ items }: Part) => items.filter(({ verdict }) => verdict === 'failed').length;
  const ofServer = failed(server);
  const ofClient = failed(client);
  if (ofServer > 0 && ofClient > 0)
    return `The service violates ${several(ofServer, 'clause')}, the client ${ofClient}`;
  if (ofServer > 0) return `The service violates ${several(ofServer, 'requirement')}`;
  if (ofClient > 0) return `The client breaks ${several(ofClient, 'rule')}`;
  return outcome === 'incomplete'
    ? 'Nothing seen is wrong, but the traffic shows too little'
    : 'Nothing seen is wrong';
}

/** What to do next, as a sentence. */
function nextOf(outcome: Outcome, isProxy: boolean): string {
  if (outcome === 'nonconformant')
    return isProxy
      ? 'Fix what failed, and let the traffic pass again.'
      : 'Fix what failed, record the traffic again, and judge it again.';
  if (outcome === 'incomplete')
    return isProxy
      ? 'Let more traffic pass: run the proxy until what is missing has passed.'
      : 'Record what is missing, with headers and bodies, and judge that.';
  return 'What the traffic did not show was not judged: mrs verify and mrs certify test it.';
}

/** What is missing in a part that is incomplete, and what was left out, as sentences. */
function remarksOf(
  { absentIds }: JudgedRecording,
  {
    server,
    client,
    clients,
    excess,
    proxy,
  }: {
    server: Part;
    client: Part;
    clients: readonly Client[];
    excess: number;
    proxy: ProxyAnswers | undefined;
  },
  secrets: Secrets,
): string[] {
  return [
    ...(proxy && proxy.injected + proxy.unanswered > 0 ? [`The proxy answered ${proxyInWords(proxy)}.`] : []),
    ...absentIds.map(
      (id) =>
        `--token-lifetime has a value for the client "${secrets.redact(id)}", and no token request has this id. Correct the id, or leave the value out.`,
    ),
    ...(server.outcome === 'incomplete' ? missingInWords('service', server.items.filter(isMissing)) : []),
    ...(client.outcome === 'incomplete' ? missingOfClients(clients) : []),
    ...(excess > 0 ? [`Not judged: ${several(excess, 'exchange')} beyond the limit.`] : []),
  ];
}

/** More clients would hide what to do first. */
const MOST_CLIENTS = 2;

function missingOfClients(clients: readonly Client[]): string[] {
  const short = clients.filter(({ missing }) => missing.length > 0);
  const left = short.length - MOST_CLIENTS;
  return [
    ...short
      .slice(0, MOST_CLIENTS)
      .flatMap(({ id, missing }) => missingInWords(clients.length > 1 ? `client ${id}` : 'client', missing)),
    ...(left > 0 ? [`Too little was seen of ${several(left, 'more client')}.`] : []),
  ];
}

const ISSUE = 'a token request, with the body of its answer';
const RENEWAL = 'until a token has expired and the client has renewed it';

/** What shows them, as the rest of a sentence that begins with "Record". */
const SHOWN_BY: Readonly<Record<string, string>> = {
  'MRS-2a': ISSUE,
  'MRS-4.1a': ISSUE,
  'MRS-4.1b': 'a token request without an Authorization header',
  'MRS-4.1k': ISSUE,
  'MRS-4.1l': ISSUE,
  'MRS-4.1m': 'a second token request with the same credentials',
  'MRS-4.2a': 'a read of the data, with its Authorization header',
  'MRS-4.2b': 'a read of the data, with its Authorization header and the body of its answer',
  'MRS-5.3b': 'at least two reads with one token',
  'token-path': 'a token request',
  'form-content-type': 'a token request',
  'token-accept': 'a token request',
  'form-fields': 'a token request',
  'credentials-place': 'a token request',
  'data-path': 'a read of the data',
  'data-accept': 'a read of the data',
  'bearer-header': 'reads with their Authorization headers',
  'token-place': 'reads with their Authorization headers',
  'token-member': 'a token request with the body of its answer, and a read with that token',
  renewal: RENEWAL,
  'token-reuse': RENEWAL,
};

/** More would hide what to do first. */
const MOST_CAUSES = 2;

/** For each cause, a line: which are not seen, why, and what to record or to give. */
function missingInWords(
  whose: string,
  missing: readonly { id: string; reason?: string | undefined }[],
): string[] {
  const byCause = new Map<string, string[]>();
  for (const { id, reason = '' } of missing) {
    const record = takesOption(reason) ? '' : `Record ${SHOWN_BY[id] ?? 'a request that shows it'}.`;
    const cause = [reason === NO_REQUEST ? '' : reason, record].filter((text) => text !== '').join(' ');
    byCause.set(cause, [...(byCause.get(cause) ?? []), id]);
  }
  const causes = [...byCause].map(([cause, ids]) => `Not seen of the ${whose}: ${ids.join(', ')}. ${cause}`);
  const left = causes.length - MOST_CAUSES;
  if (left <= 0) return causes;
  const [last = '', ...before] = causes.slice(0, MOST_CAUSES).reverse();
  return [...before.reverse(), `${last} The report has ${several(left, 'more cause')}.`];
}

/** `nonconformant (8 passed, 1 failed, 14 not seen)`. */
function partInWords({ outcome, items }: Part): string {
  const verdicts = ['passed', 'failed', 'not-seen'] as const;
  const warned = items.some(({ verdict }) => verdict === 'warned') ? (['warned'] as const) : [];
  return `${outcome} (${tallyOf(countItems(items, [...verdicts, ...warned]).of)})`;
}

/** More would be hard to read; the page has the lifetime of each client. */
const MOST_LIFETIMES = 3;

/** What is known of how long tokens live, for each client where that differs. */
function lifetimesInWords(clients: readonly Client[]): string {
  const alike = groupBy(clients, ({ lifetime }) => lifetimeInWords(lifetime));
  const [[common] = ['not given']] = alike;
  if (alike.size < 2) return common;
  const parts = [...alike].map(([text, own]) => `${namesInWords(own)}: ${text}`);
  const left = parts.length - MOST_LIFETIMES;
  return [...parts.slice(0, MOST_LIFETIMES), ...(left > 0 ? [`${left} more`] : [])].join(' · ');
}

function namesInWords(clients: readonly Client[]): string {
  const [first, second, ...more] = clients.map(({ id }) => id);
  const last = more.length > 0 ? several(more.length + 1, 'more client') : second;
  return [first, last].filter((name) => name !== undefined).join(' and ');
}

/** What is known of how long the tokens of a client live. */
function lifetimeInWords({ agreedSeconds, seen }: JudgedClient['lifetime']): string {
  const rounded = (seconds: number) => Math.round(seconds * 10) / 10;
  const expiry =
    seen === undefined
      ? 'none was seen to expire'
      : `seen: ${rounded(seen.atLeastSeconds)} s to ${rounded(seen.atMostSeconds)} s`;
  return agreedSeconds === undefined ? `not given; ${expiry}` : `${agreedSeconds} s, as agreed; ${expiry}`;
}

/** `2 requests of acme, by the injected scenario expires; 1 request that the service gave no answer to`. */
function proxyInWords(proxy: ProxyAnswers): string {
  const { unanswered, injected, scenario, client } = proxy;
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
  const loose = unattributed > 0 ? `, ${unattributed} of an unknown client` : '';
  const without = ignored.length > 0 ? `, ignored: ${ignored.join(', ')}` : '';
  return `${exchanges.length} of ${several(entries, 'entry').replace('entrys', 'entries')} judged${loose}${without}${creator && `; recorded by ${creator}`}`;
}

/** When the recording began, and for how long it went on. */
const recordedInWords = ({ startMs, durationMs }: JudgedRecording, { untimed }: Times): string =>
  untimed || startMs === undefined
    ? 'at times that the file does not have'
    : `${new Date(startMs).toISOString()}, for ${inSeconds(durationMs)}`;

/** The requirements and rules without which a part is incomplete. */
export const needed: ReadonlySet<string> = new Set([
  ...ledger.flatMap((one) => (one.passive === 'usual' ? one.id : [])),
  ...clientRules.flatMap((rule) => (rule.required === true ? rule.id : [])),
]);

/** Whether a part is incomplete because this is not seen. */
export const isMissing = ({ id, verdict }: { id: string; verdict: string }): boolean =>
  verdict === 'not-seen' && needed.has(id);

// Sentences without secrets. They are our own words around values of the recording: a secret that is a usual word, or
// shares some letters with them, must not take our words out.

export interface Sentences {
  /** `quoted`: the values of the recording that the sentence may hold. */
  redact(sentence: string, quoted: Iterable<string | undefined>): string;
}

type Values = readonly (readonly [value: string, alias: string])[];

/** A value that looks like one of our words, and shows nothing where we use it. */
const WORD = /^\p{L}{1,16}$/u;
/** A shorter value holds no secret. */
const SHORTEST = 4;

/** `secrets` holds the same `values`; their parts are looked for in what is quoted only. */
export function createSentences(secrets: Secrets, values: Values): Sentences {
  const wholes = createSecrets();
  for (const [value, alias] of values) if (!WORD.test(value)) wholes.register(value, alias, { whole: true });
  return {
    redact(sentence, quoted) {
      let text = sentence;
      for (const value of new Set(quoted))
        if (value !== undefined && value.length >= SHORTEST && text.includes(value))
          text = text.replaceAll(value, () => secrets.redact(value));
      return wholes.redact(text);
    },
  };
}

/** Those of the secrets that are words of these texts: they look like our words. */
export const wordsAmong = (values: Values, texts: readonly string[]): string[] => {
  const words = new Set(texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []));
  return values.flatMap(([value]) => (WORD.test(value) && words.has(value) ? value : []));
};
