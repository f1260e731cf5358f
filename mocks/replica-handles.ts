/** What a test in the same process controls of a replica: it reads the clients and the clock, and changes nothing. */
import { MockError } from './contract/mock-error.ts';
import type { Handles } from './handles.ts';
import { oneReplica, WHY } from './state/one-replica.ts';

/** The same handles; those that are those of one replica throw MockError. */
export function replicaHandles(handles: Handles): Handles {
  const { clock, client, tokenName, onExchange } = handles;
  const clientOf: Handles['client'] = (id) => {
    const { secret, tokenLifetimesSeconds } = client(id);
    return {
      id,
      secret,
      tokenLifetimesSeconds,
      tokens: refuse(WHY.tokens),
      expire: refuse(WHY.expire),
      revoke: refuse(WHY.expire),
      script: refuse(WHY.script),
      change: refuse(WHY.clients),
      journal: refuse(WHY.calls),
      verify: refuse(WHY.calls),
    };
  };
  return {
    clients: handles.clients.map(({ id }) => clientOf(id)),
    client: clientOf,
    tokenName,
    onExchange,
    clock: {
      now: clock.now,
      mode: clock.mode,
      scale: clock.scale,
      freeze: refuse(WHY.clock),
      resume: refuse(WHY.clock),
      setScale: refuse(WHY.clock),
      set: refuse(WHY.clock),
      reset: refuse(WHY.clock),
      advance: refuse(WHY.clock),
      advanceToExpiry: refuse(WHY.clock),
    },
    addClient: refuse(WHY.clients),
    journal: refuse(WHY.calls),
    verify: refuse(WHY.calls),
    traffic: refuse(WHY.calls),
    snapshot: refuse(WHY.restore),
    reset: refuse(WHY.restore),
  };
}

const refuse = (why: string) => (): never => {
  throw new MockError(oneReplica(why));
};
