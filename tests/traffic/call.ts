/** A call of recorded traffic, as the judges of services and of clients read it. */

import { healthCheckAt, partsOf } from '../support/health-paths.ts';
import type { CredentialLeak } from '../support/secrets.ts';
import type { JsonAcceptance } from './accept.ts';
import type { Field, RecordedExchange } from './exchange.ts';

export type CallKind = 'token' | 'data' | 'health' | 'other';

/** Times are milliseconds on one axis. */
export interface RecordedCall {
  /** As it was recorded, with its path below the base URL. */
  recorded: RecordedExchange;
  kind: CallKind;
  startMs: number;
  endMs: number;
  /** Absent where no answer came. */
  status?: number;
  /** The id and the secret of the client in a token request. */
  clientId?: string;
  clientSecret?: string;
  /** The token that was sent, or that a token request brought. */
  token?: string;
  /** Of a token request: the fields of its form; absent where its body is not a form, or not in the file. */
  form?: readonly Field[];
  /** Whether it has an Authorization header, and whether that has the form of a bearer token, or was replaced. */
  authorization?: 'bearer' | 'other' | 'masked';
  /** What the Accept header says of JSON; absent without one. */
  accepts?: JsonAcceptance;
  /** A digest of the query; empty without one. */
  query: string;
  /** Whether it carries something else by which a service could know its client, such as a cookie. */
  isIdentified: boolean;
  /** Secrets and tokens where they must not be. */
  misplaced: readonly CredentialLeak[];
  /** Whether the recorder left headers of a token request or a read out. */
  lacksHeaders?: true;
  /** Whether the file does not show in which places of the request secrets were. */
  lacksPlaces: boolean;
  /** Whether the file has the whole body of the answer, and whether the recorder replaced values in it. */
  hasBody: boolean;
  isReplaced?: true;
  /** What the answer brought: a token with a success, JSON, and JSON that only speaks of an error. */
  brings: { token: boolean; json: boolean; error: boolean };
}

interface Addressed {
  method: string;
  path: string;
}

/** By its path below the base URL. `healthPaths`: as readHealthPaths returns them. */
export function kindOf({ method, path }: Addressed, healthPaths: readonly string[]): CallKind {
  if (method === 'POST' && path === '/token/') return 'token';
  if (method === 'GET' && path === '/ods_data/') return 'data';
  return healthCheckAt(healthPaths, method, path) === undefined ? 'other' : 'health';
}

/** The same while the base URL is not known: what it is for if its base path is the right one. */
export function possibleKindOf({ method, path }: Addressed, healthPaths: readonly string[]): CallKind {
  // Only what may be the end of the path is compared: a path may be long, and of slashes only.
  const ends = [
    '/token/',
    '/ods_data/',
    ...healthPaths.map((check) => partsOf(check)[1].split('?')[0] ?? ''),
  ];
  const kinds = ends
    .filter((end) => path.endsWith(end))
    .map((end) => kindOf({ method, path: end }, healthPaths));
  return kinds.find((kind) => kind !== 'other') ?? 'other';
}
