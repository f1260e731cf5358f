/** The report on recorded traffic: both judgements, free of secrets. */
import { randomUUID } from 'node:crypto';
import type { TrafficRule } from '../../../tests/client/passive/judge-traffic.ts';
import { rules as clientRules } from '../../../tests/client/rules.ts';
import type { Call } from '../../../tests/client/traffic.ts';
import type { Immutable } from '../../../tests/report/schema.ts';
import type { JudgedByTraffic } from '../../../tests/server/passive/judge-traffic.ts';
import { redactExchange } from '../../../tests/server/probe/redacted-exchange.ts';
import { bodyInWords } from '../../../tests/server/report/explain.ts';
import type { Exchange } from '../../../tests/server/support/evidence.ts';
import { plainName } from '../../../tests/support/plain-name.ts';
import { ledger } from '../../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import { suite } from '../../../tests/support/version.ts';
import type { AgreedLifetimes } from '../../../tests/traffic/tokens.ts';
import type { JudgedRecording } from '../judge-recording.ts';
import type { Recording } from '../read-recording.ts';
import type { TrafficSchema } from './traffic.schema.ts';

/** What report.json holds. */
export type TrafficReport = Immutable<TrafficSchema>;

export type ReportedRequirement = TrafficReport['server']['requirements'][number];
type PartOutcome = TrafficReport['server']['outcome'];

/** A run that judged a recording. */
export interface JudgingRun {
  lifetimes?: AgreedLifetimes | undefined;
  startedAt: string;
  durationMs: number;
  /** Of `mrs proxy`; absent for a file. */
  proxy?: TrafficReport['proxy'];
}

/** The report, and the secrets that must not be in it. */
export function buildReport(
  recording: Recording,
  judged: JudgedRecording,
  run: JudgingRun,
): { report: TrafficReport; secrets: Secrets } {
  const secrets = createSecrets();
  for (const [value, alias] of judged.secrets) secrets.register(value, alias, { whole: alias === 'hidden' });
  const { clients } = judged;
  const cut = createCut(secrets);
  const sentences = createSentences(secrets, judged.secrets);
  const requirements = judged.server.map((one) => {
    const deciding = one.exchanges.flatMap((id) => judged.exchanges.get(id) ?? []);
    return requirementOf(one, (text) => sentences.redact(text, deciding.flatMap(quotedOf)));
  });
  const rules = mergedRules(clients.map(({ certificate }) => certificate.rules));
  const callsOf = new Map(
    clients.map(({ id, certificate }) => [
      id,
      new Map(certificate.scenario.calls.map((call) => [call.id, call])),
    ]),
  );
  const server: PartOutcome = serverOutcome(judged);
  const client = worst(clients.map(({ certificate }) => certificate.outcome));
  const excess =
    recording.left.excess + clients.reduce((sum, { callsLeft }) => sum + callsLeft, judged.callsLeft);
  const outcome = worst([server, client, ...(excess > 0 ? (['incomplete'] as const) : [])]);
  const named = new Set(judged.server.flatMap(({ exchanges }) => exchanges));
  const report: TrafficReport = {
    $schema: './report.schema.json',
    schemaVersion: 1,
    suite,
    runId: randomUUID(),
    outcome,
    recording: {
      file: recording.file,
      creator: secrets.excerpt(recording.creator, 100),
      entries: recording.entries,
      judged: recording.exchanges.length,
      ...recording.left,
      excess,
      unattributed: judged.unattributed,
      startedAt: judged.startMs === undefined ? run.startedAt : new Date(judged.startMs).toISOString(),
      ...(judged.exchanges.size > 0 && judged.startMs === undefined && { untimed: true }),
      durationMs: judged.durationMs,
    },
    baseUrl: secrets.redact(recording.baseUrl),
    tokenLifetime: tokenLifetimeOf(judged, run, secrets),
    startedAt: run.startedAt,
    durationMs: run.durationMs,
    ...(run.proxy && { proxy: secrets.redact(run.proxy) }),
    server: {
      outcome: server,
      counts: countsOf(requirements, { passed: 0, failed: 0, 'not-seen': 0 }),
      requirements,
    },
    client: {
      outcome: client,
      counts: countsOf(rules, { passed: 0, failed: 0, warned: 0, 'not-seen': 0 }),
      rules: rules.map((rule) => ({
        ...rule,
        findings: rule.findings.map((finding) => ({
          ...finding,
          scenario: secrets.redact(finding.scenario),
          seen: sentences.redact(finding.seen, quotedBy(finding, callsOf)),
          calls: [...finding.calls],
        })),
      })),
      clients: clients.map(({ id, certificate, startMs }) => {
        const { outcome: own, strategy, marginSeconds, tokens, scenario } = certificate;
        return {
          id: secrets.redact(id),
          outcome: own,
          strategy,
          ...(marginSeconds !== undefined && { marginSeconds }),
          tokens,
          missing: certificate.rules.filter(isMissing).map(({ id: rule, reason }) => ({
            id: rule,
            ...(reason !== undefined && { reason: secrets.redact(reason) }),
          })),
          callCount: scenario.callCount,
          startMs,
          durationMs: scenario.durationMs,
          calls: scenario.calls.map((call) => redactCall(call, cut)),
          lives: [...scenario.lives],
        };
      }),
    },
    exchanges: [...judged.exchanges.values()]
      .filter(({ id }) => named.has(id))
      .map((one) => exchangeOf(one, secrets)),
    problems: [],
  };
  return { report, secrets };
}

function tokenLifetimeOf(
  { clients, absentIds }: JudgedRecording,
  { lifetimes }: JudgingRun,
  secrets: Secrets,
): TrafficReport['tokenLifetime'] {
  return {
    ...(lifetimes?.others !== undefined && { agreedSeconds: lifetimes.others }),
    clients: clients.map(({ id, lifetime: { agreedSeconds, seen } }) => ({
      id: secrets.redact(id),
      ...(agreedSeconds !== undefined && { agreedSeconds }),
      ...(seen && {
        atLeastSeconds: rounded(seen.atLeastSeconds),
        atMostSeconds: rounded(seen.atMostSeconds),
      }),
    })),
    absentClients: absentIds.map(secrets.redact),
  };
}

const rounded = (seconds: number): number => Math.round(seconds * 10) / 10;

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

function countsOf<Counts extends Record<string, number>>(
  items: readonly { verdict: keyof Counts }[],
  none: Counts,
): Counts {
  const counts: Record<keyof Counts, number> = { ...none };
  for (const { verdict } of items) counts[verdict]++;
  return counts as Counts;
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

/** What a finding may quote of its calls, by client and entry. */
const quotedBy = (
  { scenario, calls }: TrafficRule['findings'][number],
  callsOf: ReadonlyMap<string, ReadonlyMap<number, Call>>,
): (string | undefined)[] =>
  calls.flatMap((entry) => {
    const call = callsOf.get(scenario)?.get(entry);
    return call ? [call.path, call.method, call.accept, call.contentType] : [];
  });

function requirementOf(judged: JudgedByTraffic, clean: (text: string) => string): ReportedRequirement {
  const { requirement, verdict, expected, reason, seen, kept, violated, exchanges } = judged;
  const { id, clause, kind, statement, severity, violation, advice } = requirement;
  return {
    id,
    clause,
    kind: kind as ReportedRequirement['kind'],
    verdict,
    statement,
    ...(severity !== undefined && { severity: severity as NonNullable<ReportedRequirement['severity']> }),
    ...(violation !== undefined && { violation }),
    ...(advice !== undefined && { advice: byOption(advice) }),
    evidence: {
      seen: clean(seen),
      ...(expected !== undefined && { expected: clean(byOption(expected)) }),
      ...(reason !== undefined && { reason: clean(reason) }),
      kept,
      violated,
      exchanges: [...exchanges],
    },
  };
}

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

function redactCall(
  call: Call,
  cut: (text: string) => string,
): TrafficReport['client']['clients'][number]['calls'][number] {
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

function exchangeOf(raw: Exchange, secrets: Secrets): TrafficReport['exchanges'][number] {
  const { id, what, request, response, sentAtMs, durationMs } = redactExchange(raw, secrets);
  const body = response && bodyInWords({ response });
  return {
    id,
    entry: Number(id.slice(1)),
    what: secrets.excerpt(what, 200),
    method: secrets.excerpt(request.method, 40),
    path: secrets.excerpt(request.path, 200),
    ...(response && { status: response.status }),
    ...(response?.mediaType !== undefined && { mediaType: response.mediaType }),
    ...(body !== undefined && { body }),
    sentAtMs,
    durationMs,
  };
}

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
