import { expect, _baseTest as test } from '@playwright/test';
import { answered as answeredBy, blankEvidence } from '../testing/evidence.ts';
import {
  answered,
  decided,
  laterExpiredReads,
  readsAtEnd,
  readsUntilExpiry,
  settled,
  whyNotExpired,
  whyUnproven,
} from './condition.ts';
import type { Answered, Evidence } from './evidence.ts';
import { couldNotRun } from './judgement.ts';

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
const idsOf = (probes: readonly object[]) => probes.flatMap((probe) => ('id' in probe ? probe.id : []));

test('a request that was not sent, or had no answer, does not count, for the reason of the run', () => {
  expect(answered({ what: 'the data', notSent: 'No token.' })).toEqual(couldNotRun('No token.'));
  const { response: _, ...unanswered } = { ...answer('x1'), failure: 'reset the connection' };
  expect(answered(unanswered)).toEqual(couldNotRun('For the data, the deployment reset the connection.'));
});

for (const status of [408, 429, 502, 503, 504])
  test(`status ${status} settles nothing`, () => {
    expect(settled(answer('x1', status))).toMatchObject({ verdict: 'could-not-run', exchanges: ['x1'] });
  });

test('a server error is an answer, and not a decision about a request', () => {
  expect(settled(answer('x1', 500))).toMatchObject({ id: 'x1' });
  expect(decided(answer('x1', 500))).toMatchObject({ verdict: 'could-not-run', exchanges: ['x1'] });
  expect(decided(answer('x1', 403))).toMatchObject({ id: 'x1' });
});

const reads = { expiredAgain: 403, expiredLater: 401, expiredLast: 401 };
for (const [what, statuses, counted] of [
  ['a deployment that keeps older tokens', { tokenBefore: 200, control: 200 }, Object.keys(reads)],
  ['a deployment that keeps only the newest token', { tokenBefore: 401, control: 200 }, []],
  ['a client that is banned', { tokenBefore: 200, control: 401 }, ['expiredAgain']],
] as const)
  test(`later reads with the expired token, by ${what}: ${counted.length} count`, () => {
    expect(idsOf(laterExpiredReads(evidenceOf({ ...reads, ...statuses })))).toEqual(counted);
  });

for (const [late, counted] of [
  [200, 3],
  [401, 3],
  [403, 2],
] as const)
  test(`of the reads before expiry, the last of which was answered with ${late}, ${counted} count`, () => {
    expect(readsUntilExpiry(evidenceOf({ second: 200, third: 200, late }))).toHaveLength(counted);
  });

test('reads at the end count if the deployment serves the data a second after it refused it', () => {
  const readBefore = (control: number) => {
    const evidence = evidenceOf({ control });
    evidence.repeated = [answer('before', 401)];
    return idsOf(readsAtEnd(evidence));
  };
  expect(readBefore(200)).toEqual(['before', 'control']);
  expect(readBefore(401)).toEqual([]);
});

for (const [what, statuses, kind, reason] of [
  ['of a token that was used up before', { late: 401 }, 'none', /^The token was refused before it could/],
  ['of an asserted token, by a deployment that keeps one', { tokenBefore: 401 }, 'asserted', /the newest/],
  ['of a token that was seen alive, by such a deployment', { tokenBefore: 401 }, 'none', undefined],
  ['of a token that expired early', { late: 403 }, 'none', undefined],
] as const)
  test(`another status than 403 ${what} is ${reason ? 'no violation' : 'a violation'}`, () => {
    const judged = whyNotExpired(answer('x1', 401), evidenceOf(statuses, { kind }));
    if (reason)
      expect(judged).toMatchObject({ verdict: 'could-not-run', reason: expect.stringMatching(reason) });
    else expect(judged).toBeUndefined();
  });

test('an asserted token that is answered like one that was never issued proves nothing', () => {
  const ofUnknown = (status: number, kind: 'asserted' | 'none' = 'asserted') =>
    whyUnproven(answer('x1', 403), evidenceOf({ unknownToken: status }, { kind }));
  expect(ofUnknown(403)).toMatchObject({ verdict: 'could-not-run', exchanges: ['x1', 'unknownToken'] });
  expect(ofUnknown(401)).toBeUndefined();
  expect(ofUnknown(403, 'none')).toBeUndefined();
});
