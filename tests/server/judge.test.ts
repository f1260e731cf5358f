import { expect, test } from 'vitest';
import { isBinding, ledger } from '../support/requirements.ts';
import { judgeAll } from './judge.ts';
import type { Answered, Evidence } from './support/evidence.ts';
import { describeJson } from './support/json.ts';
import { answered, blankEvidence } from './testing/evidence.ts';

/** Evidence of a run that sent nothing to a deployment with a health check. */
const nothing = (): Evidence => ({
  ...blankEvidence(),
  health: [{ plain: { what: 'a health check', notSent: 'Nothing was sent.' } }],
  target: { baseUrl: 'https://mrs.example', clientId: 'station', healthPaths: ['/health/'] },
});

test('each requirement that binds a deployment is judged, once, and none passes without evidence', () => {
  const { verdicts, problems } = judgeAll(nothing());
  expect(problems).toEqual([]);
  expect(verdicts.map(({ id }) => id).toSorted()).toEqual(
    ledger
      .filter(isBinding)
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['could-not-run']));
});

test('a health check that is missing is a violation only at a path that the profile states', () => {
  const health = [{ plain: answered(1, 404, {}, 'the health check /health/ without a token') }];
  const { target } = nothing();
  const verdictOf = (more: Partial<Evidence['target']>) =>
    judgeAll({ ...nothing(), health, target: { ...target, ...more } }).verdicts.find(
      ({ id }) => id === 'MRS-4.3a',
    );
  expect(verdictOf({})).toMatchObject({
    verdict: 'could-not-run',
    reason: expect.stringContaining('Correct --health-paths'),
  });
  expect(verdictOf({ statesHealthPaths: true })).toMatchObject({ verdict: 'failed' });
});

test('a token response with two fields too many says so', () => {
  const evidence = nothing();
  const mismatches = ['expires_in', 'scope'].map((name) => ({
    ...{ pointer: '', keyword: 'additionalProperties', expected: `no further field, but there is ${name}` },
  }));
  const json = describeJson({ wellFormed: true, value: { token: 'x', expires_in: 1, scope: 'y' } });
  const issued = answered(1, 200, { json });
  const tokenResponse = { issued: true, unclear: false, mismatches };
  evidence.probes['token.valid'] = { ...issued, response: { ...issued.response, tokenResponse } };
  const found = judgeAll(evidence).verdicts.find(({ id }) => id === 'MRS-4.1l');
  expect(found?.expected).toBe('no further field, but there is expires_in, and 1 more difference');
});

test('evidence that the suite cannot judge is a problem of the run, and not a verdict on the deployment', () => {
  const { health: _, ...broken } = nothing();
  const { verdicts, problems } = judgeAll(broken as Evidence);
  expect(problems).toContainEqual(expect.stringMatching(/^MRS-4\.3a could not be judged: /));
  expect(verdicts.find(({ id }) => id === 'MRS-4.3a')).toMatchObject({ verdict: 'could-not-run' });
});

test('a token that opened the data after its end: each read of it is cited', () => {
  const evidence = nothing();
  const read = (nth: number, what: string, status: number): Answered => {
    const json = describeJson({ wellFormed: true, value: { records: status === 200 ? [{ id: 1 }] : [] } });
    return answered(
      nth,
      status,
      { bodyBytes: 9, mediaType: 'application/json', digest: String(status), json },
      what,
    );
  };
  Object.assign(evidence.probes, {
    'data.first': read(1, 'the data', 200),
    'data.expiredToken': read(4, 'the expired token', 200),
    'data.expiredAgain': read(5, 'the expired token again', 403),
    'data.expiredLast': read(6, 'the expired token, at the end', 200),
  });
  const issued = read(0, 'a form', 200);
  const tokenResponse = { issued: true, unclear: false, mismatches: [] };
  evidence.probes['token.valid'] = { ...issued, response: { ...issued.response, tokenResponse } };
  evidence.repeated = [read(2, 'the expired token', 200), read(3, 'another request', 200)];
  const judged = judgeAll(evidence).verdicts.find(({ id }) => id === 'MRS-5.6a');
  expect(judged).toMatchObject({ verdict: 'failed', exchanges: ['x4', 'x6'] });
});
