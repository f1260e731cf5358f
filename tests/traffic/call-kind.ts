/** What a call of recorded traffic is for. */
import { healthCheckAt, partsOf } from '../support/health-paths.ts';

export type CallKind = 'token' | 'data' | 'health' | 'other';

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
