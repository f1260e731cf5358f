/** Judges a recording by both judges: the answers by the requirements, the requests of each client by the rules. */

import { createHash } from 'node:crypto';
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal/har.ts';
import {
  judgeClient,
  type TrafficCertificate,
  type Visible,
} from '../../tests/client/passive/judge-traffic.ts';
import { type JudgedByTraffic, judgeTraffic } from '../../tests/server/passive/judge-traffic.ts';
import { evidenceOf } from '../../tests/server/passive/record-answer.ts';
import type { Exchange } from '../../tests/server/support/evidence.ts';
import { OPTION_ADVICE } from '../../tests/support/option-advice.ts';
import type { CredentialLeak } from '../../tests/support/secrets.ts';
import { acceptIn, jsonAcceptance } from '../../tests/traffic/accept.ts';
import type { RecordedCall } from '../../tests/traffic/call.ts';
import {
  authorizationOf,
  bearerOf,
  credentialsIn,
  formOf,
  isMasked,
} from '../../tests/traffic/credentials.ts';
import { type Field, FORM_TYPE, fieldNamed } from '../../tests/traffic/exchange.ts';
import { inWords } from '../../tests/traffic/gaps.ts';
import { joinRefusals, placesOf, roundingOf, type Timed, timesOf } from '../../tests/traffic/times.ts';
import {
  type AgreedLifetimes,
  agreedWith,
  type ClientLifetimes,
  clientLifetimes,
  isUnset,
  NONE_AGREED,
  type SeenLifetime,
  type TokenHistory,
  type TokenLife,
  tokenHistoryOf,
} from '../../tests/traffic/tokens.ts';
import type { Judged, Recording } from './read-recording.ts';
import { createPlacement, secretsOf } from './recorded-secrets.ts';

export interface JudgedRecording {
  server: readonly JudgedByTraffic[];
  clients: readonly JudgedClient[];
  history: TokenHistory;
  lifetimes: ClientLifetimes;
  /** Ids for which a lifetime was given, and that no token request has. */
  absentIds: readonly string[];
  /** Every exchange as evidence, by its id; not redacted. */
  exchanges: ReadonlyMap<string, Exchange>;
  /** Secrets and tokens where they must not be, by the number of the entry. */
  misplaced: ReadonlyMap<number, readonly CredentialLeak[]>;
  /** Calls that no client could be named for. */
  unattributed: number;
  /** Calls of clients that are not judged. */
  callsLeft: number;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
  /** When the first request was sent, in milliseconds since 1970; absent where the file has no usable times. */
  startMs?: number | undefined;
  /** Until when the recording goes on. */
  durationMs: number;
  /** What must not be written, with its aliases. */
  secrets: readonly (readonly [value: string, alias: string])[];
}

export interface JudgedClient {
  id: string;
  /** How long its tokens live: as agreed in seconds, and as the answers of the service show. */
  lifetime: { agreedSeconds: number | undefined; seen: SeenLifetime | undefined };
  /** Its calls are numbered by their entries in the file. */
  certificate: TrafficCertificate;
  /** When its first call was sent, in milliseconds since the first request of the recording. */
  startMs: number;
  callsLeft: number;
}

/** The calls of one client that are judged; more would take long, and show nothing new. */
const MOST_CALLS = 20_000;
/** Each more would take its place in the report, and show nothing new. */
const MOST_CLIENTS = 100;

export function judgeRecording(
  recording: Recording,
  {
    lifetimes: given = NONE_AGREED,
    processes,
  }: { lifetimes?: AgreedLifetimes | undefined; processes: number },
): JudgedRecording {
  const { exchanges: judged, baseUrl, recorder } = recording;
  const spans = judged.map(({ exchange }) => exchange);
  const isWhole = recording.hasAllHeaders === true;
  const isPublic = recording.isPublic === true;
  const roundingMs = isWhole ? 1 : roundingOf(spans);
  const lacksTimes = roundingMs === undefined;
  const startMs = lacksTimes ? undefined : judged[0]?.exchange.startMs;
  const times = lacksTimes ? placesOf(spans) : timesOf(spans, startMs ?? 0, roundingMs);
  if (!isWhole && !lacksTimes)
    joinRefusals(
      times,
      spans.map((span) => ({
        ...span,
        refused: span.answer?.status === 403 ? (fieldNamed(span.headers, 'authorization') ?? '') : undefined,
      })),
      roundingMs,
    );
  const lacksSecret = !isWhole && lacksSecrets(judged);
  const facts = judged.map((one, at) => factsOf(one, times[at] as Timed, { isWhole, lacksSecret }));
  const isOfService = (_: unknown, at: number) => judged[at]?.exchange.proxyAnswer === undefined;
  const ofService = facts.filter(isOfService);
  const historyOf = (calls: typeof facts, agreed?: ClientLifetimes['agreed']): TokenHistory => {
    const history = tokenHistoryOf(calls, agreed);
    return lacksTimes ? { ...history, seenLifetimes: new Map(), acceptedSeconds: new Map() } : history;
  };
  const lifetimes = clientLifetimes(given, historyOf(ofService).seenLifetimes);
  const history = historyOf(facts, lifetimes.agreed);
  // An injected refusal ends a token for its client only; the numbers of tokens are the same.
  const ownHistory = ofService.length < facts.length ? historyOf(ofService, lifetimes.agreed) : history;
  const lacksAuthorization = !isWhole && lacksTokens(facts);
  const clientSecrets = new Set(
    facts.flatMap(({ clientSecret = '' }) => (isMasked(clientSecret) ? [] : clientSecret)),
  );
  const placement = createPlacement(
    history.lives.map(({ value }) => value),
    clientSecrets,
  );
  const exchanges = new Map(
    judged.map((one, at) => {
      const own = facts[at] as RecordedCall;
      const exchange = evidenceOf(own, one.recorded, whatOf(one, history.lifeOf(own)?.number));
      return [exchange.id, exchange];
    }),
  );
  const calls = judged.map((one, at): RecordedCall => {
    const own = facts[at] as RecordedCall;
    const misplaced = [...placement.misplacedIn(one), ...(one.exchange.misplaced ?? [])].filter(
      ({ what, where }, nth, all) =>
        nth === all.findIndex((other) => other.what === what && other.where === where),
    );
    const lacksPlaces = isPublic && one.exchange.misplaced === undefined;
    const isIdentified = own.isIdentified || misplaced.length > 0 || lacksPlaces;
    return { ...own, isIdentified, lacksPlaces, misplaced };
  });
  const server = judgeTraffic(
    {
      baseUrl,
      calls: calls.filter(isOfService),
      history: ownHistory,
      lifetimes,
      lacksAuthorization,
      lacksTimes,
      isPublic,
      healthPaths: recording.healthPaths,
      exchangeOf: ({ recorded }) => exchanges.get(`x${recorded.entry}`) as Exchange,
    },
    recorder,
  );
  const { clients, ids, unattributed } = clientsOf(calls, history);
  const named = [...clients];
  return {
    server,
    clients: named.slice(0, MOST_CLIENTS).map(([id, own]) => {
      const clientId = ids.has(id) ? id : undefined;
      const lifetimeSeconds =
        lifetimes.agreed(clientId) ?? history.seenLifetimes.get(clientId)?.atMostSeconds;
      const shown = lacksAuthorization
        ? LACKS_HEADERS
        : shownBy(
            own,
            isPublic,
            history,
            lifetimeSeconds,
            lifetimes.doubt(clientId),
            history.acceptedSeconds.get(clientId),
          );
      const visible = {
        ...shown,
        ...(lacksTimes && { untimed: inWords({ code: 'lacks-times' }) }),
        ...(isPublic && { leftOut: leftOutOf(own) }),
      };
      const traffic = {
        name: id,
        calls: own.slice(0, MOST_CALLS),
        history,
        lifetimeSeconds,
        processes,
      };
      return {
        id,
        lifetime: {
          agreedSeconds: agreedWith(given, clientId),
          seen: ownHistory.seenLifetimes.get(clientId),
        },
        certificate: byEntry(judgeClient(traffic, visible), own),
        startMs: own[0]?.startMs ?? 0,
        callsLeft: Math.max(0, own.length - MOST_CALLS),
      };
    }),
    history: ownHistory,
    lifetimes,
    absentIds: [...given.byClient.keys()].filter((id) => !ids.has(id)),
    exchanges,
    misplaced: new Map(calls.map(({ recorded, misplaced }) => [recorded.entry, misplaced])),
    unattributed,
    callsLeft: named.slice(MOST_CLIENTS).reduce((sum, [, own]) => sum + own.length, 0),
    lacksAuthorization,
    startMs,
    durationMs: lacksTimes ? 0 : calls.reduce((last, { endMs }) => Math.max(last, endMs), 0),
    secrets: secretsOf(judged, facts, history, clientSecrets, recorder.hidden, placement.found),
  };
}

/** The same with the numbers of entries in the place of those that the judge of clients gives its calls. */
function byEntry(certificate: TrafficCertificate, calls: readonly RecordedCall[]): TrafficCertificate {
  const entryOf = (id: number) => calls[id - 1]?.recorded.entry ?? id;
  const { rules, scenario } = certificate;
  return {
    ...certificate,
    rules: rules.map((rule) => ({
      ...rule,
      findings: rule.findings.map((finding) => ({ ...finding, calls: finding.calls.map(entryOf) })),
    })),
    scenario: { ...scenario, calls: scenario.calls.map((call) => ({ ...call, id: entryOf(call.id) })) },
  };
}

function factsOf(
  { kind, exchange, recorded }: Judged,
  { startMs, endMs }: Timed,
  { isWhole, lacksSecret }: { isWhole: boolean; lacksSecret: boolean },
): RecordedCall {
  const { answer, headers, query } = exchange;
  const lacksHeaders = !isWhole && exchange.lacksHeaders === true && (kind === 'token' || kind === 'data');
  const authorization = lacksHeaders ? 'masked' : authorizationOf(exchange);
  const bearer = authorization === 'masked' ? undefined : bearerOf(exchange);
  const accepts = jsonAcceptance(acceptIn(headers));
  const credentials = kind === 'token' ? credentialsIn(exchange) : {};
  const token = kind === 'token' ? recorded.token : bearer;
  const sent = kind === 'token' ? formOf(exchange) : undefined;
  const form = lacksSecret && sent ? withSecret(sent) : sent;
  const isIdentified =
    fieldNamed(headers, 'cookie') !== undefined ||
    query.some(([name]) => /token|secret|client_id|key|^‹/i.test(name));
  return {
    recorded: exchange,
    kind,
    startMs,
    endMs,
    isIdentified,
    misplaced: [],
    lacksPlaces: false,
    brings: recorded.brings,
    ...(lacksHeaders && { lacksHeaders }),
    hasBody: recorded.hasBody,
    ...(answer?.isReplaced && { isReplaced: true as const }),
    ...(answer && { status: answer.status }),
    ...(token !== undefined && { token }),
    ...credentials,
    ...(form && { form }),
    query: query.length === 0 ? '' : createHash('sha256').update(JSON.stringify(query)).digest('base64'),
    ...(accepts && { accepts }),
    ...(authorization && { authorization }),
  };
}

function whatOf({ kind, exchange }: Judged, number: number | undefined): string {
  if (kind === 'token') return number === undefined ? 'a token request' : `the request for token ${number}`;
  if (kind === 'health') return `the health check ${exchange.path}`;
  if (kind === 'other') return `${exchange.method} ${exchange.path}`;
  if (number !== undefined) return `the data with token ${number}`;
  return fieldNamed(exchange.headers, 'authorization') === undefined
    ? 'the data without a token'
    : 'the data with an unknown token';
}

// What a recorder has left out of all entries of a file, or replaced in all: no single entry shows that.

const isSuccess = ({ status = 0 }: RecordedCall): boolean => status >= 200 && status <= 299;

/** Whether all Authorization headers are missing, or all those of reads were replaced. `facts` in the order of time. */
function lacksTokens(facts: readonly RecordedCall[]): boolean {
  const own = facts.filter(({ authorization }) => authorization !== undefined);
  const ofReads = own.filter(({ kind }) => kind === 'data');
  return (
    (ofReads.length > 0 ? ofReads : own).every(({ authorization }) => authorization === 'masked') ||
    areEmpty(ofReads) ||
    areOthers(facts)
  );
}

/** Whether all reads have the word Bearer without a token, or a mark in its place, and were served. */
const areEmpty = (reads: readonly RecordedCall[]): boolean =>
  reads.some(isSuccess) &&
  reads.every(({ token, authorization }) => token === '' || authorization === 'masked');

/**
 * Whether reads were served with tokens that were not issued, while none that was issued was sent: they were replaced. The
 * text of an unset variable is what a faulty client sends; where some of its reads were refused, others had a token.
 */
function areOthers(facts: readonly RecordedCall[]): boolean {
  const issues = facts.filter((call) => call.kind === 'token' && call.token !== undefined && isSuccess(call));
  const [first] = issues;
  if (!first) return false;
  const issued = new Set(issues.map(({ token }) => token));
  const sent = facts.filter(({ kind, token }) => kind === 'data' && token !== undefined);
  const someRefused = sent.some(({ status }) => status === 401 || status === 403);
  const reads = sent.filter(({ token = '' }) => someRefused || !isUnset(token));
  return (
    !reads.some(({ token }) => issued.has(token)) &&
    reads.some((call) => isSuccess(call) && call.startMs > first.startMs)
  );
}

/** Whether no token request has a secret, and tokens were issued: the secrets were removed. */
function lacksSecrets(judged: readonly Judged[]): boolean {
  const requests = judged.filter(({ kind }) => kind === 'token');
  return (
    requests.some(({ recorded }) => recorded.token !== undefined) &&
    requests.every(({ exchange }) => credentialsIn(exchange).clientSecret === undefined)
  );
}

/** A form with its secret as one that was replaced. */
const withSecret = (form: readonly Field[]): Field[] => [
  ...form.filter(([name]) => name !== 'client_secret'),
  ['client_secret', '‹not kept›'],
];

// Which client made a recorded call, and how much the calls of a client show.

const LACKS_HEADERS: Visible = { shown: 'requests', why: inWords({ code: 'lacks-authorization' }) };

function shownBy(
  calls: readonly RecordedCall[],
  isPublic: boolean,
  history: TokenHistory,
  lifetimeSeconds: number | undefined,
  lifetimeDoubt: string | undefined,
  aliveSeconds = 0,
): Visible {
  const issues = calls.filter(({ kind, status = 0 }) => kind === 'token' && status >= 200 && status < 300);
  if (issues.some(({ hasBody }) => !hasBody))
    return { shown: 'requests', why: 'The file does not have the bodies of all token responses.' };
  if (issues.length > 1 && issues.some((issue) => lacksClient(issue, isPublic)))
    return { shown: 'requests', why: 'The file does not show which clients asked for tokens.' };
  const lives = new Set(issues.map(history.lifeOf));
  if ([...lives].some((life) => life?.isShared))
    return {
      shown: 'requests',
      why: 'The service gave the same token to several clients, so the traffic does not show which of them read.',
    };
  if (lifetimeDoubt !== undefined) return { shown: 'tokens', why: lifetimeDoubt };
  if (lifetimeSeconds !== undefined) return { shown: 'lifetime' };
  if (calls.some((call) => hasEnded(history.lifeOf(call))))
    return {
      shown: 'tokens',
      why: `A token was refused with 403 after it had been accepted, and the traffic does not show how long tokens live. ${OPTION_ADVICE.lifetime}`,
    };
  if (lives.size <= 1) return { shown: 'lifetime' };
  return {
    shown: 'tokens',
    why: `How long tokens live is not known: none was seen to expire. ${OPTION_ADVICE.lifetime}`,
    aliveSeconds,
  };
}

/** The rules that take parts of requests which a file of mrs mock or mrs proxy leaves out, by their ids, with the reason. */
function leftOutOf(calls: readonly RecordedCall[]): ReadonlyMap<string, string> {
  const ids = new Set<string>();
  for (const { kind, status = 0, form, lacksPlaces, recorded } of calls) {
    if (lacksPlaces) for (const id of ['credentials-place', 'token-place']) ids.add(id);
    if (kind === 'other' && isHiddenPath(recorded.path))
      for (const id of ['token-path', 'data-path']) ids.add(id);
    if (status >= 400 && form?.some(([name, value]) => FORM_NAMES.includes(name) && value === HIDDEN))
      ids.add('form-fields');
  }
  return new Map([...ids].map((id) => [id, inWords({ code: 'left-out' })]));
}

const FORM_NAMES = ['grant_type', 'client_id', 'client_secret'];

/** As it is in an address. */
const isHiddenPath = (path: string): boolean => path.endsWith(encodeURI(HIDDEN_PATH));

/** Whether the recorder left out, or replaced, the id of the client: there may be several. */
const lacksClient = ({ clientId, form, recorded: { headers } }: RecordedCall, isPublic: boolean): boolean =>
  clientId === undefined
    ? isPublic ||
      (form === undefined &&
        /^application\/x-www-form/i.test(fieldNamed(headers, 'content-type') ?? FORM_TYPE))
    : isMasked(clientId);

const hasEnded = (life: TokenLife | undefined): boolean =>
  life?.accepted !== undefined && life.refused?.status === 403 && !life.isSuperseded;

/** Whose calls they are where no token request has an id. */
export const UNNAMED = 'client without an id';

/** By its id in token requests, and by the tokens that these brought; of the only client there is, everything. */
function clientsOf(calls: readonly RecordedCall[], history: TokenHistory) {
  const ids = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  const [only = UNNAMED, ...more] = ids;
  const clients = new Map<string, RecordedCall[]>();
  let unattributed = 0;
  for (const call of calls) {
    const id = call.clientId ?? history.lifeOf(call)?.clientId ?? (more.length === 0 ? only : undefined);
    if (id === undefined) {
      unattributed++;
      continue;
    }
    const own = clients.get(id);
    if (own) own.push(call);
    else clients.set(id, [call]);
  }
  return { clients, ids, unattributed };
}
