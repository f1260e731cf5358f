import { expect, test } from 'vitest';
import type { Client } from './clients.ts';
import { createClock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import { UNSEARCHED } from './journal.ts';
import { createState, type State, type StateParts } from './state.ts';

const START = Date.UTC(2030, 0, 1);

function stateOf(more: Partial<StateParts> = {}): State {
  const clock = createClock(() => START);
  clock.freeze();
  const clients = [
    { id: 'acme', secret: 'x' },
    { id: 'other', secret: 'y', tokenLifetime: 60 },
  ];
  return createState({
    clock,
    seed: 'a seed',
    clients,
    tokenLifetime: '15m',
    secrets: UNSEARCHED,
    ...more,
  });
}
const clientOf = (state: State, id = 'acme'): Client => {
  const client = state.clients.get(id);
  if (client) return client;
  throw new Error(`There is no ${id}.`);
};
const issue = (state: State, id = 'acme') => {
  const client = clientOf(state, id);
  return state.tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
};
const statusOf = (state: State, token: string) => state.tokens.find(token).status;

test('reset, all is as it was at the start, and the journal is empty', () => {
  const state = stateOf();
  state.journal.add({} as Exchange);
  const token = issue(state);
  state.clock.advance(60);
  state.changeClient(clientOf(state), { tokenLifetime: 1, scopes: [] });
  state.giveScript(clientOf(state), [{ do: { expire: 'token' } }]);
  state.removeClient(clientOf(state, 'other'));
  state.authenticate('demo-steady', 'demo-secret');
  for (let nth = 0; nth < 2; nth++) {
    state.reset();
    expect([state.clock.now(), state.journal.list(), statusOf(state, token)]).toEqual([START, [], 'unknown']);
    expect(state.clients.list().map(({ id }) => id)).toEqual(['acme', 'other']);
    expect([state.nextLifetime(clientOf(state)), state.scripts.of(clientOf(state))]).toEqual([900, []]);
    expect(clientOf(state).scopes).toBeUndefined();
    expect(issue(state)).toBe(token);
  }
});
