/** The requests that a run would send, from the rows of data that it would send them by. Nothing is sent. */

import { partsOf } from '../../support/health-paths.ts';
import { offersTokens, type Profile, pathOf } from '../profile.ts';
import { feedRows, lateRow, type ProbeRow, requests } from '../requests.ts';
import { expiryWay } from './expiry.ts';
import { defaultThrottle } from './http.ts';
import type { Target } from './target.ts';

interface Planned {
  method: string;
  path: string;
  what: string;
  /** Of a request that obtains a token. */
  valid?: boolean;
  wrongSecret?: boolean;
}

/** Lines in 80 columns: each request that a deployment without faults is sent, and their number. */
export function describePlan(target: Target, profile?: Profile): string {
  const dataPath = (profile && pathOf(profile, 'readData')) ?? '/ods_data/';
  const planned = offersTokens(profile)
    ? planFor(target, dataPath)
    : feedRows.map((row) => plannedFor(row, dataPath));
  const count = (isCounted: (one: Planned) => boolean | undefined) => planned.filter(isCounted).length;
  return [
    `${target.baseUrl}, client ${target.clientId}. Nothing was sent. A run would send:`,
    ...(target.gatewayHeaders ?? []).map(
      ({ name, variable }) => `with each request, the header ${name} from the variable ${variable}`,
    ),
    '',
    ...planned.map(({ method, path, what }) => `${method.padEnd(7)} ${path.padEnd(11)} ${what}`),
    '',
    `${planned.length} requests, ${count(({ valid }) => valid)} of them token requests with valid credentials, ${count(({ wrongSecret }) => wrongSecret)} with a wrong`,
    `secret for this client. A few more where an answer asks for it; ${defaultThrottle.budget} at the most.`,
  ].join('\n');
}

function planFor(target: Target, dataPath: string): Planned[] {
  const way = expiryWay(target, target.mockControlKey !== undefined);
  const isSent = (row: ProbeRow): boolean => {
    // Not those that wait for a certain answer, such as a refusal of valid credentials or a token of several parts.
    if ('post' in row) return !row.withHeader && !(row.wrongSecret && target.safe);
    if (row === lateRow) return 'asksLate' in way && way.asksLate;
    return !('by' in row && row.by === 'expired') || way.kind !== 'none';
  };
  return requests.flatMap((row) => [
    ...(row === lateRow ? target.healthPaths.flatMap(healthRequests) : []),
    ...(isSent(row) ? [plannedFor(row, dataPath)] : []),
  ]);
}

function plannedFor(row: ProbeRow, dataPath: string): Planned {
  const { what } = row;
  if ('post' in row) {
    const wrongSecret = row.wrongSecret !== undefined;
    return { method: 'POST', path: '/token/', what, valid: row.issues !== undefined, wrongSecret };
  }
  const { method = 'GET', path = () => dataPath } = row.aside ?? {};
  return { method, path: path(dataPath), what };
}

function healthRequests(check: string): Planned[] {
  const [method, path] = partsOf(check);
  return ['without a token', 'with the token'].map((how) => ({
    method,
    path,
    what: `the health check ${check} ${how}`,
  }));
}
