import { expect, _baseTest as test } from '@playwright/test';
import { answered, blankEvidence } from '../testing/evidence.ts';
import type { Answered, Probe } from './evidence.ts';
import { obtainNoToken } from './expectations.ts';

const valid = answer('x1', 200, true);
const refused = answer('x2', 401);
const limited = answer('x3', 429);
const well: Answered = { ...answer('x9', 200), request: { method: 'GET', path: '/ods_data/', headers: [] } };
const hole = answer('x4', 200, true);
const { response: _, ...unanswered } = answer('x5', 0);
const reset: Probe = { ...unanswered, failure: 'reset the connection', hangsUp: true };
const cutShort: Probe = { ...unanswered, failure: 'closed the connection before its answer was complete' };
const moot: Probe = { what: 'a form', notSent: 'No occasion.', isOptional: true };
const notSent: Probe = { what: 'a form', notSent: 'Left out by choice.' };

for (const [what, probes, verdict] of [
  ['a refusal', [refused], 'passed'],
  ['a refusal, and then a limit', [refused, limited], 'could-not-run'],
  ['a refusal, and then a hang-up', [refused, reset], 'passed'],
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
] as const)
  test(`${what}: ${verdict}`, () => {
    const kinds = probes.map((probe) => ({ probes: [probe] }));
    expect(obtainNoToken(kinds, valid, evidence).verdict).toBe(verdict);
  });

const evidence = { ...blankEvidence(), repeated: [well] };

for (const [what, probes, verdict] of [
  ['a limit, and then a refusal', [limited, refused], 'passed'],
  ['limits only', [limited, limited], 'could-not-run'],
  ['a limit and a token', [limited, hole], 'failed'],
] as const)
  test(`of one kind of request, ${what}: ${verdict}`, () => {
    expect(obtainNoToken([{ probes }], valid, evidence).verdict).toBe(verdict);
  });

test('a reason says how many kinds of request had no decision, and what the first of them got', () => {
  const kinds = [refused, limited, limited].map((probe) => ({ probes: [probe] }));
  expect(obtainNoToken(kinds, valid, evidence).reason).toMatch(
    /^2 of 3 kinds of request had no decision\. a form: 429\b/,
  );
});

test('a hang-up is not a refusal where the deployment served nothing after it', () => {
  const kinds = [refused, reset].map((probe) => ({ probes: [probe] }));
  expect(obtainNoToken(kinds, valid, evidence).verdict).toBe('passed');
  expect(obtainNoToken(kinds, valid, blankEvidence()).verdict).toBe('could-not-run');
});

test('a request that the contract does not have may go without an answer, next to a refusal', () => {
  const failedAside = { probes: [answer('x6', 500)], isAside: true };
  expect(obtainNoToken([{ probes: [refused] }, failedAside], valid, evidence).verdict).toBe('passed');
  expect(obtainNoToken([failedAside], valid, evidence).verdict).toBe('could-not-run');
  expect(obtainNoToken([{ probes: [refused] }, failedAside], valid, blankEvidence()).verdict).toBe(
    'could-not-run',
  );
});

function answer(id: string, status: number, issued = false): Answered {
  const fields = { bodyBytes: 2, tokenResponse: { issued, unclear: false, mismatches: [] } };
  const request = { method: 'POST', path: '/token/', headers: [] };
  return { ...answered(1, status, fields, 'a form'), id, request };
}
