/** What a test in the same process controls: the mock's clock, clients and journal. */
import type { ClientHandle, Handles } from './api.ts';
import { secondsIn } from './clock.ts';
import type { Duration, Filter } from './contract/control-types.ts';
import { MockError } from './contract/mock-error.ts';
import { entryOf } from './journal.ts';
import { createOperations, MOST_SHOWN, type OperationId } from './operations.ts';
import type { State } from './state.ts';
import { nameOf } from './tokens.ts';

export function createHandles(state: State): Handles {
  const { clients, clock, tokens } = state;
  const { check, ...operations } = createOperations(state);

  /** `run`, except where other replicas would not know of it. */
  const guarded =
    <Args extends unknown[], Result>(id: OperationId, run: (...args: Args) => Result) =>
    (...args: Args): Result => {
      check(id);
      return run(...args);
    };
  const moving = <Args extends unknown[]>(move: (...args: Args) => void) => guarded('moveClock', move);
  const entries = guarded('readJournal', (filter: Filter = {}) =>
    operations.readJournal(withoutUndefined(filter)).map(entryOf),
  );
  const verify = guarded('verifyCalls', operations.verifyCalls);

  function handleOf(id: string): ClientHandle {
    const client = operations.clientNamed(id);
    const end = (revoke: boolean) =>
      guarded('expireTokens', () => operations.expireTokens({ client: id, revoke }));
    return {
      id,
      get secret() {
        return client.secret;
      },
      get tokenLifetimesSeconds() {
        return client.tokenLifetimesSeconds;
      },
      tokens: guarded('readClient', () =>
        tokens.listOf(client, MOST_SHOWN).map((issued) => ({
          name: nameOf(issued),
          get standing() {
            return tokens.statusOf(issued);
          },
          expire: () => void tokens.end(issued, 'expired'),
          revoke: () => void tokens.end(issued, 'revoked'),
        })),
      ),
      expire: end(false),
      revoke: end(true),
      script: guarded('putScript', (steps) => state.giveScript(client, steps)),
      change: guarded('putClient', (terms) => state.changeClient(client, terms)),
      journal: (filter) => entries({ ...filter, client: id }),
      verify: (expected) => verify({ ...expected, client: id }),
    };
  }

  return {
    get clients() {
      return clients.list().map(({ id }) => handleOf(id));
    },
    clock: {
      now: clock.now,
      get mode() {
        return clock.mode;
      },
      get scale() {
        return clock.scale;
      },
      freeze: moving(clock.freeze),
      resume: moving(clock.resume),
      setScale: moving(clock.setScale),
      set: moving(clock.set),
      reset: moving(clock.reset),
      advance: moving((by: Duration) => clock.advance(secondsIn(by))),
      advanceToExpiry: moving((client?: string, delta: Duration = 0) => {
        const named = client === undefined ? undefined : operations.clientNamed(client);
        if (state.advanceToExpiry(named, delta)) return;
        throw new MockError(
          `No token${client === undefined ? '' : ` of "${client}"`} is valid, so none can expire.`,
        );
      }),
    },
    client: handleOf,
    addClient: guarded('putClient', (client) => handleOf(state.addClient(client).id)),
    journal: entries,
    verify,
    traffic: guarded('readJournal', operations.traffic),
    onToken: (listener) => tokens.listen((value, issued) => listener(value, nameOf(issued))),
    onExchange: (listener) => state.journal.listen((exchange) => listener(entryOf(exchange))),
    snapshot: guarded('reset', state.save),
    reset: guarded('reset', operations.reset),
  };
}

const withoutUndefined = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
