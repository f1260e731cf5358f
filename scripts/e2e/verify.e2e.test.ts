/** The suite, as `mrs verify` runs it, against deployments that are right, wrong or free to differ. */
import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { type Answer, client, html, json, startDeployment, type Traits } from './testing/deployment.ts';
import { judgeAll } from './testing/judge-all.ts';
import { failedIn, verify } from './testing/verify-run.ts';

/** Some remember what was asked before, so that each deployment has its own. */
type MakeTraits = () => Partial<Traits>;

test('a correct deployment is conformant, at a cost of at most ninety requests', async () => {
  await using deployment = await startDeployment();
  const run = await verify(deployment.env);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(run.report).toMatchObject({ outcome: 'conformant', counts: { failed: 0, 'could-not-run': 0 } });
  expect(run.report?.counts.passed).toBe(ledger.filter(isBinding).length);
  expect(run.stdout.trimEnd().split('\n').at(-1)).toMatch(/^outcome: conformant \(\d+ passed, 0 failed, /);
  // Four, and another for each that a busy machine let expire.
  expect(deployment.tokens.length).toBeGreaterThanOrEqual(4);
  expect(run.report?.requests).toBe(deployment.calls.length);
  expect(deployment.calls.length).toBeLessThanOrEqual(90);
  // The path of a report is as long as it is.
  const lines = run.stdout.split('\n').filter((line) => !line.startsWith('report: '));
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
});

const defects: Record<string, { traits: MakeTraits; fails: string[] }> = {
  'answers a token request with 201': {
    traits: () => ({ issued: (token) => json(201, { token }) }),
    fails: ['MRS-4.1a'],
  },
  'has a field besides token': {
    traits: () => ({ issued: (token) => json(200, { token, token_type: 'Bearer' }) }),
    fails: ['MRS-4.1l'],
  },
  'issues a number': {
    traits: () => ({ issued: () => json(200, { token: 12_345_678 }) }),
    fails: ['MRS-2a'],
  },
  'sends the token as text/html': {
    traits: () => ({ issued: (token) => html(200, JSON.stringify({ token })) }),
    fails: ['MRS-4.1k'],
  },
  'wants an Authorization header at the token endpoint': {
    traits: () => ({ issuesFor: ({ headers }, valid) => valid && headers.authorization !== undefined }),
    fails: ['MRS-4.1a', 'MRS-4.1b'],
  },
  'issues a token for any form': {
    traits: () => ({ issuesFor: () => true }),
    fails: ['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'],
  },
  'takes any secret': {
    traits: () => ({
      issuesFor: ({ form }) =>
        form.get('grant_type') === 'client_credentials' &&
        form.get('client_id') === client.id &&
        form.has('client_secret'),
    }),
    fails: ['MRS-4.1i', 'MRS-4.1j'],
  },
  'issues one token and no second': {
    traits: () => {
      let issued = 0;
      return { issuesFor: (_, valid) => valid && issued++ === 0 };
    },
    fails: ['MRS-4.1m', 'MRS-5.6b'],
  },
  'gives the data to no token': {
    traits: () => ({ opens: () => false }),
    fails: ['MRS-4.2a'],
  },
  'serves the data as HTML': {
    traits: () => ({ data: () => html(200, '<table></table>') }),
    fails: ['MRS-4.2b'],
  },
  'gives the data without a token': {
    traits: () => ({ opens: ({ kind }) => kind === 'valid' || kind === 'missing' }),
    fails: ['MRS-1.3'],
  },
  'gives the data to any token': {
    traits: () => ({ opens: ({ kind }) => kind !== 'missing' }),
    fails: ['MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-7a'],
  },
  'takes tokens that look like its own': {
    traits: () => ({
      send: (answer, { path, token }) =>
        path === '/ods_data/' && answer.status === 401 && token?.startsWith('tok-')
          ? json(200, { requests: [{ number: 1 }] })
          : answer,
    }),
    fails: ['MRS-5.5b'],
  },
  'takes a token once': {
    traits: () => ({ opens: ({ kind, uses }) => kind === 'valid' && uses === 1 }),
    fails: ['MRS-5.3b'],
  },
  'takes a token twice, and cannot answer in between': {
    traits: () => {
      const calls = new Map<string, number>();
      return {
        send(answer, { path, token }) {
          if (path !== '/ods_data/' || !token || answer.status !== 200) return answer;
          const nth = calls.get(token) ?? 0;
          calls.set(token, nth + 1);
          return [answer, { status: 502 }, json(403, {})][nth] ?? answer;
        },
      };
    },
    fails: ['MRS-5.3b'],
  },
  'gives the records beside its refusal, with the time': {
    traits: () => ({
      refusedToken: ({ kind }) =>
        kind === 'expired'
          ? json(403, {})
          : json(401, { error: 'no token', at: performance.now(), last: [{ number: 1 }, { number: 2 }] }),
      data: () => json(200, { requests: [{ number: 1 }, { number: 2 }] }),
    }),
    fails: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'],
  },
  'issues tokens by another status after the first': {
    traits: () => {
      let nth = 0;
      return {
        issued: (token) => (nth++ === 0 ? json(200, { token }) : json(201, { token, renewed: true })),
      };
    },
    fails: ['MRS-4.1a', 'MRS-4.1l'],
  },
  'takes a token three times': {
    traits: () => ({
      opens: ({ kind, uses }) => kind === 'valid' && uses <= 3,
    }),
    fails: ['MRS-5.3b'],
  },
  'takes a token three times, and cannot answer in between': {
    traits: () => {
      let calls = 0;
      return {
        opens: ({ kind, uses }) => kind === 'valid' && uses <= 3,
        send: (answer, { path, token }) =>
          path === '/ods_data/' && token && ++calls === 2 ? { status: 502 } : answer,
      };
    },
    fails: ['MRS-5.3b'],
  },
  'lets no token expire': {
    traits: () => ({ opens: ({ kind }) => kind === 'valid' || kind === 'expired' }),
    fails: ['MRS-5.6a', 'MRS-7a'],
  },
  'answers an expired token with 401': {
    traits: () => ({ refusedToken: () => json(401, { error: 'expired' }) }),
    fails: ['MRS-7a'],
  },
  'sends an expired token to a log-in page': {
    traits: () => ({ refusedToken: () => ({ status: 302, headers: { location: '/login' } }) }),
    fails: ['MRS-7a'],
  },
  'refuses the second token that it issues': {
    traits: () => {
      const first = { seen: '' };
      return {
        send(answer, { path, token = '' }) {
          if (path !== '/ods_data/' || answer.status !== 200) return answer;
          first.seen ||= token;
          return token === first.seen ? answer : json(403, {});
        },
      };
    },
    fails: ['MRS-5.6b'],
  },
  'has no health check': {
    traits: () => ({ health: () => json(404, {}) }),
    fails: ['MRS-4.3a'],
  },
  'wants a token for its health check': {
    traits: () => ({ health: ({ token }) => json(token ? 200 : 403, {}) }),
    fails: ['MRS-4.3b'],
  },
  'has no health check, and asks for a token before it says so': {
    traits: () => ({ health: ({ token }) => json(token ? 404 : 401, {}) }),
    fails: ['MRS-4.3a'],
  },
  'has two health checks, of which one cannot answer and the other is not there': {
    traits: () => ({
      healthPaths: ['/live/', '/ready/'],
      health: ({ path }) => json(path === '/live/' ? 500 : 404, {}),
    }),
    fails: ['MRS-4.3a'],
  },
  'has two health checks, of which one cannot answer and the other wants a token': {
    traits: () => ({
      healthPaths: ['/live/', '/ready/'],
      health: ({ path, token }) => json(path === '/live/' ? 500 : token ? 200 : 401, {}),
    }),
    fails: ['MRS-4.3b'],
  },
};

test('a deployment that is wrong in one way fails what names it, and that alone', async () => {
  const reports = await judgeAll(Object.values(defects).map(({ traits }) => ({ traits: traits() })));
  for (const [nth, [what, { fails }]] of Object.entries(defects).entries()) {
    expect.soft(failedIn(reports[nth]), `a deployment that ${what}`).toEqual(fails);
    expect.soft(reports[nth], what).toMatchObject({ outcome: 'nonconformant', problems: [] });
  }
});

test('each requirement is failed by a deployment that is wrong', () => {
  const failed = new Set(Object.values(defects).flatMap(({ fails }) => fails));
  expect([...failed].toSorted()).toEqual(
    ledger
      .filter(isBinding)
      .map(({ id }) => id)
      .toSorted(),
  );
});

const permitted: Record<string, MakeTraits> = {
  'refuses all with 403, and issues what looks like a JWT': () => ({
    refusedToken: () => json(403, { error: 'no' }),
    mint: (serial) =>
      `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}!!`)}`,
  }),
  'answers a missing token with a page to log in, and wrong forms with an empty 400': () => ({
    refusedToken: ({ kind }) => (kind === 'missing' ? html(200) : json(403, {})),
    refusedForm: () => ({ status: 400 }),
    mint: (serial) => `a+/${serial}bc+d/e==`,
  }),
  'redirects those without a token, and compresses what it sends': () => ({
    refusedToken: ({ kind }) =>
      kind === 'missing' ? { status: 302, headers: { location: '/login' } } : json(403, {}),
    send: (answer) => (answer.body ? compressed(answer) : answer),
  }),
  'has a base path, issues the same token until it expires, and sends its data with a charset': () => ({
    basePath: '/api/v1',
    mint: (serial, current) => current ?? `tok-${serial}-abcdefghij`,
    data: () => ({
      status: 200,
      headers: { 'content-type': 'Application/JSON; charset="utf-8"' },
      body: '[1, 2]',
    }),
  }),
  'keeps the newest token alone alive, serves an empty object, and is healthy as 204 elsewhere': () => ({
    opens: ({ kind, newest }) => kind === 'valid' && newest,
    data: () => json(200, {}),
    healthPaths: ['/status/live'],
    health: () => ({ status: 204 }),
  }),
  'has no data, is healthy as text, and tells no wrong form from another': () => ({
    data: () => ({ status: 204 }),
    health: () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }),
    refusedForm: () => html(404),
  }),
  'sends data that is new each time, and long tokens': () => {
    let nth = 0;
    return {
      data: () => json(200, { at: ++nth, requests: Array(nth).fill({ id: nth }) }),
      mint: (serial) => `${serial}.${'abcdefgh'.repeat(500)}`,
    };
  },
  'is unwell, and refuses everybody with an empty 200': () => ({
    health: () => json(503, { up: false }),
    refusedToken: ({ kind }) => ({ status: kind === 'expired' ? 403 : 200 }),
  }),
  'puts data and errors in one envelope, with status 200': () => ({
    data: () => json(200, { status: 'ok', result: [{ number: 1 }] }),
    refusedToken: ({ kind }) =>
      kind === 'expired' ? json(403, {}) : json(200, { status: 'error', message: 'Log in.' }),
  }),
  'has one envelope for all, in which the data of a refusal is null': () => ({
    data: () => json(200, { success: true, data: [{ number: 1 }], error: null }),
    refusedToken: ({ kind }) =>
      json(kind === 'expired' ? 403 : 200, { success: false, data: null, error: 'No token.' }),
  }),
  'serves a list, and an empty one to who has no token': () => ({
    data: () => json(200, [{ number: 1 }]),
    refusedToken: ({ kind }) => (kind === 'expired' ? json(403, {}) : json(200, [])),
  }),
  'has a field token in its errors': () => ({
    refusedForm: () => json(401, { error: 'refused', token: 'none' }),
  }),
  'says in its errors what is unknown': () => ({
    refusedForm: () => json(400, { error: 'refused', client_secret: 'unknown', token_hint: 'connection' }),
  }),
  'locks a client after three wrong forms': () => {
    let wrong = 0;
    return {
      issuesFor: (_, valid) => valid && wrong < 3,
      refusedForm: () => json(++wrong > 3 ? 403 : 400, {}),
    };
  },
  'answers a health check to POST alone': () => ({
    healthPaths: ['POST /ready'],
    send: (answer, { method, path }) =>
      path === '/ready' ? { status: method === 'POST' ? 200 : 404 } : answer,
  }),
  'tells more of its health to who has a token': () => ({
    health: ({ token }) => json(200, token ? { up: true, queue: 3 } : { up: true }),
  }),
  'answers a wrong form with a text that is not a token': () => ({
    refusedForm: () => ({
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: 'tok-1-abcdefghijabcdefghij',
    }),
  }),
  'answers a wrong form with a string that is not a token, as jwt': () => ({
    refusedForm: () => json(200, { jwt: 'tok-1-abcdefghijabcdefghij' }),
  }),
  'issues tokens of one character': () => ({ mint: (serial) => 'xpqzabcdefghijklmno'[serial] ?? 'w' }),
};

test('a deployment that differs where the specification is open is conformant', async () => {
  const reports = await judgeAll(Object.values(permitted).map((traits) => ({ traits: traits() })));
  for (const [nth, what] of Object.keys(permitted).entries()) {
    expect.soft(failedIn(reports[nth]), `a deployment that ${what}`).toEqual([]);
    expect.soft(reports[nth], what).toMatchObject({ outcome: 'conformant', problems: [] });
  }
});

const unsettled: Record<string, { traits: MakeTraits; cannotRun: string[] }> = {
  'shows a page to log in at its health check to who has no token': {
    traits: () => ({ health: ({ token }) => (token ? json(200, { up: true }) : html(200)) }),
    cannotRun: ['MRS-4.3b'],
  },
  'breaks down on its health check': {
    traits: () => ({ health: () => ({ status: 500 }) }),
    cannotRun: ['MRS-4.3a', 'MRS-4.3b'],
  },
  'limits its health check': {
    traits: () => ({ health: () => ({ status: 429, headers: { 'retry-after': '60' } }) }),
    cannotRun: ['MRS-4.3a', 'MRS-4.3b'],
  },
  'asks for something else than a token at its health check': {
    traits: () => ({ health: () => html(403) }),
    cannotRun: ['MRS-4.3b'],
  },
  'has a gateway that cannot reach it from the second read on': {
    traits: () => {
      let calls = 0;
      return {
        send: (answer, { path, token }) =>
          path === '/ods_data/' && token && ++calls > 1 ? { status: 502 } : answer,
      };
    },
    cannotRun: ['MRS-5.3b', 'MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'],
  },
};

test('a deployment that settles nothing is not judged on it', async () => {
  const reports = await judgeAll(Object.values(unsettled).map(({ traits }) => ({ traits: traits() })));
  for (const [nth, [what, { cannotRun }]] of Object.entries(unsettled).entries()) {
    const left = (reports[nth]?.requirements ?? []).filter(({ verdict }) => verdict === 'could-not-run');
    expect
      .soft(
        left.map(({ id }) => id),
        `a deployment that ${what}`,
      )
      .toEqual(cannotRun);
    expect.soft(reports[nth], what).toMatchObject({ outcome: 'incomplete', problems: [] });
  }
});

const base64url = (text: string) => Buffer.from(text).toString('base64url');

function compressed({ status, headers, body = '' }: Answer): Answer {
  return { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
}
