/** The requests of a run as rows of data. What they are sent for is in tests/requirements.yaml. */
import type { DataProbes, Evidence, OpenProbes, Probe, TokenProbes } from '../support/evidence.ts';
import type { TokenForm } from './api.ts';
import { unguessable } from './forged-token.ts';

/** Where the evidence has the answer. */
export type ProbeKey =
  | `token.${keyof TokenProbes}`
  | `data.${keyof DataProbes}`
  | `open.${Exclude<keyof OpenProbes, 'refusedTokens'>}`;

/** A token that a run obtains or makes, by the name that rows know it by. */
export type TokenName = 'first' | 'altered' | 'altered claims' | 'expired' | 'renewed' | 'another';

/** The form that obtains a token. */
export interface ValidForm extends Record<string, string> {
  grant_type: string;
  client_id: string;
  client_secret: string;
}

interface Row {
  key: ProbeKey;
  /** What the request is, as a noun phrase. */
  what: string;
  /** The condition of the contract that it meets: an operation and its `x-response-when`. */
  meets?: string;
}

/** A request to the token endpoint. */
export interface TokenRow extends Row {
  post(valid: ValidForm): TokenForm;
  /** Keeps the token of the answer under this name. */
  issues?: TokenName;
  /** With the credentials in an Authorization header too (RFC 7617); sent only where the form by itself is refused. */
  withHeader?: true;
  /** Posts a wrong secret for the real client; --safe leaves it out, since some deployments lock a client for it. */
  wrongSecret?: true;
}

/** A request to the data endpoint: with a token of the run, which it needs, or with made-up credentials, or none. */
export interface DataRow extends Row {
  read: { token: TokenName } | { bearer(): string } | { basic(): string } | { anonymous: true };
  /** Meets its condition only if it was served: the token may have ended before. */
  ifServed?: true;
}

/** A request that no clause binds, with the renewed token where there is one. */
export interface OpenRow extends Row {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  path(dataPath: string): string;
}

export type ProbeRow = TokenRow | DataRow | OpenRow;

const same = (form: ValidForm): TokenForm => form;
const without =
  (field: keyof TokenForm) =>
  (form: ValidForm): TokenForm =>
    Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));
/** Differs only in its last character, so that a deployment that compares only a part of it is found out. */
const almost = (secret: string) => secret.slice(0, -1) + (secret.endsWith('x') ? 'y' : 'x');
const dataPathItself = (dataPath: string) => dataPath;

/** Before a token expires. */
export const firstProbes: readonly (TokenRow | DataRow)[] = [
  {
    key: 'token.valid',
    what: 'a form with valid credentials',
    meets: 'obtainToken valid-credentials',
    post: same,
    issues: 'first',
  },
  {
    key: 'token.withAuthorization',
    what: 'the same form with an Authorization header',
    post: same,
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
  {
    key: 'data.withoutToken',
    what: 'the data without a token',
    meets: 'readData missing-token',
    read: { anonymous: true },
  },
  {
    key: 'data.malformedToken',
    what: 'the data with a bearer header without a token',
    meets: 'readData malformed-token',
    read: { bearer: () => '' },
  },
  {
    key: 'data.otherScheme',
    what: 'the data with random Basic credentials',
    read: { basic: unguessable },
  },
  {
    key: 'data.unknownToken',
    what: 'the data with a token that was never issued',
    meets: 'readData unknown-token',
    read: { bearer: unguessable },
  },
  {
    key: 'data.alteredToken',
    what: 'the data with the token, one character altered',
    read: { token: 'altered' },
  },
  {
    key: 'data.alteredClaims',
    what: 'the data with the token, one character of its claims altered',
    read: { token: 'altered claims' },
  },
];

/** When they are sent, and with which token, is up to the way in which a token is seen to expire. */
export const expiryProbes = {
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
  },
} as const satisfies Record<string, Row & { ifServed?: true }>;

/** After that: a deployment may keep only the newest token alive. */
export const renewalProbes: readonly (TokenRow | DataRow)[] = [
  {
    key: 'token.again',
    what: 'the form with the same credentials again',
    meets: 'obtainToken valid-credentials',
    post: same,
    issues: 'renewed',
  },
  {
    key: 'data.freshToken',
    what: 'the data with the new token',
    meets: 'readData valid-token',
    ifServed: true,
    read: { token: 'renewed' },
  },
  {
    key: 'data.expiredAgain',
    what: 'the data with the expired token again',
    read: { token: 'expired' },
  },
];

/** Late, since a deployment is free to end a token for any of them. */
export const openProbes: readonly ProbeRow[] = [
  { key: 'open.head', what: 'the data by HEAD', method: 'HEAD', path: dataPathItself },
  { key: 'open.options', what: 'the data by OPTIONS', method: 'OPTIONS', path: dataPathItself },
  {
    key: 'open.withoutSlash',
    what: 'the data without the slash at the end of its path',
    method: 'GET',
    path: (dataPath) => dataPath.replace(/\/$/, ''),
  },
  {
    key: 'open.another',
    what: 'the form with the same credentials once more',
    post: same,
    issues: 'another',
  },
  {
    key: 'open.tokenBefore',
    what: 'the data with the token before that',
    read: { token: 'renewed' },
  },
];

/** Forms that must not obtain a token. Last of all, since a deployment may lock a client for them. */
export const refusedForms: readonly TokenRow[] = [
  {
    key: 'token.withoutGrantType',
    what: 'a form without grant_type',
    meets: 'obtainToken malformed-request',
    post: without('grant_type'),
  },
  {
    key: 'token.otherGrantType',
    what: 'a form with another grant_type',
    meets: 'obtainToken other-grant-type',
    post: (form) => ({ ...form, grant_type: unguessable() }),
  },
  {
    key: 'token.withoutClientId',
    what: 'a form without client_id',
    meets: 'obtainToken malformed-request',
    post: without('client_id'),
  },
  {
    key: 'token.unknownClientId',
    what: 'a form with an unknown client_id',
    meets: 'obtainToken wrong-credentials',
    post: (form) => ({ ...form, client_id: unguessable() }),
  },
  {
    key: 'token.withoutClientSecret',
    what: 'a form without client_secret',
    meets: 'obtainToken malformed-request',
    post: without('client_secret'),
  },
  {
    key: 'token.emptyClientSecret',
    what: 'a form with an empty client_secret',
    post: (form) => ({ ...form, client_secret: '' }),
    wrongSecret: true,
  },
  {
    key: 'token.wrongClientSecret',
    what: 'a form with a wrong client_secret',
    meets: 'obtainToken wrong-credentials',
    post: (form) => ({ ...form, client_secret: almost(form.client_secret) }),
    wrongSecret: true,
  },
];

/** All requests of a run at a deployment that offers no tokens: everyone may read its data. */
export const openFeedProbes: readonly (DataRow | OpenRow)[] = [
  { key: 'data.first', what: 'the data', read: { anonymous: true } },
  { key: 'data.second', what: 'the data again', read: { anonymous: true } },
  { key: 'open.head', what: 'the data by HEAD', method: 'HEAD', path: dataPathItself },
  { key: 'open.options', what: 'the data by OPTIONS', method: 'OPTIONS', path: dataPathItself },
];

const all: readonly (Row & { ifServed?: true })[] = [
  ...firstProbes,
  expiryProbes.late,
  expiryProbes.expired,
  ...renewalProbes,
  ...openProbes,
  ...refusedForms,
];

/** The key of each row, in the order of a run. */
export const probeKeys: readonly ProbeKey[] = all.map(({ key }) => key);

/** The rows that meet a condition, in the order of a run. */
export const rowsMeeting = (operation: string, when: string): readonly (Row & { ifServed?: true })[] =>
  all.filter(({ meets }) => meets === `${operation} ${when}`);

/** What the evidence has of a row. */
export function probeAt(evidence: Pick<Evidence, 'token' | 'data' | 'open'>, key: ProbeKey): Probe {
  const [group, name] = key.split('.') as ['token' | 'data' | 'open', string];
  return (evidence[group] as unknown as Record<string, Probe>)[name] as Probe;
}
