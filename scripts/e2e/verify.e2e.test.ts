/**
 * The suite against deployments that share no code with the mock, so that no mistake of the mock can hide in both: one that
 * is correct, one for each requirement, and what no deployment of the proof does. The proof has hundreds of others.
 */
import { expect, _baseTest as test } from '@playwright/test';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { html, json, startDeployment, type Traits } from './testing/deployment.ts';
import { judgeAll } from './testing/judge-all.ts';
import { factIn, failedIn, itemsIn, verify } from './testing/verify-run.ts';

/** Some remember what was asked before, so that each deployment has its own. */
type MakeTraits = () => Partial<Traits>;

test('a correct deployment is conformant, at a cost of at most ninety requests', async () => {
  await using deployment = await startDeployment();
  const run = await verify(deployment.env);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(run.report).toMatchObject({ outcome: 'conformant' });
  expect(run.report?.items.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(
    ledger.filter(isBinding).map(({ id }) => `${id} passed`),
  );
  expect(run.stdout.trimEnd().split('\n').at(-1)).toMatch(/^outcome: conformant \(\d+ passed, 0 failed, /);
  // Four, and another for each that a busy machine let expire.
  expect(deployment.tokens.length).toBeGreaterThanOrEqual(4);
  expect(factIn(run.report, 'Requests')).toMatch(new RegExp(`^${deployment.calls.length} in `));
  expect(deployment.calls.length).toBeLessThanOrEqual(90);
  // The path of a report is as long as it is.
  const lines = run.stdout.split('\n').filter((line) => !line.startsWith('report: '));
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
});

const breaksInBetween: MakeTraits = () => {
  const calls = new Map<string, number>();
  return {
    send(answer, { path, token }) {
      if (path !== '/ods_data/' || !token || answer.status !== 200) return answer;
      const nth = calls.get(token) ?? 0;
      calls.set(token, nth + 1);
      return [answer, { status: 502 }, json(403, {})][nth] ?? answer;
    },
  };
};
const failsFromSecondRead: MakeTraits = () => {
  let calls = 0;
  return {
    send: (answer, { path, token }) =>
      path === '/ods_data/' && token && ++calls > 1 ? { status: 502 } : answer,
  };
};
const issuesOne: MakeTraits = () => {
  let issued = 0;
  return { issuesFor: (_, valid) => valid && issued++ === 0 };
};
const twoHealthChecks =
  (other: (token: string | undefined) => number): MakeTraits =>
  () => ({
    healthPaths: ['/live/', '/ready/'],
    health: ({ path, token }) => json(path === '/live/' ? 500 : other(token), {}),
  });

const defects: Record<string, [traits: MakeTraits, fails: string]> = {
  'answers a token request with 201': [() => ({ issued: (token) => json(201, { token }) }), 'MRS-4.1a'],
  'has a field besides token': [
    () => ({ issued: (token) => json(200, { token, scope: 'all' }) }),
    'MRS-4.1l',
  ],
  'issues a number': [() => ({ issued: () => json(200, { token: 12_345_678 }) }), 'MRS-2a'],
  'sends the token as text/html': [
    () => ({ issued: (token) => html(200, JSON.stringify({ token })) }),
    'MRS-4.1k',
  ],
  'wants an Authorization header at the token endpoint': [
    () => ({ issuesFor: ({ headers }, valid) => valid && headers.authorization !== undefined }),
    'MRS-4.1a MRS-4.1b',
  ],
  'issues a token for any form': [
    () => ({ issuesFor: () => true }),
    'MRS-4.1e MRS-4.1f MRS-4.1g MRS-4.1h MRS-4.1i MRS-4.1j',
  ],
  'issues one token and no second': [issuesOne, 'MRS-4.1m MRS-5.6b'],
  'gives the data to no token': [() => ({ opens: () => false }), 'MRS-4.2a'],
  'serves the data as HTML': [() => ({ data: () => html(200, '<table></table>') }), 'MRS-4.2b'],
  'gives the data without a token': [
    () => ({ opens: ({ kind }) => kind === 'valid' || kind === 'missing' }),
    'MRS-1.3',
  ],
  'gives the data to any token': [
    () => ({ opens: ({ kind }) => kind !== 'missing' }),
    'MRS-5.5a MRS-5.5b MRS-5.6a MRS-7a',
  ],
  'takes a token once': [() => ({ opens: ({ kind, uses }) => kind === 'valid' && uses === 1 }), 'MRS-5.3b'],
  'has no health check': [() => ({ health: () => json(404, {}) }), 'MRS-4.3a'],
  'wants a token for its health check': [
    () => ({ health: ({ token }) => json(token ? 200 : 403, {}) }),
    'MRS-4.3b',
  ],
  'takes a token twice, and cannot answer in between': [breaksInBetween, 'MRS-5.3b'],
  'has two health checks, of which one cannot answer and the other is not there': [
    twoHealthChecks(() => 404),
    'MRS-4.3a',
  ],
  'has two health checks, of which one cannot answer and the other wants a token': [
    twoHealthChecks((token) => (token ? 200 : 401)),
    'MRS-4.3b',
  ],
};

test('a deployment that is wrong in one way fails what names it, and only that', async () => {
  const reports = await judgeAll(Object.values(defects).map(([traits]) => ({ traits: traits() })));
  for (const [nth, [what, [, fails]]] of Object.entries(defects).entries()) {
    expect.soft(failedIn(reports[nth]).join(' '), `a deployment that ${what}`).toBe(fails);
    expect.soft(reports[nth], what).toMatchObject({ outcome: 'nonconformant', problems: [] });
  }
  const failed = new Set(reports.flatMap(failedIn));
  const binding = ledger.filter(isBinding).map(({ id }) => id);
  expect(binding.filter((id) => !failed.has(id))).toEqual([]);
});

/** Each deployment, and what could not run. */
const others: Record<string, [traits: Partial<Traits>, cannotRun: string]> = {
  'answers a health check to POST only': [
    {
      healthPaths: ['POST /ready'],
      send: (answer, { method, path }) =>
        path === '/ready' ? { status: method === 'POST' ? 200 : 404 } : answer,
    },
    '',
  ],
  'answers a wrong form with a text that is not a token': [
    {
      refusedForm: () => ({
        ...{ status: 200, headers: { 'content-type': 'text/plain' } },
        body: 'tok-1-abcdefghijabcdefghij',
      }),
    },
    '',
  ],
  'answers a wrong form with a string that is not a token, as jwt': [
    { refusedForm: () => json(200, { jwt: 'tok-1-abcdefghijabcdefghij' }) },
    '',
  ],
  'shows a page to log in at its health check to a user without a token': [
    { health: ({ token }) => (token ? json(200, { up: true }) : html(200)) },
    'MRS-4.3b',
  ],
  'breaks down on its health check': [{ health: () => ({ status: 500 }) }, 'MRS-4.3a MRS-4.3b'],
  'limits its health check': [
    { health: () => ({ status: 429, headers: { 'retry-after': '60' } }) },
    'MRS-4.3a MRS-4.3b',
  ],
  'asks for something else than a token at its health check': [{ health: () => html(403) }, 'MRS-4.3b'],
  'has a gateway that cannot reach it from the second read on': [
    failsFromSecondRead(),
    'MRS-5.3b MRS-5.5a MRS-5.5b MRS-5.6a MRS-5.6b MRS-7a',
  ],
};

test('a deployment that differs where the specification is open, or that decides nothing, is not blamed', async () => {
  const reports = await judgeAll(Object.values(others).map(([traits]) => ({ traits })));
  for (const [nth, [what, [, cannotRun]]] of Object.entries(others).entries()) {
    const report = reports[nth];
    const left = itemsIn(report, 'could-not-run');
    expect.soft(failedIn(report), what).toEqual([]);
    expect.soft(left.map(({ id }) => id).join(' '), what).toBe(cannotRun);
    const outcome = cannotRun === '' ? 'conformant' : 'incomplete';
    expect.soft(report, what).toMatchObject({ outcome, problems: [] });
  }
});
