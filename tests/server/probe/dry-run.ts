/** The requests that a run would send, from the rows of data that it would send them by. Nothing is sent. */
import { partsOf } from '../../support/options.ts';
import { offersTokens, type Profile, pathOf } from '../profile.ts';
import { earlyRows, feedRows, firstRows, type ProbeRow, requests } from '../requests.ts';
import { expiryWay } from './expiry.ts';
import { defaultThrottle } from './http.ts';
import type { Target } from './target.ts';

/** Lines in 80 columns: each request that a deployment without faults is sent, and their number. */
export function describePlan(target: Target, profile?: Profile): string {
  const { baseUrl, clientId, healthPaths, gatewayHeaders = [], mockControlKey, safe } = target;
  const way = expiryWay(target, mockControlKey !== undefined);
  /** Not those that wait for a certain answer, such as a refusal of valid credentials or a token of several parts. */
  const isSent = (row: (typeof requests)[number]): boolean => {
    if ('post' in row) return !row.withHeader && !(row.wrongSecret && safe);
    if (row.key === 'data.late') return 'asksLate' in way && way.asksLate;
    return row.by !== 'expired' || way.kind !== 'none';
  };
  const rows: readonly ProbeRow[] = offersTokens(profile) ? requests.filter(isSent) : feedRows;
  const dataPath = (profile && pathOf(profile, 'readData')) ?? '/ods_data/';
  const line = (method: string, path: string, what: string) =>
    `${method.padEnd(7)} ${path.padEnd(11)} ${what}`;
  const lines = rows.map((row) => {
    if ('post' in row) return line('POST', '/token/', row.what);
    const { method = 'GET', path = () => dataPath } = row.aside ?? {};
    return line(method, path(dataPath), row.what);
  });
  const health = healthPaths.flatMap((check) =>
    ['without a token', 'with the token'].map((how) =>
      line(...partsOf(check), `the health check ${check} ${how}`),
    ),
  );
  const before = [...firstRows, ...earlyRows].filter(isSent).length;
  if (offersTokens(profile)) lines.splice(before, 0, ...health);
  const count = (isCounted: (row: ProbeRow) => boolean) => rows.filter(isCounted).length;
  return [
    `${baseUrl}, client ${clientId}. Nothing was sent. A run would send:`,
    ...gatewayHeaders.map(
      ({ name, variable }) => `with each request, the header ${name} from the variable ${variable}`,
    ),
    '',
    ...lines,
    '',
    `${lines.length} requests, ${count((row) => 'issues' in row)} of them token requests with valid credentials, ${count((row) => 'wrongSecret' in row)} with a wrong`,
    `secret for this client. A few more where an answer asks for it; ${defaultThrottle.budget} at the most.`,
  ].join('\n');
}
