import { expect, _baseTest as test } from '@playwright/test';
import type { Call, Traffic } from '../../../mocks/journal/traffic.ts';
import { certificateOf } from '../../../tests/client/judge.ts';
import { scenarios } from '../scenario-catalogue.ts';
import type { ListenStatus } from './listen.ts';
import { listenProgress } from './progress.ts';
import { termsOf } from './token-terms.ts';

const call = (more: Partial<Call>): Call => ({
  id: 1,
  kind: 'data',
  startMs: 0,
  endMs: 1,
  atMs: 0,
  method: 'GET',
  path: '/ods_data/',
  query: [],
  target: '',
  status: 200,
  reason: 'served',
  misplaced: [],
  ...more,
});
const traffic = (...calls: Call[]): Traffic => ({ calls, lives: [], durationMs: 1, lost: 0 });
const seen = (name: string, calls: Call[], isBegun = true): ListenStatus => {
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(name);
  return { scenario, terms: termsOf(scenario, 60), isBegun, traffic: traffic(...calls) };
};

/** What it writes, taken and forgotten. */
function terminal(isTTY: boolean) {
  let text = '';
  const progress = listenProgress({
    isTTY,
    write(more) {
      text += more;
    },
  });
  const take = () => {
    const taken = text.replaceAll('\u001b', 'ESC');
    text = '';
    return taken;
  };
  return { ...progress, take };
}

const over = (one: ListenStatus, to: ReturnType<typeof terminal>, state: 'seen' | 'skipped' = 'seen') => {
  const { name, summary } = one.scenario;
  const traffic = { ...one.traffic, name, agreedSeconds: 60, lifetimesSeconds: [60], processes: 1 };
  const played = { traffic, summary, state };
  to.end(played, certificateOf([played]));
};

test('elsewhere than on a terminal there is a line for each change, and no more', () => {
  const to = terminal(false);
  to.show(seen('steady', []));
  to.show(seen('steady', []));
  to.show(seen('steady', [call({})]));
  expect(to.take()).toBe('… steady               waits for the client: it has not called yet\n');
  to.show(seen('expires-again', [], false));
  to.show(seen('expires-again', []));
  expect(to.take()).toBe(
    [
      '… expires-again        begins when the client reads with a token of 60 s (up to',
      '                       3 min)',
      '… expires-again        waits for the end of three tokens, and two reads after it',
      '                       (up to 3 min)',
      '',
    ].join('\n'),
  );
});

test('on a terminal the counts change in place, and what is over stays', () => {
  const to = terminal(true);
  to.show(seen('ended-early', [call({})]));
  expect(to.take()).toBe(
    '… ended-early          waits for three reads with a new token, after its token\n' +
      '                       has ended (up to 60 s)\n                       1 call\n',
  );
  to.show(seen('ended-early', [call({})]));
  expect(to.take()).toBe('');
  const more = [
    call({ accept: 'application/json' }),
    call({ id: 2, status: 403, reason: 'expired-on-order' }),
  ];
  to.show(seen('ended-early', more));
  expect(to.take()).toMatch(/^ESC\[3AESC\[J… ended-early[\s\S]*\n {23}2 calls, 1 refusal\n$/);
  over(seen('ended-early', more), to);
  expect(to.take()).toMatch(/^ESC\[3AESC\[J✗ ended-early {10}2 calls, 1 refusal, /);
  to.close();
  expect(to.take()).toBe('');
  over(seen('data-reset', []), to, 'skipped');
  expect(to.take()).toBe('? data-reset           skipped\n');
});

for (const [what, calls, sentence] of [
  [
    'wrong credentials',
    [{ kind: 'token', status: 401, reason: 'wrong-credentials' }],
    'is not the one above (401)',
  ],
  [
    'another body',
    [{ kind: 'token', status: 415, reason: 'unsupported-media-type' }],
    'its token request was answered with 415 (unsupported-media-type)',
  ],
  [
    'another path',
    [{ kind: 'other', path: '/token', method: 'POST', status: 404, reason: 'no-path' }],
    'POST /token was answered with 404 (no-path)',
  ],
  ['no token', [{ status: 401, reason: 'missing-token' }], 'its read was answered with 401 (missing-token)'],
  ['an expired token', [{ status: 403, reason: 'expired' }], undefined],
  ['data before', [{}, { kind: 'token', status: 401, reason: 'wrong-credentials' }], undefined],
] as [string, Partial<Call>[], string | undefined][])
  test(`${what}: ${sentence ? 'said at once' : 'nothing to say'}`, () => {
    const to = terminal(false);
    to.show(seen('steady', []));
    to.take();
    to.show(seen('steady', calls.map(call)));
    const text = to.take().replace(/\s+/g, ' ');
    if (sentence) expect(text).toContain(sentence);
    else expect(text).toBe('');
  });

test('no line is wider than 80 columns', () => {
  const to = terminal(false);
  for (const { name } of scenarios) {
    to.show(seen(name, [], false));
    to.show(seen(name, []));
  }
  for (const line of to.take().split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});
