/** The requests that a run would send, from the rows of data that it would send them by. Nothing is sent. */

import { partsOf } from '../../support/health-paths.ts';
import {
  earlyRows,
  expiredRow,
  feedRows,
  firstRows,
  lateRow,
  type ProbeRow,
  renewalRows,
  rowsAfterRenewal,
} from '../requests.ts';
import { offersTokens, type Profile, pathOf } from '../support/declared.ts';
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
  const planned = offersTokens(profile)
    ? planFor(target, profile)
    : feedRows.map((row) => plannedFor(row, dataPathOf(profile)));
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

const dataPathOf = (profile: Profile | undefined) => (profile && pathOf(profile, 'readData')) ?? '/ods_data/';

function planFor(target: Target, profile: Profile | undefined): Planned[] {
  const dataPath = dataPathOf(profile);
  const way = expiryWay(target, target.mockControlKey !== undefined);
  const asksLate = 'asksLate' in way && way.asksLate;
  const read = ({ what }: { what: string }): Planned => ({ method: 'GET', path: dataPath, what });
  const sent = (rows: readonly ProbeRow[]) =>
    rows.filter((row) => isSent(row, target, way.kind !== 'none')).map((row) => plannedFor(row, dataPath));
  return [
    ...sent(firstRows),
    ...sent(earlyRows),
    ...target.healthPaths.flatMap(healthRequests),
    ...(asksLate ? [read(lateRow)] : []),
    ...(way.kind === 'none' ? [] : [read(expiredRow)]),
    ...sent(renewalRows),
    ...sent(rowsAfterRenewal),
  ];
}

/** Not those that wait for a certain answer, such as a refusal of valid credentials or a token of several parts. */
function isSent(row: ProbeRow, { safe }: Target, hasExpired: boolean): boolean {
  if ('post' in row) return !row.withHeader && !(row.wrongSecret && safe);
  return !('by' in row && row.by === 'expired') || hasExpired;
}

function plannedFor(row: ProbeRow, dataPath: string): Planned {
  const { what } = row;
  if ('post' in row) {
    const wrongSecret = row.wrongSecret !== undefined;
    return { method: 'POST', path: '/token/', what, valid: row.issues !== undefined, wrongSecret };
  }
  if ('path' in row) return { method: row.method, path: row.path(dataPath), what };
  return { method: 'GET', path: dataPath, what };
}

function healthRequests(check: string): Planned[] {
  const [method, path] = partsOf(check);
  return ['without a token', 'with the token'].map((how) => ({
    method,
    path,
    what: `the health check ${check} ${how}`,
  }));
}
