import { expect, test } from 'vitest';
import type { Client, MockClient } from './clients.ts';
import { createClock } from './clock.ts';
import { loadContract } from './contract/contract.ts';
import type { Step } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';
import { UNSEARCHED } from './journal.ts';
import { createState, type State, type StateParts } from './state.ts';
import { exchange } from './testing/exchange.ts';
import { keysOf } from './tokens.ts';

const START = Date.UTC(2030, 0, 1);

function stateOf(more: Partial<StateParts> = {}): State {
  const clock = createClock(() => START);
  clock.freeze();
  const clients = [
    { id: 'acme', secret: 'x' },
    { id: 'other', secret: 'y', tokenLifetime: 60 },
  ];
  return createState({
    contract: loadContract(),
    clock,
    keys: keysOf('a seed'),
    clients,
    tokenLifetime: '15m',
    scenarios: false,
    journalSize: 10,
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

test('a client that is added has its script, and one that cannot be is not added', () => {
  const state = stateOf();
  const script: Step[] = [{ nth: 2, do: { expire: 'token' } }];
  const added = state.addClient({ id: 'new', secret: 'x', script });
  expect([state.clients.get('new'), state.scripts.of(added)]).toEqual([added, script]);
  for (const [client, sentence] of [
    [{ id: 'new', secret: 'x' }, /^The client "new" exists twice/],
    [{ id: 'c', secret: 'x', tokenLifetime: -1 }, /"-1" is below 0/],
    [
      { id: 'c', secret: 'x', script: [{ do: {} }] },
      /^The script of the client "c" is invalid: step 1: do must/,
    ],
    [
      { id: 'c', secret: 'x', script: [{ do: { answer: { status: 503 } } }] },
      /^The script of the client "c" is invalid: step 1: the contract does not answer readData with 503\./,
    ],
  ] as unknown as [MockClient, RegExp][]) {
    expect(() => state.addClient(client)).toThrow(sentence);
    expect(() => state.addClient(client)).toThrow(MockError);
  }
  expect([state.clients.get('c'), state.scripts.of(added)]).toEqual([undefined, script]);
});

for (const [script, fault] of [
  [
    [{ nth: 2, when: 'after', do: { delay: '1s' } }],
    'step 1: do must not have delay here. Use expire, revoke or expireOthers.',
  ],
  [
    [{ when: 'during', do: { answer: { status: 500 } } }],
    'step 1: do must not have answer here. Use expire, revoke or expireOthers.',
  ],
  [[{ do: { expire: 'token' } }, { nth: 0, do: { reset: true } }], 'step 2: nth must be >= 1'],
  [[{ do: { reset: true } }, {}], "step 2 must have required property 'do'"],
  [[{ do: { delay: 'soon' } }], 'step 1: do/delay must be seconds from 0 on'],
] as unknown as [Step[], string][])
  test(`the script ${JSON.stringify(script)} is refused with the number of the step: ${fault}`, () => {
    expect(() => stateOf().addClient({ id: 'c', secret: 'x', script })).toThrow(
      `The script of the client "c" is invalid: ${fault}`,
    );
  });

test('of more than ten thousand clients that asked, the one that has not asked for longest is removed', () => {
  const state = stateOf({ scenarios: true });
  for (let nth = 0; nth < 10_010; nth++) state.authenticate(`demo-steady.${nth}`, 'demo-secret');
  expect(state.clients.list().length).toBe(10_002);
  const known = () =>
    ['acme', 'other', ...[9, 10, 11, 10_009].map((nth) => `demo-steady.${nth}`)].filter(state.clients.get);
  expect(known()).toEqual(['acme', 'other', 'demo-steady.10', 'demo-steady.11', 'demo-steady.10009']);
  const token = issue(state, 'demo-steady.11');
  state.authenticate('demo-steady.10', 'demo-secret');
  expect(state.authenticate('demo-steady.9', 'demo-secret')).toMatchObject({ id: 'demo-steady.9' });
  expect(known()).toEqual(['acme', 'other', 'demo-steady.9', 'demo-steady.10', 'demo-steady.10009']);
  expect(statusOf(state, token)).toBe('unknown');
});

test('reset, all is as it was at the start, and the journal is empty', () => {
  const state = stateOf({ scenarios: true });
  state.journal.add(exchange());
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
