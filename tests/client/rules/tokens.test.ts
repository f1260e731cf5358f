import { expect, test } from 'vitest';
import { certificateOf, type JudgedRule, type ScenarioRun } from '../judge.ts';
import { certificateFor, type Details, scene, testRows } from '../testing/scenes.ts';

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
const fourTimes = (how: string) =>
  [1, 2, 3, 4].map((nth) => `a${nth * 1000} r${nth * 1000 + 500}!401@${how}`).join(' ');

testRows(
  `
  token-member passed | sends its token                         | a0 r20
  token-member failed bearer-header failed | reads without it   | a0 r20!401@bare r220!401@bare | | 1 token came with status 200, and none was ever sent: ${FINDS_NO_TOKEN}
  token-member passed | sends it in the wrong place             | a0 r20!401@query
  token-member could-not-run | exits with its first token       | a0 | exits=1 | ${LIKELY}
  token-member could-not-run | stops with its first token       | a0 | until=5000 | ${LIKELY}
  token-member could-not-run | has no time for a read           | a0 | | ${NO_TIME}
  token-member could-not-run | is given no token                | f0 f500 | | ${NO_TIME}`,
  { details },
);

/** What the rule says of a client that sends its token in another scenario, and does this in one more. */
const member = (calls: string, more: Partial<ScenarioRun> = {}, given = '') => {
  const runs = [scene('a0 r20-1000/100', 'name=steady'), scene(calls, `name=expires ${given}`, details)];
  const [first, second] = runs.map((traffic) => ({ traffic, summary: '', state: 'seen' as const }));
  const { rules } = certificateOf([first as ScenarioRun, { ...(second as ScenarioRun), ...more }]);
  return rules.find(({ id }) => id === 'token-member') as JudgedRule;
};

for (const calls of ['a0 r20!401@bare r220!401@bare', 'a0 r20!401@unset', 'a0 a500 a1000'])
  test(`a client that sends its token in one scenario, and in another ${calls}, finds tokens of some forms only`, () => {
    expect(member(calls)).toMatchObject({
      verdict: 'failed',
      findings: [
        {
          scenario: 'expires',
          seen: expect.stringMatching(/only tokens of other forms\. .* parser of JSON/),
        },
      ],
    });
  });

test('a client that exits with a token of another form is not passed, and the reason names the form', () => {
  expect(member('a0', { state: 'ended' }, 'exits=1')).toMatchObject({
    verdict: 'could-not-run',
    reason: expect.stringContaining('only tokens of other forms'),
  });
});

for (const [what, calls, more] of [
  ['sends it', 'a0 r20', {}],
  ['sends it in the wrong place', 'a0 r20!401@query', {}],
  ['sends it without the word Bearer', 'a0 r20!401@malformed', {}],
  ['was given none', 'f0 f500', {}],
  ['asked twice when its time was over', 'a0 a10', { state: 'deadline' }],
] as const)
  test(`a client that ${what} in a scenario is not said to find tokens of some forms only`, () => {
    expect(JSON.stringify(member(calls, more))).not.toContain('other forms');
  });

for (const [calls, rule] of [
  ['a100 a200 a300 a400', 'token-member'],
  ['a0 r20!401@malformed r220!401@malformed', 'bearer-header'],
] as const)
  test(`nothing else than ${rule} is said of the calls ${calls}`, () => {
    const { rules } = certificateFor(scene(calls, '', details));
    expect(rules.flatMap(({ id, findings }) => (findings.length > 0 ? id : []))).toEqual([rule]);
  });

for (const [how, cause] of [
  ['unset', /^The client sent none of its tokens: the rule token-member/],
  ['malformed', /^No call carried a token .* the rule bearer-header/],
] as const)
  test(`where each read is ${how}, no strategy is seen, and the rules about tokens name the cause`, () => {
    const { strategy, rules } = certificateFor(scene(fourTimes(how), 'agreed=2', details));
    expect(strategy).toBe('none');
    for (const id of ['renewal', 'token-reuse'])
      expect(rules.find((rule) => rule.id === id)?.reason, id).toMatch(cause);
  });

testRows(`
  token-reuse failed  | asks once without need                    | a0 r20-1000/100 a450
  token-reuse passed  | renews by its clock at the end            | a0 r20-800/200 a870000 r870020
  token-reuse passed  | renews at a quarter of a long life        | a0 r20-800/200 a225000 r225020
  token-reuse failed  | renews before a quarter                   | a0 r20-800/200 a224000 r224020
  token-reuse passed  | replaces a living token that was refused  | a0 r20-400/100 b420 a440 r460-900/100
  token-reuse failed  | asks once more after it                   | a0 r20 r220!reset a240 r260 r460 a660 r680
  token-reuse failed  | asks three times after a refusal          | a0 r20 r220 b420 a440 a455 a470 b485 a5000 a5015 a5030 b5045 | | #6,7,10,11
  token-reuse failed  | asks three times, with pauses             | a0 r20 r220 b420 a440 a840 a1240 b1640 a5000 a5400 a5800 b6200 | | #6,7,10,11
  token-reuse passed  | is three callers, refused at once         | a0 r20-800/200 b1000 b1001 b1002 a1020 a1022 a1024 r1032~58:2 r1047~43:3 r1062~28
  token-reuse failed  | is three callers, and asks four times     | a0 r20-800/200 b1000 b1001 b1002 a1020 a1022 a1024 r1032~58:2 r1047~43:3 r1062~28 a1065
  token-reuse failed  | is three callers, one after the other     | a0 r20-800/200 b1000 b1001 b1002 a1020 a1035 a1050 r1032~58:2 r1047~43:3 r1062~28 | | #11,13
  token-reuse passed  | is three callers that each ask first      | a0 a15 a30 r50-56/2~50 r220-800/200
  token-reuse failed  | is three callers, with four first requests | a0 a15 a30 r50-56/2~50:3 r220-800/200:3 a42
  token-reuse passed  | is two processes with a token each        | a0 a5 r20-600/100:1 r60-600/100:2 | processes=2
  token-reuse passed  | is one process that asks twice at once    | a0 a5 r20-600/100:1 r60-600/100:2
  token-reuse failed  | is two processes with three tokens        | a0 a5 r20-600/100:1 r60-600/100:2 a300 | processes=2 | where 2 would do #9
  token-reuse passed  | shows three reads with a short token      | a0 r20 r220 r420 | agreed=3
  token-reuse could-not-run | shows two of them                   | a0 r20 r220 | agreed=3
  token-reuse passed  | shows three reads with a token of a minute | a0 r20 r220 r420 | agreed=60
  token-reuse could-not-run | shows two of those                  | a0 r20 r220 | agreed=60
  token-reuse could-not-run | reads twice with each token         | a0 r20 r220 a2600 r2620 r2820 | agreed=3
  token-reuse passed  | renews in the second half of a life       | a0 r20 r220 a1600 r1620 r1820 r2020 | agreed=3
  token-reuse could-not-run | renews in the first half            | a0 r20 r220 a1400 r1420 r1620 r1820 | agreed=3`);

// A lifetime that the user stated: no examination has shortened it.
testRows(
  `
  token-reuse failed  | keeps a minute in reserve of 20 s, and asks for each read | a0 r20 a220 r240 a440 r460 | agreed=20 | for 3 reads, where 1 would do
  token-reuse failed  | asks for each read, of tokens of 90 s | a0 r20 a220 r240 a440 r460 | agreed=90
  token-reuse failed  | keeps 16 s in reserve                 | a0 r20-4000/200 a4020 r4040-8000/200 | agreed=20
  token-reuse failed  | is two processes that ask for each read | a0 a5 r20:1 r30:2 a220 a225 r240:3 r250:4 a440 a445 r460:5 r470:6 | agreed=20 processes=2
  token-reuse passed  | keeps ten seconds in reserve          | a0 r20-10000/200 a10020 r10040-15000/200 | agreed=20
  token-reuse passed  | renews when it is refused             | a0 r20-20000/200 x20020 a20040 r20060-21000/200 | agreed=20
  token-reuse passed  | is young, and was refused             | a0 r20-1000/200 b1020 a1040 r1060-2000/200 | agreed=20`,
  { given: 'long=false name=expires' },
);

/** Tokens that are each replaced after one read. */
const hasty = (from: number, count: number) =>
  Array.from({ length: count }, (_, nth) => `a${from + nth * 200} r${from + 20 + nth * 200}`).join(' ');
const four = [1, 2, 3, 4];
const turns = (tokenOf: (caller: number) => number) =>
  Array.from({ length: 20 }, (_, nth) =>
    four.map((caller) => `r${100 + nth * 100 + caller}~${10 - caller}:${tokenOf(caller)}`),
  )
    .flat()
    .join(' ');
const renewed = four.map((caller) => `a${2100 + caller * 60}:${4 + caller} r${2130 + caller * 60}`).join(' ');

testRows(
  `
  token-reuse could-not-run | asks twice, as with a minute in reserve | a0 r20-3000/200 x3020 a3040 a3060 r3120-4000/200
  token-reuse could-not-run | asks for each read                     | a100 r120 a200 r220 a300 r320 a400 r420
  token-reuse passed        | asks in vain, and then renews          | a0 r20-3000/200 x3020 f3040 f3060 a3080 r3120-3900/200
  token-reuse failed        | keeps a token, and then hastens        | a0 r20-2200/200 ${hasty(2220, 4)} | | #15,17,19
  token-reuse could-not-run | hastens three times only               | a0 r20-2200/200 ${hasty(2220, 3)}
  token-reuse could-not-run | counts whole seconds                   | a0 r20-1400/200 ${hasty(1420, 6)}
  token-reuse could-not-run | was held up once, and then hastens     | a0 r20 r2200 ${hasty(2220, 6)}
  token-reuse could-not-run | is two processes                       | a0 r20-2200/200 ${hasty(2220, 7)} | processes=2
  token-reuse failed        | is four callers with one token, all of which renew it | a0:4 ${turns(() => 4)} ${renewed}`,
  { given: 'agreed=3 name=expires' },
);
