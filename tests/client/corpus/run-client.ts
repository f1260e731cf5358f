/** Runs a client in this process. */
import { Client, type ClientEnvironment, type Parts, type RunningClient } from './client.ts';
import { reactive } from './parts.ts';

/** Starts a correct client that renews when it is refused, with the parts of `behaviour` instead of its own. */
export function runClient(env: ClientEnvironment, behaviour: Partial<Parts> = {}): RunningClient {
  const client = new Client(env, { ...reactive, ...behaviour });
  const ended = client.run();
  return {
    ended,
    async stop() {
      client.end();
      await ended;
    },
  };
}
