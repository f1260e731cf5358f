/** Which answers count, what several of them come to, and what several judgements do. */
import { expect, test } from 'vitest';
import { earlyExpiryInWords, shown, shownIn } from '../conditions.ts';
import type { Condition } from '../requests.ts';
import { ofAll } from '../suite.ts';
import { answered as answeredBy, blankEvidence } from '../testing/evidence.ts';
import { answered, decided, settled } from './condition.ts';
import type { Answered, Evidence, Probe } from './evidence.ts';
import { obtainsNoToken } from './expectations.ts';
import { allOf, couldNotRun, failed, notApplicable, passed } from './judgement.ts';

const answer = (id: string, status = 200): Answered => ({ ...answeredBy(1, status), id });

/** Evidence of a run in which these reads of the data had these statuses; `tokenBefore` is of the token before the newest. */
function evidenceOf(statuses: Record<string, number>, expiry: Evidence['expiry'] = { kind: 'none' }) {
  const evidence = { ...blankEvidence(), expiry };
  for (const [name, status] of Object.entries(statuses))
    Object.assign(evidence.probes, {
      [name === 'tokenBefore' ? 'open.tokenBefore' : `data.${name}`]: answer(name, status),
    });
  return evidence;
}
/** What evidence shows of requests that were sent, in one condition. */
const shownOf = (when: Condition, evidence: Evidence) =>
  shownIn(evidence).filter((one) => one.when === when && 'id' in one.probe);
const idsOf = (when: Condition, evidence: Evidence) =>
  shownOf(when, evidence).map(({ probe }) => (probe as Answered).id);
const ofStatus = (id: string, evidence: Evidence) =>
  shownOf('expired-token status', evidence).find(({ probe }) => (probe as Answered).id === id);

test('a request that was not sent, or had no answer, does not count, for the reason of the run', () => {
  expect(answered({ what: 'the data', notSent: 'No token.' })).toEqual(couldNotRun('No token.'));
  const { response: _, ...unanswered } = { ...answer('x1'), failure: 'reset the connection' };
  expect(answered(unanswered)).toEqual(couldNotRun('For the data, the deployment reset the connection.'));
  expect(answered(undefined)).toMatchObject({ verdict: 'could-not-run' });
});

for (const [status, isSettled, isDecided] of [
  ...[408, 429, 502, 503, 504].map((status) => [status, false, false] as const),
  [500, true, false],
  [403, true, true],
] as const)
  test(`status ${status} is ${isSettled ? 'an' : 'no'} answer, and ${isDecided ? 'a' : 'no'} decision`, () => {
    const open = { verdict: 'could-not-run', exchanges: ['x1'] };
    expect(settled(answer('x1', status))).toMatchObject(isSettled ? { id: 'x1' } : open);
    expect(decided(answer('x1', status))).toMatchObject(isDecided ? { id: 'x1' } : open);
  });

const reads = { expiredAgain: 403, expiredLater: 401, expiredLast: 401 };
for (const [what, statuses, counted] of [
  ['a deployment that keeps older tokens', { tokenBefore: 200, control: 200 }, Object.keys(reads)],
  ['a deployment that keeps only the newest token', { tokenBefore: 401, control: 200 }, []],
  ['a client that is banned', { tokenBefore: 200, control: 401 }, ['expiredAgain']],
  ['a deployment that was not well', { tokenBefore: 503, control: 429 }, Object.keys(reads)],
  ['one that decides on nothing', { control: 429, expiredLater: 429, expiredLast: 503 }, ['expiredAgain']],
] as const)
  test(`later reads with the expired token, by ${what}: ${counted.length} count`, () => {
    expect(idsOf('expired-token status', evidenceOf({ ...reads, ...statuses }))).toEqual(counted);
  });

for (const [late, counted] of Object.entries({ 200: 3, 401: 3, 403: 2 }))
  test(`of the reads before expiry, the last of which was answered with ${late}, ${counted} count`, () => {
    const evidence = evidenceOf({ second: 200, third: 200, late: Number(late) });
    expect(shownOf('valid-token again', evidence)).toHaveLength(counted);
  });

test('reads at the end count if the deployment serves the data a second after it refused it', () => {
  const readBefore = (control: number) =>
    idsOf('valid-token', {
      ...evidenceOf({ first: 200, freshToken: 200, control }),
      repeated: [{ ...answer('before', 401), what: 'the data' }],
    });
  expect(readBefore(200)).toEqual(['first', 'before', 'control']);
  expect(readBefore(401)).toEqual(['first']);
});

for (const [what, statuses, kind, reason] of [
  ['of a token that was used up before', { late: 401 }, 'none', /^The token was refused before it could/],
  ['of an asserted token, by a deployment that keeps one', { tokenBefore: 401 }, 'asserted', /the newest/],
  ['of a token that was seen alive, by such a deployment', { tokenBefore: 401 }, 'none', /^a violation$/],
  ['of a token that expired early', { late: 403 }, 'none', /^a violation$/],
] as const)
  test(`another status than 403 ${what}: ${reason}`, () => {
    const { doubt } =
      ofStatus('expiredToken', evidenceOf({ expiredToken: 401, ...statuses }, { kind })) ?? {};
    expect(doubt ? doubt.reason : 'a violation').toMatch(reason);
  });

for (const [sentAtMs, age] of [
  [12_640, '12.6 s'],
  [13_990, '14 s'],
  [40, '12.5 s'], // The clock of a mock was moved.
  [340_000, '340 s'],
] as const)
  test(`a token that was refused early is said to be ${age} old, where ${sentAtMs} ms passed`, () => {
    const expiry = { kind: 'waited', lifetimeSeconds: 15, ageSeconds: 20 } as const;
    const evidence = evidenceOf({ late: 403 }, expiry);
    const issue = answeredBy(1, 200);
    Object.assign(evidence.probes, {
      'token.valid': { ...issue, sentAtMs: 40 },
      'data.late': { ...answer('late', 403), sentAtMs: sentAtMs + 40 },
    });
    expect(earlyExpiryInWords(evidence)).toMatch(`with 403 when it was ${age} old, and not after 15 s:`);
  });

test('a token that was served to its end is not said to be refused early', () => {
  const expiry = { kind: 'waited', lifetimeSeconds: 15, ageSeconds: 20 } as const;
  expect(earlyExpiryInWords(evidenceOf({ late: 200 }, expiry))).toBeUndefined();
});

for (const [read, statuses, isOpen] of [
  ['expiredAgain', { tokenBefore: 503 }, true],
  ['expiredLast', { tokenBefore: 429 }, true],
  ['expiredLast', { tokenBefore: 200, control: 500 }, true],
  ['expiredAgain', { tokenBefore: 200, control: 500 }, false],
  ['expiredToken', { tokenBefore: 503, control: 503 }, false],
] as const)
  test(`${read} with another status than 403 next to ${JSON.stringify(statuses)} is ${isOpen ? 'open' : 'a violation'}`, () => {
    const { doubt } = ofStatus(read, evidenceOf({ [read]: 401, ...statuses })) ?? {};
    expect(doubt?.reason).toEqual(isOpen ? expect.stringContaining('was not a decision') : undefined);
  });

test('an asserted token that is answered like one that was never issued proves nothing', () => {
  const ofUnknown = (status: number, kind: 'asserted' | 'none' = 'asserted') =>
    ofStatus('expiredToken', evidenceOf({ expiredToken: 403, unknownToken: status }, { kind }))?.gap;
  expect(ofUnknown(403)).toMatchObject({
    verdict: 'could-not-run',
    exchanges: ['expiredToken', 'unknownToken'],
  });
  expect(ofUnknown(401)).toBeUndefined();
  const evidence = evidenceOf(
    { expiredToken: 401, expiredAsHtml: 302, unknownToken: 401 },
    { kind: 'asserted' },
  );
  for (const when of ['expired-token', 'expired-token renewed'] as const)
    expect(shownOf(when, evidence).map(({ gap }) => gap?.verdict)).not.toContain(undefined);
  expect(ofUnknown(403, 'none')).toBeUndefined();
});

for (const [what, expiry, tokenLifetimeSeconds, advice] of [
  ['without a lifetime', { kind: 'asserted' }, undefined, /Give --token-lifetime /],
  ['with a lifetime of an hour', { kind: 'asserted' }, 3600, /Give --max-wait 3600s /],
  [
    'besides one that the run saw expire',
    { kind: 'waited', lifetimeSeconds: 10, ageSeconds: 12 },
    10,
    /Copy a token /,
  ],
] as const)
  test(`the advice on an asserted token ${what} does not ask for what was given`, () => {
    const evidence = evidenceOf({ unknownToken: 401, givenToken: 401 }, expiry);
    const target = { ...evidence.target, ...(tokenLifetimeSeconds && { tokenLifetimeSeconds }) };
    const judged = ofStatus('givenToken', { ...evidence, target });
    expect(judged?.doubt?.reason).toMatch(advice);
  });

// Requests that must be refused.

const form = (id: string, status: number, issued = false): Answered => {
  const fields = { bodyBytes: 2, tokenResponse: { issued, unclear: false, mismatches: [] } };
  const request = { method: 'POST', path: '/token/', headers: [] };
  return { ...answeredBy(1, status, fields, 'a form'), id, request };
};
const [valid, refused, limited, hole] = [
  form('x1', 200, true),
  form('x2', 401),
  form('x3', 429),
  form('x4', 200, true),
];
const { response: _, ...unanswered } = form('x5', 0);
const reset: Probe = { ...unanswered, failure: 'reset the connection', failureCode: 'hang-up' };
const cutShort: Probe = { ...unanswered, failure: 'closed the connection before its answer was complete' };
const moot: Probe = { what: 'a form', notSent: 'No occasion.', isOptional: true };
const notSent: Probe = { what: 'a form', notSent: 'Left out by choice.' };
const broken = form('x6', 500);
const hiding = { bodyBytes: 2, tokenResponse: { issued: false, unclear: true, mismatches: [] } };
const hidden: Answered = { ...form('x7', 200), ...answeredBy(1, 200, hiding, 'a form'), id: 'x7' };
/** Each of another kind, or all of one; `isAside`: the last is one that the contract does not have. */
const judge = (probes: readonly Probe[], { isOne = false, isAside = false, isWell = true } = {}) =>
  ofAll(
    probes.flatMap((probe, nth) => {
      const isLast = isAside && nth === probes.length - 1;
      const isSilent = isWell && 'id' in probe && (isLast || probe.failureCode === 'hang-up');
      return shown('wrong-credentials client_secret', probe, {
        issue: valid,
        kind: isOne ? 'one' : nth,
        ...(isLast && { isAside: true }),
        ...(isSilent && { mayBeSilent: true }),
      });
    }),
    obtainsNoToken,
  );

for (const [what, probes, verdict, how] of [
  ['a refusal', [refused], 'passed'],
  ['a refusal, and then a limit', [refused, limited], 'could-not-run'],
  ['a refusal, and then a hang-up', [refused, reset], 'passed'],
  [
    'a refusal and a hang-up, with nothing served later',
    [refused, reset],
    'could-not-run',
    { isWell: false },
  ],
  ['a hang-up', [reset], 'could-not-run'],
  ['hang-ups only', [reset, reset], 'could-not-run'],
  ['part of an answer', [cutShort], 'could-not-run'],
  ['a limit, and then a refusal', [limited, refused], 'could-not-run'],
  ['a refusal, a limit and a token', [refused, limited, hole], 'failed'],
  ['a limit and a token', [limited, hole], 'failed'],
  ['a refusal, and a form without occasion', [refused, moot], 'passed'],
  ['forms without occasion', [moot, moot], 'could-not-run'],
  ['forms left out', [notSent, notSent], 'could-not-run'],
  ['nothing', [], 'could-not-run'],
  ['of one kind, a limit and then a refusal', [limited, refused], 'passed', { isOne: true }],
  ['of one kind, limits only', [limited, limited], 'could-not-run', { isOne: true }],
  ['of one kind, what may hold a token and a refusal', [hidden, refused], 'could-not-run', { isOne: true }],
  ['of one kind, a limit and a token', [limited, hole], 'failed', { isOne: true }],
  [
    'a refusal, and a fault of a request that the contract does not have',
    [refused, broken],
    'passed',
    { isAside: true },
  ],
  ['only such a fault', [broken], 'could-not-run', { isAside: true }],
  [
    'a refusal and such a fault, with nothing served later',
    [refused, broken],
    'could-not-run',
    { isAside: true, isWell: false },
  ],
] as const)
  test(`${what}: ${verdict}`, () => {
    expect(judge(probes, how).verdict).toBe(verdict);
  });

// Several judgements as one.

const [x1, x2, x3, x4] = [answer('x1'), answer('x2'), answer('x3'), answer('x4')];
const findings = [{ rule: 'overlap' as const, class: 'H' as const, count: 1, places: [] }];

for (const [what, judgements, all] of [
  [
    'a violation outweighs what could not run, and its exchanges come first',
    [passed(x1), couldNotRun('Too slow.', x2), failed('status 200', x3), passed(x4)],
    { verdict: 'failed', expected: 'status 200', exchanges: ['x3', 'x1', 'x2'] },
  ],
  [
    'what could not run outweighs what is not applicable and what passed',
    [passed(x1), notApplicable('No body.'), couldNotRun('Too slow.', x2)],
    { verdict: 'could-not-run', reason: 'Too slow.', exchanges: ['x2'] },
  ],
  [
    'judgements that all passed rest on each exchange once',
    [passed(x1, x2), passed(x2, x3)],
    { verdict: 'passed', exchanges: ['x1', 'x2', 'x3'] },
  ],
  [
    'findings of one judgement are kept, whatever the others came to',
    [passed(x1), { ...passed(x2), findings }],
    { verdict: 'passed', exchanges: ['x1', 'x2'], findings },
  ],
] as const)
  test(what, () => {
    expect(allOf(judgements)).toEqual(all);
  });
