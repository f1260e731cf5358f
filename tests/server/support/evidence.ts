/** What a run saw of a deployment, with every secret taken out: all that the verdicts are given on. */

import type { FeedVerdict } from '../../feed/findings.ts';
import { fieldNamed } from '../../traffic/exchange.ts';
import type { FailureCode } from '../probe/connection.ts';
import { mustBeAccepted, type ProbeKey, requests } from '../requests.ts';
import type { Mismatch } from './contract.ts';
import type { Json } from './json.ts';

/** One request and what came back. */
export interface Exchange {
  id: string;
  /** What the request is, as a noun phrase: "a form without client_id". */
  what: string;
  request: {
    method: string;
    path: string;
    headers: readonly (readonly [name: string, value: string])[];
    form?: Record<string, string>;
  };
  /** Milliseconds since the run began. */
  sentAtMs: number;
  durationMs: number;
  /** How long the deployment asked to wait before it gave this answer. */
  waitedSeconds?: number;
  response?: Response;
  /** Why there is no response, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  failureCode?: FailureCode;
  /** Why the answer is no decision about the request, as a sentence: set while it is judged (decisions.ts). */
  undecided?: string;
  /** Set where the request was sent before, and had no decision: that is in `repeated`. */
  again?: true;
}

/** An exchange that brought an answer. */
export type Answered = Exchange & { response: Response };

export interface Response {
  status: number;
  /** Type and subtype in lower case, without parameters; absent if there is no Content-Type that parses. */
  mediaType?: string;
  headers: readonly (readonly [name: string, value: string])[];
  bodyBytes: number;
  /** SHA-256 of the body, so that two answers can be compared without being kept. */
  digest: string;
  /** The first characters of the body. */
  excerpt: string;
  json: Json;
  /** Only of the token endpoint: how the body differs from the contract's TokenResponse. */
  tokenResponse?: {
    /** Whether the field `token` is a string that is not empty. */
    issued: boolean;
    /** Where the run took a token from that is not in the field `token`: a JSON pointer, "" for the whole body. */
    takenFrom?: string;
    /** Whether a token may be hidden in it, under another name or too deep to be found. */
    unclear: boolean;
    mismatches: Mismatch[];
  };
  /** Only of the data endpoint: how many of the distinctive values of the data it holds, in whatever form. */
  values?: {
    found: number;
    of: number;
    /** Set if no answer had several records, so that values of a record cannot be distinguished from those of the service. */
    isOfOne?: true;
    /** Set if it is too large to be searched whole. */
    isPartial?: true;
  };
  /** Where a profile documents answers of this status: in which ways this one is another, by their conditions. */
  declared?: { mismatches: Record<string, Mismatch[]> };
  /** Of data, under a profile that declares records. */
  feed?: FeedVerdict;
}

/** A request that was planned and not sent, with the reason as a sentence. */
export interface NotSent {
  what: string;
  notSent: string;
  /** Set where this deployment gives no occasion for the request, so that nothing is missing without it. */
  isOptional?: true;
}

export type Probe = Exchange | NotSent;

/** What became of the requests in the table of a run, by their keys. Recorded traffic has but some of them. */
export type Probes = Partial<Record<ProbeKey, Probe>>;

/** The requests at one health check: without a token, and with one if there is one; `again`: then once more without. */
export type HealthProbes = { plain: Probe; withToken?: Probe; again?: Probe };

/** How it is known that `expiredToken` has expired. */
export type ExpiryEvidence =
  | { kind: 'waited'; lifetimeSeconds: number; ageSeconds: number; late?: LateExpiry }
  | { kind: 'asserted' | 'none' };

/** A token that was accepted after its stated lifetime, and refused later: its ages, in seconds since it was obtained. */
type LateExpiry = Record<'acceptedSeconds' | 'refusedSeconds', number>;

/** What the requests of a run brought. */
export interface Observed {
  probes: Probes;
  health: HealthProbes[];
  /** The data with what was in the place of a token in an answer that refused: it may not be one. */
  refusedTokens: Probe[];
  /**
   * Requests that were sent again: those without a decision, or with a token too old. Also forms for a live token in the place
   * of one that has grown old, and reads that show whether the deployment is well.
   */
  repeated: Probe[];
  /** Whether `token.another` brought the same token as `token.again`; absent where either brought none. */
  tokenRepeats?: boolean;
  /** Whether `token.again` brought the token that had expired. */
  renewalRepeats?: boolean;
  expiry: ExpiryEvidence;
}

export interface Evidence extends Observed {
  /** Under which the deployment was asked; absent where nothing is declared. */
  profile?: { name: string; title: string; notOffered: string[] };
  target: {
    baseUrl: string;
    clientId: string;
    tokenLifetimeSeconds?: number;
    healthPaths: string[];
    /** Whether the deployment states these paths, by its profile; otherwise the user of the run gave them. */
    statesHealthPaths?: true;
    /** Of a gateway; each value was in the variable. */
    headers?: { name: string; variable: string }[];
    /** Where the user chose it; otherwise the suite named itself. */
    userAgent?: string;
    /** Whether the run trusted certificate authorities of its own (MRS_CA). */
    hasOwnAuthorities?: true;
    /** Whether it is the mock of this package, and no deployment. */
    bundledMock?: true;
  };
  /** Set where the run was ended before its last request: when, and at which, as a sentence. */
  interrupted?: string;
  /** Absent where the run verified them. */
  certificatesVerified?: false;
  startedAt: string;
  durationMs: number;
  requests: number;
}

/** The requests of a run that meet a condition of the contract, an `x-response-when` of the operation. */
export const probesMeeting = (
  { probes }: Pick<Observed, 'probes'>,
  operation: string,
  when: string,
): Probe[] =>
  requests
    .filter((row) => operation === ('post' in row ? 'obtainToken' : 'readData'))
    .filter((row) => row.when?.split(' ', 1)[0] === when && !row.isNear)
    .flatMap(({ key, ifServed }) => (ifServed && !isServed(probes[key]) ? [] : (probes[key] ?? [])));

export type Sent = Pick<Observed, 'probes' | 'health' | 'refusedTokens' | 'repeated'>;

/** Every exchange that took place, in order. */
export const exchanges = ({ probes, health, refusedTokens, repeated }: Sent): Exchange[] =>
  [probes, refusedTokens, repeated, ...health]
    .flatMap((some): Probe[] => Object.values(some))
    .filter((probe) => 'id' in probe)
    .sort((a, b) => numberOf(a) - numberOf(b));

export const notSent = (what: string, reason: string): NotSent => ({ what, notSent: reason });

export const isAnswered = (probe: Probe | undefined): probe is Answered =>
  probe !== undefined && 'id' in probe && probe.response !== undefined;
/** Of the answer; 0 without one. */
const statusOf = (probe: Probe | undefined): number => (isAnswered(probe) ? probe.response.status : 0);
export const hasStatus = (probe: Probe | undefined, ...statuses: number[]): boolean =>
  statuses.includes(statusOf(probe));
export const isServed = (probe: Probe | undefined): boolean => isSuccessStatus(statusOf(probe));
/**
 * Whether a client that waits may get another answer; 403 with Retry-After says so only of a request that must be accepted. Another
 * 5xx decides nothing only where a refusal is required, before the request was sent again, and in a draft.
 */
export const isTransient = ({ what, response: { status, headers } }: Answered): boolean =>
  [407, 408, 421, 425, 429, 502, 503, 504].includes(status) ||
  (status >= 520 && status <= 530) ||
  (status === 403 &&
    (mustBeAccepted(what) || what.startsWith('the health check')) &&
    fieldNamed(headers, 'retry-after') !== undefined);
/** Refused for what the request is. */
export const isRefused = (probe: Probe | undefined): boolean =>
  isAnswered(probe) && /^[34]/.test(String(probe.response.status)) && !isTransient(probe);
export const isSuccessStatus = (status: number): boolean => status >= 200 && status <= 299;
export const isSuccess = ({ response }: Answered): boolean => isSuccessStatus(response.status);

/** Whether a token was issued, whatever the status; the field `token` holds it, or the run found it elsewhere. */
export const isIssued = ({ response: { tokenResponse } }: Answered): boolean =>
  tokenResponse?.issued === true || tokenResponse?.takenFrom !== undefined;

/** The order of an exchange in its run. */
export const numberOf = ({ id }: Exchange): number => Number(id.slice(1));

/** When these were sent, in UTC: `at 09:04:51 UTC`, or `from 09:04:51 to 09:05:10 UTC`. */
export function timesOf({ startedAt }: Pick<Evidence, 'startedAt'>, sent: readonly Exchange[]): string {
  const [first = '', ...more] = sent.map(({ sentAtMs }) =>
    new Date(Date.parse(startedAt) + sentAtMs).toISOString().slice(11, 19),
  );
  const last = more.at(-1) ?? first;
  return first === last ? `at ${first} UTC` : `from ${first} to ${last} UTC`;
}

/** The requests that took the place of others before this one, which ask the same. */
export const repeatsOf = (probe: Probe, { repeated }: Pick<Observed, 'repeated'>): Probe[] =>
  repeated.filter(({ what }) => what === probe.what);

/** `groups` with every exchange in them replaced, and each `entry` of a file in the place of one. */
export function mapExchanges<T>(groups: T, replace: (exchange: Exchange) => Exchange): T {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    if ('request' in value || 'entry' in value) return replace(value as Exchange);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member)]));
  };
  return visit(groups) as T;
}

/** `a form without client_id: 400 application/json`. */
export const inWords = (exchange: Answered): string => `${exchange.what}: ${answerInWords(exchange)}`;

/** The answer without what was asked. */
export const answerInWords = ({ response: { status, bodyBytes, mediaType } }: Answered): string =>
  `${status}, ${bodyBytes === 0 ? 'no body' : (mediaType ?? 'a body without a media type')}`;

/** What the body of an answer holds, without its values. */
export function bodyInWords({ json, mediaType, bodyBytes, tokenResponse }: Response): string {
  if (bodyBytes === 0) return 'no body';
  if (!json.wellFormed) return `${mediaType ?? 'no media type'}, ${bodyBytes} bytes`;
  const { type, fields = [] } = json;
  const names = fields.length > 0 ? ` (${fields.slice(0, 12).join(', ')})` : '';
  const what = type === 'array' && names ? 'array of objects' : type;
  return `${json.empty ? 'empty JSON' : 'JSON'} ${what}${names}${tokenResponse?.issued ? ' with a token' : ''}`;
}
