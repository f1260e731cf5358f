/** The mock in process: `await using mock = await startMock()`. */
import { assemble, assembleState } from './assemble.ts';
import { loadContract } from './contract/contract.ts';
import type {
  Action,
  Duration,
  Entry,
  Expectation,
  Filter,
  Step,
  Verified,
} from './contract/control-types.ts';
import { MockError } from './contract/mock-error.ts';
import type { Assumption, Operation } from './contract/operation.ts';
import { loadProfile } from './contract/profile.ts';
import type { ClientExaminer, ObservedClient } from './control/client-examiner.ts';
import { findOverrides } from './deployments/find-deployment.ts';
import { type ClientHandle, type ClockHandle, createHandles, type Handles } from './handles.ts';
import type { Call, Life, Traffic } from './journal/traffic.ts';
import { close, listen } from './listen.ts';
import type { MockOptions } from './mock-options.ts';
import { readOptions } from './options.ts';
import { createMockServer } from './pipeline/server.ts';
import { withAssumedRecords } from './records/assumed-records.ts';
import { replicaHandles } from './replica-handles.ts';
import type { MockClient } from './state/clients.ts';

export type {
  Action,
  Assumption,
  Call,
  ClientExaminer,
  ClientHandle,
  ClockHandle,
  Duration,
  Entry,
  Expectation,
  Filter,
  Life,
  MockClient,
  MockOptions,
  ObservedClient,
  Operation,
  Step,
  Traffic,
  Verified,
};
export { MockError };

/** A mock that listens. */
export interface Mock extends Handles, AsyncDisposable {
  /** Base URL, with the base path and without a trailing slash. */
  readonly url: string;
  /** Name of the profile; `specification` if nothing is declared. */
  readonly profile: string;
  /** The operations of the contract. */
  readonly operations: readonly Operation[];
  /** Paths of the health checks, which the specification leaves open; without the base path. */
  readonly healthPaths: readonly string[];
  /** The choices that the mock makes where the specification is open. */
  readonly assumptions: readonly Assumption[];
  /** Key of the control API; undefined if it is disabled. */
  readonly controlKey: string | undefined;
  /** Stops listening and closes every connection. May be called again. */
  close(): Promise<void>;
}

/** Starts a mock. Throws MockError for invalid options and for an address that it cannot listen on. */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const settings = readOptions(options);
  const overrides = await findOverrides(options);
  const contract = await withAssumedRecords(
    loadContract(await loadProfile(settings.profile)),
    settings.records,
  );
  const state = assembleState(settings, contract);
  const parts = await assemble(settings, contract, state, overrides);
  const server = createMockServer(parts);
  const origin = await listen(server, settings.port, settings.host);
  const handles = createHandles(state);
  return Object.assign(state.isReplica ? replicaHandles(handles) : handles, {
    url: origin + parts.basePath,
    profile: contract.profile,
    operations: contract.operations,
    healthPaths: parts.contract.operations.filter(({ id }) => id === 'checkHealth').map(({ path }) => path),
    assumptions: contract.assumptions,
    controlKey: settings.controlKey,
    close: () => close(server),
    [Symbol.asyncDispose]: () => close(server),
  });
}
