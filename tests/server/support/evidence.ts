/** What a run saw of a deployment, with every secret taken out: all that the verdicts are given on. */

import type { FeedVerdict } from '../../feed/findings.ts';
import { groupBy } from '../../support/collections.ts';
import type { Shape } from '../probe/body-shape.ts';
import { kindOf, type ProbeKey, requests, requestsMeeting } from '../requests.ts';
import type { Mismatch } from './contract.ts';

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
  /** Set where the deployment ended the connection instead of an answer. */
  hangsUp?: true;
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
  /** Of JSON: what types and members it has. Not of an answer that issues a token. */
  shape?: Shape | undefined;
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
  values?: { found: number; of: number };
  /** Where a profile documents answers of this status: in which ways this one is another, by their conditions. */
  declared?: { mismatches: Record<string, Mismatch[]> };
  /** Of data, under a profile that declares records. */
  feed?: FeedVerdict;
}

/** A body read as JSON (RFC 8259). */
export type Json =
  | { wellFormed: false; error: string; refused?: true }
  | {
      wellFormed: true;
      type: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
      /** The names of an object's members; of an array, those of its first item. */
      fields?: string[];
      /** Those of them that have a value: anything but null, false, an empty text, list or object. */
      filled?: string[];
      /** Whether there is nothing in it. */
      empty: boolean;
      /** Digests of the first of its records: the objects and lists in its lists, that are not empty. */
      records?: string[];
      /** How many of them, the last ones, stand in lists that describe an answer, such as its links. */
      beside?: number;
      /** Set where nothing in it is data: constants around an empty list, an empty object or null. */
      vacant?: true;
      /** The names of the members of its first record. */
      recordFields?: string[];
      /** Set where its first record has no figure, as in an example of a document. */
      blankRecord?: true;
      /** Of an object: set where each member is a record, or each of several a list of them. */
      keyed?: true;
    };

/** A request that was planned and not sent, with the reason as a sentence. */
export interface NotSent {
  what: string;
  notSent: string;
  /** Set where this deployment gives no occasion for the request, so that nothing is missing without it. */
  isOptional?: true;
}

export type Probe = Exchange | NotSent;

/** The names of the requests whose answers are in one group of the evidence. */
type NameIn<Group extends string, Key = ProbeKey> = Key extends `${Group}.${infer Name}` ? Name : never;

/** The requests of a run at the token endpoint. */
export type TokenProbes = Record<NameIn<'token'>, Probe>;

/** The requests of a run at the data endpoint. */
type DataProbes = Record<NameIn<'data'>, Probe>;

/** The requests at one health check: without a token, and with one if there is one. */
export interface HealthProbes {
  plain: Probe;
  withToken?: Probe;
}

/** Requests that no clause binds: their answers are observed. Only `tokenBefore` has a say, in what MRS-7a can expect. */
interface OpenProbes extends Record<NameIn<'open'>, Probe> {
  /** The data with what was in the place of a token in an answer that refused: it may not be one. */
  refusedTokens: Probe[];
  /**
   * Requests that were sent again: the beginning, since its token had expired early, those that had no decision, a token on its
   * way to expiry, and a valid one that was refused at the end. Also forms for a live token in the place of one that has
   * grown old, and reads that show whether the deployment is well.
   */
  repeated: Probe[];
}

/** How it is known that `expiredToken` has expired. */
export type ExpiryEvidence =
  | { kind: 'clock'; lifetimeSeconds: number; late?: LateExpiry }
  | { kind: 'waited'; lifetimeSeconds: number; ageSeconds: number; late?: LateExpiry }
  | { kind: 'asserted' }
  | { kind: 'none' };

/** A token that was accepted after its stated lifetime, and refused later: its ages, in seconds since it was obtained. */
interface LateExpiry {
  acceptedSeconds: number;
  refusedSeconds: number;
}

/** What the requests of a run brought. */
export interface Observed {
  token: TokenProbes;
  data: DataProbes;
  health: HealthProbes[];
  open: OpenProbes;
  /** Whether `another` brought the same token as `again`; absent where either brought none. */
  tokenRepeats?: boolean;
  /** Whether `again` brought the token that had expired. */
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
    /** Of a gateway; each value was in the variable. */
    headers?: { name: string; variable: string }[];
    /** Where the user chose it; otherwise the suite named itself. */
    userAgent?: string;
    /** Whether the run trusted certificate authorities of its own (MRS_CA). */
    hasOwnAuthorities?: true;
    /** Whether it is the mock of this package, and no deployment. */
    bundledMock?: true;
  };
  /** Absent where the run verified them. */
  certificatesVerified?: false;
  startedAt: string;
  durationMs: number;
  requests: number;
}

type Groups = Pick<Evidence, 'token' | 'data' | 'open'>;

/** What the evidence has of a request. */
export function probeAt(evidence: Groups, key: ProbeKey): Probe {
  const [group, name] = key.split('.') as ['token' | 'data' | 'open', string];
  return (evidence[group] as unknown as Record<string, Probe>)[name] as Probe;
}

/** A probe for each request of a run. */
export function groupsOf(
  probeOf: (key: ProbeKey) => Probe,
  others: Pick<OpenProbes, 'refusedTokens' | 'repeated'> = { refusedTokens: [], repeated: [] },
): Groups {
  const groups: Record<string, Record<string, unknown>> = { token: {}, data: {}, open: { ...others } };
  for (const { key } of requests) {
    const [group = '', name = ''] = key.split('.');
    Object.assign(groups[group] ?? {}, { [name]: probeOf(key) });
  }
  return groups as unknown as Groups;
}

/** The requests of a run that meet a condition of the contract, an `x-response-when` of the operation. */
export const probesMeeting = (evidence: Groups, operation: string, when: string): Probe[] =>
  requestsMeeting(operation, when)
    .filter(({ key, ifServed }) => !ifServed || isServed(probeAt(evidence, key)))
    .map(({ key }) => probeAt(evidence, key));

/** Requests that ask the same, and what the evidence has of them. */
export interface Kind {
  probes: readonly Probe[];
  /** Set where the contract does not have such a request: a deployment may be unable to answer it. */
  isAside?: boolean;
}

/** The requests that must be refused by a requirement, by their kinds. */
export function refusedKinds(evidence: Groups, requirement: string): Kind[] {
  const rows = requests.filter(({ refusedBy }) => refusedBy === requirement);
  return [...groupBy(rows, kindOf).values()].map((same) => ({
    probes: same.map(({ key }) => probeAt(evidence, key)),
    isAside: same.some((row) => 'aside' in row),
  }));
}

/** Every exchange that took place, in order. */
export function exchanges(evidence: Evidence): Exchange[] {
  const { token, data, health, open } = evidence;
  const known = sorted.get(evidence);
  if (known) return known;
  const groups = [token, data, open, ...health];
  const probes = groups.flatMap((group): Probe[] => Object.values(group).flat());
  const all = probes.filter((probe) => 'id' in probe).sort((a, b) => numberOf(a) - numberOf(b));
  sorted.set(evidence, all);
  return all;
}

/** Evidence is not changed once it is there, and every requirement asks for its exchanges. */
const sorted = new WeakMap<Evidence, Exchange[]>();

export const isAnswered = (probe: Probe): probe is Answered => 'id' in probe && probe.response !== undefined;

export const notSent = (what: string, reason: string): NotSent => ({ what, notSent: reason });

const statusOf = (probe: Probe) => ('id' in probe ? probe.response?.status : undefined);
export const hasStatus = (probe: Probe, status: number): boolean => statusOf(probe) === status;
export const isServed = (probe: Probe): boolean => isSuccessStatus(statusOf(probe) ?? 0);
/** Refused for what the request is. After 408 and 429 a client that waits may get another answer. */
export const isRefused = (probe: Probe): boolean => /^(3|4(?!08|29))/.test(String(statusOf(probe)));

export const isSuccessStatus = (status: number): boolean => status >= 200 && status <= 299;

export const isSuccess = ({ response }: Answered): boolean => isSuccessStatus(response.status);

/** Whether a token was issued, whatever the status; the field `token` holds it, or the run found it elsewhere. */
export const isIssued = ({ response: { tokenResponse } }: Answered): boolean =>
  tokenResponse?.issued === true || tokenResponse?.takenFrom !== undefined;

/** The order of an exchange in its run. */
export const numberOf = ({ id }: Exchange): number => Number(id.slice(1));

/** The requests that took the place of others before this one, which ask the same. */
export const repeatsOf = (probe: Probe, { open }: Pick<Observed, 'open'>): Probe[] =>
  open.repeated.filter(({ what }) => what === probe.what);

/** `groups` with every exchange in them replaced. */
export function mapExchanges<T>(groups: T, replace: (exchange: Exchange) => Exchange): T {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    if ('request' in value) return replace(value as Exchange);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, visit(member)]));
  };
  return visit(groups) as T;
}

/** `a form without client_id: 400 application/json`. */
export const inWords = (exchange: Answered): string => `${exchange.what}: ${answerInWords(exchange)}`;

/** The answer without what was asked. */
export function answerInWords({ response: { status, bodyBytes, mediaType } }: Answered): string {
  return `${status}, ${bodyBytes === 0 ? 'no body' : (mediaType ?? 'a body without a media type')}`;
}
