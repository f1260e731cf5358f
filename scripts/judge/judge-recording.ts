/** Judges a recording by both judges: the answers by the requirements, the requests of each client by the rules. */

import { createHash } from 'node:crypto';
import type { ClientCall } from '../../tests/client/passive/client-traffic.ts';
import { judgeClient, type TrafficCertificate } from '../../tests/client/passive/judge-traffic.ts';
import type { Shown } from '../../tests/client/rule.ts';
import type { ServiceCall } from '../../tests/server/passive/call.ts';
import { LACKS_AUTHORIZATION } from '../../tests/server/passive/data-cases.ts';
import { type JudgedByTraffic, judgeTraffic } from '../../tests/server/passive/judge-traffic.ts';
import { evidenceOf } from '../../tests/server/passive/record-answer.ts';
import type { Exchange } from '../../tests/server/support/evidence.ts';
import { acceptOf } from '../../tests/traffic/accept.ts';
import {
  authorizationOf,
  bearerOf,
  credentialsIn,
  formOf,
  isMasked,
} from '../../tests/traffic/credentials.ts';
import { fieldNamed } from '../../tests/traffic/exchange.ts';
import { type Timed, timesOf } from '../../tests/traffic/times.ts';
import {
  contradicts,
  type SeenLifetime,
  type TokenHistory,
  tokenHistoryOf,
} from '../../tests/traffic/token-history.ts';
import { createPlacement } from './misplaced.ts';
import type { Judged, Recording } from './read-recording.ts';
import { secretsOf } from './recorded-secrets.ts';

export interface JudgedRecording {
  server: readonly JudgedByTraffic[];
  clients: readonly JudgedClient[];
  history: TokenHistory;
  /** Where the agreed lifetime is not the one that was seen: that, as a sentence. Nothing is judged by it then. */
  lifetimeDoubt?: string | undefined;
  /** Every exchange as evidence; not redacted. */
  exchanges: readonly Exchange[];
  /** Calls that no client could be named for. */
  unattributed: number;
  /** Calls of clients that are not judged. */
  callsLeft: number;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
  /** When the first request was sent, in milliseconds since 1970, and until when the recording goes on. */
  startMs: number;
  durationMs: number;
  /** What must not be written, with its aliases. */
  secrets: readonly (readonly [value: string, alias: string])[];
}

export interface JudgedClient {
  id: string;
  /** Its calls are numbered by their entries in the file. */
  certificate: TrafficCertificate;
  /** When its first call was sent, in milliseconds since the first request of the recording. */
  startMs: number;
  callsLeft: number;
}

type Call = ServiceCall & ClientCall & { entry: number };

/** How much the traffic of a client shows, and why not more. */
interface Visible {
  shown: Shown;
  why?: string;
}

const LACKS_HEADERS: Visible = { shown: 'requests', why: LACKS_AUTHORIZATION };

function shownBy(
  calls: readonly Call[],
  lifetimeSeconds: number | undefined,
  lifetimeDoubt: string | undefined,
): Visible {
  const issues = calls.filter(({ kind, status = 0 }) => kind === 'token' && status >= 200 && status < 300);
  if (issues.some(({ hasBody }) => !hasBody))
    return { shown: 'requests', why: 'The file does not have the bodies of all token responses.' };
  if (lifetimeDoubt !== undefined) return { shown: 'tokens', why: lifetimeDoubt };
  const isOne = new Set(issues.map(({ token }) => token)).size <= 1;
  if (lifetimeSeconds !== undefined || isOne) return { shown: 'lifetime' };
  return {
    shown: 'tokens',
    why: 'How long tokens live is not known: none was seen to expire. Give --token-lifetime.',
  };
}

/** The calls of one client that are judged; more would take long, and show nothing new. */
const MOST_CALLS = 20_000;
/** Each more would take its place in the report, and show nothing new. */
const MOST_CLIENTS = 100;
const UNNAMED = 'client without an id';

export function judgeRecording(
  recording: Recording,
  { lifetimeSeconds: given, processes }: { lifetimeSeconds?: number | undefined; processes: number },
): JudgedRecording {
  const { exchanges: judged, baseUrl, recorder } = recording;
  const startMs = judged[0]?.exchange.startMs ?? 0;
  const times = timesOf(
    judged.map(({ exchange }) => exchange),
    startMs,
  );
  const facts = judged.map((one, at) => factsOf(one, times[at] as Timed));
  const isOfService = (_: unknown, at: number) => judged[at]?.exchange.proxyAnswer === undefined;
  const ofService = facts.filter(isOfService);
  const lifetimeDoubt = doubtOf(tokenHistoryOf(ofService).seenLifetime, given);
  const lifetimeSeconds = lifetimeDoubt === undefined ? given : undefined;
  const history = tokenHistoryOf(facts, lifetimeSeconds);
  // An injected refusal ends a token for its client only; the numbers of tokens are the same.
  const ownHistory = ofService.length < facts.length ? tokenHistoryOf(ofService, lifetimeSeconds) : history;
  const lacksAuthorization = recording.hasAllHeaders !== true && lacksTokens(facts);
  const clientSecrets = new Set(
    facts.flatMap(({ clientSecret = '' }) => (isMasked(clientSecret) ? [] : clientSecret)),
  );
  const placement = createPlacement(
    history.lives.map(({ value }) => value),
    clientSecrets,
  );
  const calls = judged.map((one, at): Call => {
    const own = facts[at] as (typeof facts)[number];
    const what = whatOf(one, history.lifeOf(own.token)?.number);
    const exchange = evidenceOf(one.exchange, one.recorded, {
      path: one.exchange.path,
      what,
      startMs: own.startMs,
      endMs: own.endMs,
    });
    const { entry } = one.exchange;
    return { ...own, entry, exchange, recorded: one.exchange, misplaced: placement.misplacedIn(one) };
  });
  const server = judgeTraffic(
    {
      baseUrl,
      calls: calls.filter(isOfService),
      history: ownHistory,
      lifetimeDoubt,
      lacksAuthorization,
      healthPaths: recording.healthPaths,
      ...(lifetimeSeconds !== undefined && { lifetimeSeconds }),
    },
    recorder,
  );
  const { clients, unattributed } = clientsOf(calls, history);
  const named = [...clients];
  const seen = history.seenLifetime?.atMostSeconds;
  return {
    server,
    clients: named.slice(0, MOST_CLIENTS).map(([id, own]) => {
      const lifetime = lifetimeSeconds ?? seen;
      const shown = lacksAuthorization ? LACKS_HEADERS : shownBy(own, lifetime, lifetimeDoubt);
      const traffic = {
        name: id,
        calls: own.slice(0, MOST_CALLS),
        history,
        lifetimeSeconds: lifetime,
        processes,
      };
      return {
        id,
        certificate: byEntry(judgeClient(traffic, shown), own),
        startMs: own[0]?.startMs ?? 0,
        callsLeft: Math.max(0, own.length - MOST_CALLS),
      };
    }),
    history: ownHistory,
    lifetimeDoubt,
    exchanges: calls.map(({ exchange }) => exchange),
    unattributed,
    callsLeft: named.slice(MOST_CLIENTS).reduce((sum, [, own]) => sum + own.length, 0),
    lacksAuthorization,
    startMs,
    durationMs: Math.max(0, ...lastEnds(calls)),
    secrets: secretsOf(judged, facts, history, clientSecrets, recorder.hidden, placement.found),
  };
}

/** Where a lifetime is agreed and another was seen: that, as a sentence. The traffic does not show which is wrong. */
function doubtOf(seen: SeenLifetime | undefined, agreedSeconds: number | undefined): string | undefined {
  if (!seen || agreedSeconds === undefined || !contradicts(seen, agreedSeconds)) return undefined;
  const [atLeast, atMost] = [seen.atLeastSeconds.toFixed(1), seen.atMostSeconds.toFixed(1)];
  return `The agreed token lifetime is ${agreedSeconds} s, but tokens were accepted until the age of ${atLeast} s and refused as expired from ${atMost} s on. Ask the operator which is right, or correct --token-lifetime.`;
}

/** The same with the numbers of entries in the place of those that the judge of clients gives its calls. */
function byEntry(certificate: TrafficCertificate, calls: readonly Call[]): TrafficCertificate {
  const entryOf = (id: number) => calls[id - 1]?.entry ?? id;
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

/** Whether all headers are missing, or all those of reads that are there were replaced. */
function lacksTokens(facts: readonly ReturnType<typeof factsOf>[]): boolean {
  const own = facts.filter(({ authorization }) => authorization !== undefined);
  const ofReads = own.filter(({ kind }) => kind === 'data');
  return (ofReads.length > 0 ? ofReads : own).every(({ authorization }) => authorization === 'masked');
}

/** Without spreading all calls into arguments. */
const lastEnds = (calls: readonly Call[]): number[] => [
  calls.reduce((last, { endMs }) => Math.max(last, endMs), 0),
];

function factsOf({ kind, exchange, recorded }: Judged, { startMs, endMs }: Timed) {
  const { answer, headers, query } = exchange;
  const authorization = authorizationOf(exchange);
  const bearer = authorization === 'masked' ? undefined : bearerOf(exchange);
  const accepts = acceptOf(exchange);
  const credentials = kind === 'token' ? credentialsIn(exchange) : {};
  const token = kind === 'token' ? recorded.token : bearer;
  const form = kind === 'token' ? formOf(exchange) : undefined;
  const isIdentified =
    fieldNamed(headers, 'cookie') !== undefined ||
    query.some(([name]) => /token|secret|client_id|key/i.test(name));
  return {
    kind,
    startMs,
    endMs,
    isIdentified,
    hasBody: recorded.hasBody,
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

/** By its id in token requests, and by the tokens that these brought; of the only client there is, everything. */
function clientsOf(calls: readonly Call[], history: TokenHistory) {
  const ids = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  const [only = UNNAMED, ...more] = ids;
  const clients = new Map<string, Call[]>();
  let unattributed = 0;
  for (const call of calls) {
    const id =
      call.clientId ?? history.lifeOf(call.token)?.clientId ?? (more.length === 0 ? only : undefined);
    if (id === undefined) {
      unattributed++;
      continue;
    }
    const own = clients.get(id);
    if (own) own.push(call);
    else clients.set(id, [call]);
  }
  return { clients, unattributed };
}
