/** A request of a run as a row of data. */
import type { TokenRequest } from '../support/contract.ts';
import type { DataProbes, OpenProbes, TokenProbes } from '../support/evidence.ts';

/** A form for the token endpoint; a field can be left out or hold what the contract does not allow. */
export type TokenForm = { [Field in keyof TokenRequest]?: string };

/** Where the evidence has the answer. */
export type ProbeKey =
  | `token.${keyof TokenProbes}`
  | `data.${keyof DataProbes}`
  | `open.${Exclude<keyof OpenProbes, 'refusedTokens' | 'repeated'>}`;

/** A token that a run obtains, by the name that rows know it by. */
export type TokenName = 'first' | 'expired' | 'renewed' | 'another' | 'newest';

/** The form that obtains a token. */
export interface ValidForm extends Record<string, string> {
  grant_type: string;
  client_id: string;
  client_secret: string;
}

export interface Row {
  key: ProbeKey;
  /** What the request is, as a noun phrase. */
  what: string;
  /** The condition of the contract that it meets: an operation and its `x-response-when`. */
  meets?: string;
  /** The requirement by which it must be refused. */
  refusedBy?: RefusedBy;
  /** The row that sends the same request: a decision on one of them is enough. */
  repeats?: ProbeKey;
}

/** The requirements that a deployment meets by refusing. */
export type RefusedBy =
  | `MRS-4.1${'e' | 'f' | 'g' | 'h' | 'i' | 'j'}`
  | 'MRS-1.3'
  | `MRS-5.5${'a' | 'b'}`
  | 'MRS-5.6a';

/** A request to the token endpoint. */
export interface TokenRow extends Row {
  /** Undefined where the credentials give no occasion for it. */
  post(valid: ValidForm): TokenForm | undefined;
  /** Keeps the token of the answer under this name. */
  issues?: TokenName;
  /** With the credentials in an Authorization header too (RFC 7617); sent only where the form by itself is refused. */
  withHeader?: true;
  /**
   * What reports call the wrong secret that is posted for the real client; --safe leaves it out, since some deployments
   * lock a client for it.
   */
  wrongSecret?: string;
}

/** A request to the data endpoint: with a token of the run, which it needs, or with made-up credentials, or none. */
export interface DataRow extends Row {
  read:
    | { token: TokenName }
    /** With the newest token, replaced first where it has grown old. */
    | { live: true }
    | { forged(token: string): string | undefined; alias: string }
    | { bearer(): string }
    | { basic(): string }
    | { credentials: true }
    | { anonymous: true };
  /** Meets its condition only if it was served: the token may have ended before. */
  ifServed?: true;
}

/** A request by another way than the contract has, with the newest token where there is one, or without. */
export interface OpenRow extends Row {
  withoutToken?: true;
  method: 'GET' | 'HEAD' | 'OPTIONS';
  path(dataPath: string): string;
}

export type ProbeRow = TokenRow | DataRow | OpenRow;
