/** The types of the control API: generated from control.openapi.yaml, under shorter names. */
import type { components } from 'mrs-contract/control';

type Schemas = components['schemas'];

export type Action = Schemas['Action'];
export type ClientTerms = Schemas['ClientTerms'];
export type ClientView = Schemas['Client'];
export type ClockChange = Schemas['Move'];
export type ClockView = Schemas['Clock'];
export type Delay = Schemas['Delay'];
export type Duration = Schemas['Duration'];
export type Entry = Schemas['Entry'];
export type Expectation = Schemas['Expectation'];
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
