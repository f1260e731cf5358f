import { expect, _baseTest as test } from '@playwright/test';
import { certificateOf } from '../judge.ts';
import { asks, broken, fails, judgedBy, type Made, reads, trafficOf } from '../testing/traffic.ts';

const member = (calls: readonly Made[], more = {}) => judgedBy('token-member', trafficOf(calls, more));
const FINDS_NO_TOKEN =
  'the client does not find the token. The member of the answer is named token, and OAuth2 libraries look for access_token.';

/** A read with the text of a variable that is not set. */
function readsWithout(at: number): Made {
  const { token: _, standing: __, ...read } = reads(at, 1, { status: 401, reason: 'unknown-token' });
  return read;
}

test('a client that sends its token finds it', () => {
  expect(member([asks(0, 1), reads(20, 1)]).verdict).toBe('passed');
});

/** The data read with an Authorization of another scheme. */
const readsMalformed = (at: number): Made => ({
  ...readsWithout(at),
  authorization: 'malformed',
  reason: 'malformed-token',
});
const certificateFor = (calls: readonly Made[]) =>
  certificateOf([{ traffic: trafficOf(calls, { agreedSeconds: 2 }), summary: '', state: 'seen' }]);

for (const [how, read, cause] of [
  ['no token is ever sent', readsWithout, /^The client sent none of its tokens: the rule token-member/],
  ['no token is sent as Bearer', readsMalformed, /^No call carried a token .* the rule bearer-header/],
] as const)
  test(`where ${how}, no strategy is seen, and the rules about tokens name the cause`, () => {
    const calls = [1, 2, 3, 4].flatMap((nth) => [asks(nth * 1000, nth), read(nth * 1000 + 500)]);
    const { strategy, rules } = certificateFor(calls);
    expect(strategy).toBe('none');
    for (const id of ['renewal', 'token-reuse'])
      expect(rules.find((rule) => rule.id === id)?.reason, id).toMatch(cause);
  });

test('the finding of a token that is never sent lists all calls after it came', () => {
  const calls = [1, 2, 3, 4].flatMap((nth) => [asks(nth * 1000, nth), readsWithout(nth * 1000 + 500)]);
  expect(member(calls).findings[0]?.calls).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('a client that sends its token in the wrong place finds it', () => {
  const misplaced = [{ what: 'token', where: 'query' }] as const;
  expect(member([asks(0, 1), { ...readsWithout(20), misplaced }]).verdict).not.toBe('failed');
});

test('a client whose Authorization is malformed may send its token there, and is not said to miss it', () => {
  const calls = [asks(0, 1), readsMalformed(20), readsMalformed(220)];
  expect(member(calls).findings).toEqual([]);
  expect(broken(trafficOf(calls))).toEqual(['bearer-header failed']);
});

test('a client that asks again and again and never sends a token does not find it, and nothing else is its cause', () => {
  const calls = [1, 2, 3, 4].map((token) => asks(token * 100, token));
  expect(member(calls)).toMatchObject({
    verdict: 'failed',
    findings: [
      {
        calls: [1, 2, 3, 4],
        seen: `4 tokens came with status 200, and none was ever sent: ${FINDS_NO_TOKEN}`,
      },
    ],
  });
  expect(broken(trafficOf(calls))).toEqual(['token-member failed']);
});

test('a client that reads without the token that it was given does not find it', () => {
  const calls = [asks(0, 1), readsWithout(20), readsWithout(220)];
  expect(member(calls).findings[0]?.seen).toContain('1 token came with status 200, and none was ever sent');
  expect(broken(trafficOf(calls))).toEqual(['token-member failed', 'bearer-header failed']);
});

test('a client whose reads carry another value is said to send that, and not to miss its token', () => {
  const { authorization: _, ...read } = readsWithout(20);
  const [first] = member([asks(0, 1), { ...read, authorization: 'bearer' }]).findings;
  expect(first?.seen).toContain('none was ever sent: the reads carried another value as bearer token.');
  const bare = member([asks(0, 1), read]).findings[0]?.seen;
  expect(bare).toBe(`1 token came with status 200, and none was ever sent: ${FINDS_NO_TOKEN}`);
});

test('a client that ends or stops with its first token could not be judged, and gets the likely cause', () => {
  const reason = `A token came with status 200, and the client made no call with it. It seems that ${FINDS_NO_TOKEN}`;
  for (const more of [{ ended: { code: 1 } }, { durationMs: 5000 }])
    expect(member([asks(0, 1)], more)).toMatchObject({ verdict: 'could-not-run', reason, findings: [] });
});

test('a client that had no time to send its token is not said to miss it', () => {
  for (const calls of [[asks(0, 1)], [fails(0), fails(500)]])
    expect(member(calls)).toMatchObject({
      verdict: 'could-not-run',
      reason: 'The client was given no token, or had no time to send it.',
    });
});
