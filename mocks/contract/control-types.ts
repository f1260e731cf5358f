/** The types of the control API: generated from control.openapi.yaml, under shorter names. */
import type { components } from 'mrs-contract/control';
import type { OperationId, UploadId } from './answers.ts';

type Schemas = components['schemas'];

/** JSON Schema has no type for "begins with upload": the generated type is any string. */
type WithOperation<Schema extends { readonly operation?: string }> = Omit<Schema, 'operation'> & {
  readonly operation?: OperationId | UploadId;
};

export type Action = Schemas['Action'];
export type ClientTerms = Schemas['ClientTerms'];
export type ClientView = Schemas['Client'];
export type ClockChange = Schemas['Move'];
export type ClockView = Schemas['Clock'];
export type Delay = Schemas['Delay'];
export type Duration = Schemas['Duration'];
export type Entry = WithOperation<Schemas['Entry']>;
export type Expectation = WithOperation<Schemas['Expectation']>;
export type ExpireRequest = Schemas['ExpireRequest'];
export type ScriptedAnswer = Schemas['ScriptedAnswer'];
export type ScriptedOperation = NonNullable<Step['on']>;
export type Step = Schemas['Step'];
export type TokenStatus = Schemas['Standing'];
export type TokenView = NonNullable<Entry['token']>;
export type Verified = Schemas['Verified'];

/** Selects exchanges of the journal. */
export interface Filter extends Omit<Expectation, 'reason' | 'atLeast' | 'atMost'> {
  /** As in an entry of the journal. */
  readonly reason?: string;
  /** Only the latest exchanges, at most this number. */
  readonly limit?: number;
}
