/** Health checks in recorded traffic, at the paths that are named. */
import { expect, _baseTest as test } from '@playwright/test';
import { type MadeCall, reactiveTraffic, tokenNamed } from '../../tests/traffic/testing/har.ts';
import { reportOnCalls } from './testing/judged.ts';

const HEALTHY = { status: 'ok' };
const plain = (more: Partial<MadeCall> = {}): MadeCall => ({
  at: 20,
  path: '/health/',
  body: HEALTHY,
  ...more,
});
const withToken = (more: Partial<MadeCall> = {}): MadeCall =>
  plain({ at: 21, headers: { authorization: `Bearer ${tokenNamed(1)}` }, ...more });
const NOT_NAMED = /^The specification does not show the paths/;
const CARRIED = 'Each health check carried a token, a cookie or a key.';

interface Row {
  what: string;
  checks: MadeCall[];
  healthPaths?: string[];
  /** The verdicts of MRS-4.3a and MRS-4.3b. */
  verdicts: [exists: string, answers: string];
  reason?: string | RegExp;
}

const ROWS: Row[] = [
  { what: 'is served without a token', checks: [plain()], verdicts: ['passed', 'passed'] },
  {
    what: 'says that the service is not well',
    checks: [plain({ status: 503 })],
    verdicts: ['passed', 'passed'],
  },
  { what: 'is refused without a token', checks: [plain({ status: 401 })], verdicts: ['passed', 'failed'] },
  {
    what: 'is served only with a token',
    checks: [plain({ status: 404 }), withToken()],
    verdicts: ['passed', 'failed'],
  },
  { what: 'does not exist', checks: [plain({ status: 404 })], verdicts: ['failed', 'not-seen'] },
  {
    what: 'does not exist, which only a token shows',
    checks: [plain({ status: 401 }), withToken({ status: 404 })],
    verdicts: ['failed', 'not-seen'],
  },
  {
    what: 'is a page where a token brings JSON',
    checks: [plain({ type: 'text/html', body: '<p>Sign in</p>' }), withToken()],
    verdicts: ['passed', 'not-seen'],
  },
  {
    what: 'breaks down',
    checks: [plain({ status: 502 })],
    verdicts: ['not-seen', 'not-seen'],
  },
  {
    what: 'always carries a token',
    checks: [withToken()],
    verdicts: ['not-seen', 'not-seen'],
    reason: CARRIED,
  },
  {
    what: 'carries a cookie',
    checks: [plain({ headers: { cookie: 'session=1' } })],
    verdicts: ['not-seen', 'not-seen'],
    reason: CARRIED,
  },
  {
    what: 'is at a path that was not named',
    checks: [plain({ status: 404 })],
    healthPaths: [],
    verdicts: ['not-seen', 'not-seen'],
    reason: NOT_NAMED,
  },
  {
    what: 'is asked for by another method than the one that was named',
    checks: [plain({ status: 404 })],
    healthPaths: ['POST /health/'],
    verdicts: ['not-seen', 'not-seen'],
  },
  {
    what: 'has a method and a query',
    checks: [plain({ method: 'POST', path: '/ready?deep=1', status: 401 })],
    healthPaths: ['POST /ready?deep=1'],
    verdicts: ['passed', 'failed'],
  },
];

for (const { what, checks, healthPaths = ['/health/'], verdicts, reason } of ROWS)
  test(`a recorded health check that ${what} is judged`, async () => {
    const report = await reportOnCalls([...reactiveTraffic(), ...checks], { healthPaths });
    const requirements = report.server.requirements.filter(({ clause }) => clause === '4.3');
    expect(requirements.map(({ verdict }) => verdict)).toEqual(verdicts);
    if (reason !== undefined) expect(requirements[0]?.evidence.reason).toMatch(reason);
  });

test('a recorded health check that does not exist is reported by the option that names it', async () => {
  const missing = plain({ status: 404 });
  const { server } = await reportOnCalls([...reactiveTraffic(), missing], { healthPaths: ['/health/'] });
  const [exists] = server.requirements.filter(({ id }) => id === 'MRS-4.3a');
  expect(exists?.evidence.expected).toContain('check --health-paths first');
  expect(exists?.evidence.exchanges).toHaveLength(1);
});

test('a health check without a token shows nothing in a file without any Authorization header', async () => {
  const calls = [...reactiveTraffic(), plain({ status: 401 })];
  const exported = calls.map((call) => {
    const { authorization: _, ...headers } = call.headers ?? {};
    return { ...call, headers };
  });
  const { server } = await reportOnCalls(exported, { healthPaths: ['/health/'] });
  const requirements = server.requirements.filter(({ clause }) => clause === '4.3');
  expect(requirements.map(({ verdict }) => verdict)).toEqual(['not-seen', 'not-seen']);
});
