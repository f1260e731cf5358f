/** Puts the parts of a mock together: state, engine, records, the overrides of a deployment, the control API. */
import type { Contract } from './contract/contract.ts';
import { MockError } from './contract/mock-error.ts';
import { createControl } from './control/control.ts';
import type { Override } from './deployments/deployment.ts';
import { engineFor } from './engine/prism-engine.ts';
import type { Settings } from './options.ts';
import { type Hooks, plainHooks } from './pipeline/hooks.ts';
import type { Parts } from './pipeline/server.ts';
import { createRecords, declaredIn } from './records/records.ts';
import { createClock } from './state/clock.ts';
import { createRandom } from './state/random.ts';
import { createState, type State } from './state/state.ts';

/** Throws MockError for clients, scripts and a token lifetime that are invalid. */
export function assembleState(settings: Settings, contract: Contract): State {
  if (settings.tokenKey && !contract.needsToken('readData'))
    throw new MockError(
      `The profile ${contract.profile} has no tokens that replicas could share. Leave out the token key.`,
    );
  const clock = createClock(settings.now);
  if (settings.isFrozen) clock.freeze();
  if (settings.startMs !== undefined) clock.set(settings.startMs);
  return createState({
    contract,
    clock,
    random: createRandom(settings.seed),
    clients: settings.clients,
    tokenLifetime: settings.tokenLifetime ?? contract.tokenLifetimeSeconds,
    scenarios: settings.scenarios,
    journalSize: settings.journalSize,
    tokenKey: settings.tokenKey,
  });
}

/** Throws MockError for records and a contract that cannot be served. */
export async function assemble(
  settings: Settings,
  contract: Contract,
  state: State,
  overrides: readonly Override[],
): Promise<Parts> {
  const { basePath, cors, explain, onFault, controlKey, host, examiner, sleep } = settings;
  const engine = await engineFor(contract);
  const declared = declaredIn(contract.document);
  const { records: given } = settings;
  const records = createRecords({ given, declared, onFault });
  records?.body(state.clock.now()); // The first client need not wait while 100,000 records are made.
  const plain: Parts & Hooks = {
    ...plainHooks,
    contract,
    engine,
    state,
    tokens: state.tokens,
    basePath,
    cors,
    explain,
    onFault,
    sleep,
    ...(records && { records }),
  };
  let parts = plain;
  for (const override of overrides) parts = { ...parts, ...override(parts) };
  const control =
    controlKey === undefined
      ? undefined
      : createControl({ contract, state, key: controlKey, host, basePath, examiner });
  return { ...parts, control };
}
