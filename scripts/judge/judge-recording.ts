/** Judges a recording by both judges: the answers by the requirements, the requests of each client by the rules. */

import { createHash } from 'node:crypto';
import { judgeClient, type TrafficCertificate } from '../../tests/client/passive/judge-traffic.ts';
import { type JudgedByTraffic, judgeTraffic } from '../../tests/server/passive/judge-traffic.ts';
import { evidenceOf } from '../../tests/server/passive/record-answer.ts';
import type { Exchange } from '../../tests/server/support/evidence.ts';
import { acceptIn, jsonAcceptance } from '../../tests/traffic/accept.ts';
import type { RecordedCall } from '../../tests/traffic/call.ts';
import {
  authorizationOf,
  bearerOf,
  credentialsIn,
  formOf,
  isMasked,
} from '../../tests/traffic/credentials.ts';
import { type CredentialLeak, fieldNamed } from '../../tests/traffic/exchange.ts';
import { inWords } from '../../tests/traffic/gaps.ts';
import { joinRefusals, placesOf, roundingOf, type Timed, timesOf } from '../../tests/traffic/times.ts';
import {
  type AgreedLifetimes,
  agreedWith,
  type ClientLifetimes,
  clientLifetimes,
  NONE_AGREED,
  type SeenLifetime,
  type TokenHistory,
  tokenHistoryOf,
} from '../../tests/traffic/tokens.ts';
import { lacksSecrets, lacksTokens, withSecret } from './left-out.ts';
import { createPlacement } from './misplaced.ts';
import type { Judged, Recording } from './read-recording.ts';
import { clientsOf, LACKS_HEADERS, leftOutOf, shownBy } from './recorded-clients.ts';
import { secretsOf } from './recorded-secrets.ts';

export interface JudgedRecording {
  server: readonly JudgedByTraffic[];
  clients: readonly JudgedClient[];
  history: TokenHistory;
  lifetimes: ClientLifetimes;
  /** Ids for which a lifetime was given, and that no token request has. */
  absentIds: readonly string[];
  /** Every exchange as evidence; not redacted. */
  exchanges: readonly Exchange[];
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
  const exchanges = judged.map((one, at): Exchange => {
    const own = facts[at] as RecordedCall;
    return evidenceOf(own, one.recorded, whatOf(one, history.lifeOf(own)?.number));
  });
  const exchangesByEntry = new Map(
    judged.map(({ exchange }, at) => [exchange.entry, exchanges[at] as Exchange]),
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
      exchangeOf: ({ recorded }) => exchangesByEntry.get(recorded.entry) as Exchange,
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
    durationMs: lacksTimes ? 0 : Math.max(0, ...lastEnds(calls)),
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

/** Without spreading all calls into arguments. */
const lastEnds = (calls: readonly RecordedCall[]): number[] => [
  calls.reduce((last, { endMs }) => Math.max(last, endMs), 0),
];

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
