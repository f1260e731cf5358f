/** The mock in process: `await using mock = await startMock()`. */
import { randomBytes } from 'node:crypto';
import type { Handles, MockOptions } from './api.ts';
import { createClock } from './clock.ts';
import { type Contract, loadContract } from './contract/contract.ts';
import type { Assumption, Operation } from './contract/document.ts';
import { MockError } from './contract/mock-error.ts';
import { loadProfile } from './contract/profile.ts';
import { createControl } from './control/control.ts';
import { createHandles } from './control/operations.ts';
import { readOptions, type Settings } from './options.ts';
import { engineFor } from './prism.ts';
import { createRecords, recordsUnder } from './records.ts';
import { type Hooks, type Override, plainHooks } from './respond.ts';
import { close, createMockServer, listen, type ServerParts } from './server.ts';
import { createState, type State } from './state.ts';

export type * from './api.ts';
export type { MockClient } from './clients.ts';
export type {
  Action,
  Duration,
  Entry,
  Expectation,
  Filter,
  Step,
  Verified,
} from './contract/control-contract.ts';
export type { Assumption, Operation };
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
  const { basePath, onFault, controlKey, host, examiner, sleep } = settings;
  const contract = loadContract(await loadProfile(settings.profile));
  const { declared, assumptions } = await recordsUnder(contract, settings.records);
  const state = stateOf(settings, contract);
  const records = createRecords({ given: settings.records, declared, onFault });
  records?.body(state.clock.now()); // The first client need not wait while 100,000 records are made.
  let parts: ServerParts & Hooks = {
    ...plainHooks,
    ...{ contract, engine: await engineFor(contract), state, tokens: state.tokens, basePath },
    ...{ onFault, sleep, ...(records && { records }) },
  };
  const overrides = (await settings.deployments(options)) as readonly Override[];
  for (const override of overrides) parts = { ...parts, ...override(parts) };
  const { operations } = parts.contract;
  if (controlKey !== undefined)
    parts.control = createControl({
      ...{ assumptions, operations: contract.operations, state, key: controlKey, host, basePath, examiner },
    });
  const server = createMockServer(parts);
  const origin = await listen(server, settings.port, host);
  return Object.assign(createHandles(state), {
    url: origin + parts.basePath,
    profile: contract.profile,
    operations: contract.operations,
    healthPaths: operations.filter(({ id }) => id === 'checkHealth').map(({ path }) => path),
    assumptions,
    controlKey,
    close: () => close(server),
    [Symbol.asyncDispose]: () => close(server),
  });
}

/** Throws MockError for clients, scripts and a token lifetime that are invalid. */
function stateOf(settings: Settings, contract: Contract): State {
  const { tokenLifetime = contract.tokenLifetimeSeconds, seed = randomBytes(32) } = settings;
  const clock = createClock(settings.now);
  if (settings.isFrozen) clock.freeze();
  if (settings.startMs !== undefined) clock.set(settings.startMs);
  return createState({ ...settings, clock, seed, tokenLifetime });
}
