import { expect, _baseTest as test } from '@playwright/test';
import { type Details, scene, testRows } from '../testing/rows.ts';
import { broken, certificateFor } from '../testing/traffic.ts';

const FINDS_NO_TOKEN =
  'the client does not find the token. The member of the answer is named token, and OAuth2 libraries look for access_token.';
const LIKELY = `A token came with status 200, and the client made no call with it. It seems that ${FINDS_NO_TOKEN}`;
const NO_TIME = 'The client was given no token, or had no time to send it.';

/** Without the token: with the text of a variable that is not set, for example. */
const without = { token: undefined, standing: undefined, reason: 'unknown-token' } as const;
const details: Details = {
  unset: without,
  bare: { ...without, authorization: undefined },
  malformed: { ...without, authorization: 'malformed', reason: 'malformed-token' },
  query: { ...without, misplaced: [{ what: 'token', where: 'query' }] },
};
/** Four tokens, and a read after each. */
const four = (how: string) =>
  [1, 2, 3, 4].map((nth) => `a${nth * 1000} r${nth * 1000 + 500}!401@${how}`).join(' ');

testRows(
  `
  token-member passed | sends its token                         | a0 r20
  token-member failed | sends none of four                      | ${four('unset')} | | #1,2,3,4,5,6,7,8
  token-member failed | asks again and again                    | a100 a200 a300 a400 | | 4 tokens came with status 200, and none was ever sent: ${FINDS_NO_TOKEN} #1,2,3,4
  token-member failed bearer-header failed | reads without it   | a0 r20!401@bare r220!401@bare | | 1 token came with status 200, and none was ever sent: ${FINDS_NO_TOKEN}
  token-member failed bearer-header failed | reads with another value | a0 r20!401@unset | | none was ever sent: the reads carried another value as bearer token.
  token-member passed | sends it in the wrong place             | a0 r20!401@query
  token-member passed bearer-header failed | sends a malformed header | a0 r20!401@malformed r220!401@malformed
  token-member could-not-run | exits with its first token       | a0 | exits=1 | ${LIKELY}
  token-member could-not-run | stops with its first token       | a0 | until=5000 | ${LIKELY}
  token-member could-not-run | has no time for a read           | a0 | | ${NO_TIME}
  token-member could-not-run | is given no token                | f0 f500 | | ${NO_TIME}`,
  { details },
);

test('nothing else is said of a client that finds no token, or sends a malformed header', () => {
  expect(broken(scene('a100 a200 a300 a400'))).toEqual(['token-member failed']);
  expect(broken(scene('a0 r20!401@malformed r220!401@malformed', '', details))).toEqual([
    'bearer-header failed',
  ]);
});

for (const [how, cause] of [
  ['unset', /^The client sent none of its tokens: the rule token-member/],
  ['malformed', /^No call carried a token .* the rule bearer-header/],
] as const)
  test(`where each read is ${how}, no strategy is seen, and the rules about tokens name the cause`, () => {
    const { strategy, rules } = certificateFor(scene(four(how), 'agreed=2', details));
    expect(strategy).toBe('none');
    for (const id of ['renewal', 'token-reuse'])
      expect(rules.find((rule) => rule.id === id)?.reason, id).toMatch(cause);
  });
