/** Finds the client that a request to the control API names. */
import type { Client } from '../state/clients.ts';
import type { State } from '../state/state.ts';
import { Refusal } from './answer.ts';

/** Throws Refusal if there is no such client. */
export function clientNamed(state: State, id: string): Client {
  const client = state.clients.get(id);
  if (client) return client;
  const known = state.clients.list().slice(0, 20);
  throw new Refusal(
    404,
    'not_found',
    `Nothing was changed: there is no client "${id.slice(0, 100)}". There are ${known.map((one) => one.id).join(', ')}.`,
  );
}
