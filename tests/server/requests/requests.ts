/** The requests of a run as rows of data, in the order of a run. What they are sent for is in tests/requirements.yaml. */
import type { Evidence, Probe } from '../support/evidence.ts';
import { firstRefusals } from './first-refusals.ts';
import { unguessable } from './forged-token.ts';
import { refusedForms } from './refused-forms.ts';
import type { DataRow, OpenRow, ProbeKey, ProbeRow, RefusedBy, Row, TokenRow } from './row.ts';
import { unknownTokenRows } from './unknown-tokens.ts';

const dataPathItself = (dataPath: string) => dataPath;
const withoutSlash = (dataPath: string) => dataPath.replace(/\/$/, '');

/** The beginning of a run, which is repeated once where its token turns out to have expired. */
export const firstRows: readonly (TokenRow | DataRow)[] = [
  {
    key: 'token.valid',
    what: 'a form with valid credentials',
    meets: 'obtainToken valid-credentials',
    post: (form) => form,
    issues: 'first',
  },
  {
    key: 'token.withAuthorization',
    what: 'the same form with an Authorization header',
    post: (form) => form,
    withHeader: true,
  },
  {
    key: 'data.first',
    what: 'the data with the token',
    meets: 'readData valid-token',
    read: { token: 'first' },
  },
  {
    key: 'data.second',
    what: 'the data with the same token again',
    meets: 'readData valid-token',
    read: { token: 'first' },
  },
  {
    key: 'data.third',
    what: 'the data with the same token once more',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'first' },
  },
];

/** Before the token expires: only what provokes no defence of the deployment. */
export const earlyRows: readonly DataRow[] = [
  {
    key: 'data.withoutToken',
    what: 'the data without a token',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    read: { anonymous: true },
  },
  {
    key: 'data.withoutTokenAgain',
    what: 'the data without a token again',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    repeats: 'data.withoutToken',
    read: { anonymous: true },
  },
];

/** When they are sent, and with which token, is up to the way in which a token is seen to expire. */
export const expiryRows = {
  late: {
    key: 'data.late',
    what: 'the data with the token shortly before it expires',
    meets: 'readData valid-token',
    ifServed: true,
  },
  expired: {
    key: 'data.expiredToken',
    what: 'the data with the expired token',
    meets: 'readData expired-token',
    refusedBy: 'MRS-5.6a',
  },
} as const satisfies Record<string, Row & { ifServed?: true }>;

/** The form that renews a token. */
export const renewalForm: TokenRow = {
  key: 'token.again',
  what: 'the form with the same credentials again',
  meets: 'obtainToken valid-credentials',
  post: (form) => form,
  issues: 'renewed',
};

/** After that: a deployment may keep only the newest token alive. */
export const renewalRows: readonly (TokenRow | DataRow)[] = [
  renewalForm,
  {
    key: 'data.freshToken',
    what: 'the data with the new token',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'renewed' },
  },
  {
    key: 'data.freshTokenAgain',
    what: 'the data with the new token again',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'renewed' },
  },
  {
    key: 'data.expiredAgain',
    what: 'the data with the expired token again',
    refusedBy: 'MRS-5.6a',
    repeats: 'data.expiredToken',
    read: { token: 'expired' },
  },
];

/** Two more tokens, and the data with each of them at once. */
export const newTokenRows: readonly (TokenRow | DataRow)[] = [
  {
    key: 'token.another',
    what: 'the form with the same credentials once more',
    post: (form) => form,
    issues: 'another',
  },
  {
    key: 'data.newestToken',
    what: 'the data with the newest token',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'another' },
  },
  {
    key: 'open.tokenBefore',
    what: 'the data with the token before the newest',
    read: { token: 'renewed' },
  },
  {
    key: 'token.last',
    what: 'the form with the same credentials a fourth time',
    post: (form) => form,
    issues: 'newest',
  },
  {
    key: 'data.lastToken',
    what: 'the data with the fourth token',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'newest' },
  },
];

/** The refusals again, and the data once more, which shows that the deployment has not banned the client meanwhile. */
export const laterRows: readonly (TokenRow | DataRow)[] = [
  {
    key: 'data.expiredLater',
    what: 'the data with the expired token, later',
    refusedBy: 'MRS-5.6a',
    repeats: 'data.expiredToken',
    read: { token: 'expired' },
  },
  {
    key: 'data.unknownTokenLater',
    what: 'the data with one more token that was never issued',
    meets: 'readData unknown-token',
    refusedBy: 'MRS-5.5a',
    repeats: 'data.unknownToken',
    read: { bearer: unguessable },
  },
  {
    key: 'data.withoutTokenLast',
    what: 'the data without a token, at the end',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    repeats: 'data.withoutToken',
    read: { anonymous: true },
  },
  {
    key: 'data.withoutTokenAfterwards',
    what: 'the data without a token, once more at the end',
    meets: 'readData missing-token',
    refusedBy: 'MRS-1.3',
    repeats: 'data.withoutToken',
    read: { anonymous: true },
  },
  {
    key: 'data.expiredLast',
    what: 'the data with the expired token, at the end',
    refusedBy: 'MRS-5.6a',
    repeats: 'data.expiredToken',
    read: { token: 'expired' },
  },
  {
    key: 'data.control',
    what: 'the data with the newest token, at the end',
    meets: 'readData valid-token',
    ifServed: true,
    read: { live: true },
  },
];

/**
 * At the very end, since no clause says what a deployment does there, and some hang. No verdict depends on it, but for one
 * point: the data is not given without a token anywhere.
 */
export const openRows: readonly OpenRow[] = [
  {
    key: 'data.withoutTokenByQuery',
    what: 'the data without a token, with a query',
    refusedBy: 'MRS-1.3',
    method: 'GET',
    path: (dataPath) => `${dataPath}?format=json`,
    withoutToken: true,
  },
  {
    key: 'data.withoutTokenOrSlash',
    what: 'the data without a token, at its path without the slash',
    refusedBy: 'MRS-1.3',
    method: 'GET',
    path: withoutSlash,
    withoutToken: true,
  },
  { key: 'open.head', what: 'the data by HEAD', method: 'HEAD', path: dataPathItself },
  { key: 'open.options', what: 'the data by OPTIONS', method: 'OPTIONS', path: dataPathItself },
  {
    key: 'open.withoutSlash',
    what: 'the data without the slash at the end of its path',
    method: 'GET',
    path: withoutSlash,
  },
];

/** All requests of a run at a deployment that offers no tokens: everyone may read its data. */
export const feedRows: readonly (DataRow | OpenRow)[] = [
  { key: 'data.first', what: 'the data', read: { anonymous: true } },
  { key: 'data.second', what: 'the data again', read: { anonymous: true } },
  { key: 'open.head', what: 'the data by HEAD', method: 'HEAD', path: dataPathItself },
  { key: 'open.options', what: 'the data by OPTIONS', method: 'OPTIONS', path: dataPathItself },
];

/** What follows the renewal of a run. */
export const rowsAfterRenewal: readonly ProbeRow[] = [
  ...newTokenRows,
  ...firstRefusals,
  ...unknownTokenRows,
  ...laterRows,
  ...refusedForms,
  ...openRows,
];

/** The expired token, by itself: the one of the run that has expired. */
export const expiredRow: DataRow = { ...expiryRows.expired, read: { token: 'expired' } };

const all: readonly (Row & { ifServed?: true })[] = [
  ...firstRows,
  ...earlyRows,
  expiryRows.late,
  expiryRows.expired,
  ...renewalRows,
  ...rowsAfterRenewal,
];

/** The key of each row, in the order of a run. */
export const probeKeys: readonly ProbeKey[] = all.map(({ key }) => key);

/** The rows that meet a condition, in the order of a run. */
export const rowsMeeting = (operation: string, when: string): readonly (Row & { ifServed?: true })[] =>
  all.filter(({ meets }) => meets === `${operation} ${when}`);

/** Requests that ask the same, and what the evidence has of them. */
export interface Kind {
  probes: readonly Probe[];
  /** Set where the contract does not have such a request: a deployment may be unable to answer it. */
  isAside?: boolean;
}

/** What the evidence has of the requests that must be refused by a requirement, by their kinds. */
export function refusedKinds(
  evidence: Pick<Evidence, 'token' | 'data' | 'open'>,
  requirement: RefusedBy,
): Kind[] {
  const rows = all.filter(({ refusedBy }) => refusedBy === requirement);
  return rows
    .filter(({ repeats }) => repeats === undefined)
    .map((row) => ({
      probes: rows
        .filter(({ key, repeats }) => row.key === (repeats ?? key))
        .map(({ key }) => probeAt(evidence, key)),
      isAside: 'path' in row,
    }));
}

/** What the evidence has of a row. */
export function probeAt(evidence: Pick<Evidence, 'token' | 'data' | 'open'>, key: ProbeKey): Probe {
  const [group, name] = key.split('.') as ['token' | 'data' | 'open', string];
  return (evidence[group] as unknown as Record<string, Probe>)[name] as Probe;
}

/** A probe for each request of a run. */
export function groupsOf(probeAt: (key: ProbeKey) => Probe): Pick<Evidence, 'token' | 'data' | 'open'> {
  const groups: Record<string, Record<string, Probe>> = { token: {}, data: {}, open: {} };
  for (const key of probeKeys) {
    const [group = '', name = ''] = key.split('.');
    const members = groups[group];
    if (members) members[name] = probeAt(key);
  }
  return groups as unknown as Pick<Evidence, 'token' | 'data' | 'open'>;
}
