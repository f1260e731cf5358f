/** Health checks in recorded traffic, at the paths that are named. */
import { expect, test } from 'vitest';
import { type MadeCall, reactiveTraffic, tokenNamed } from '../../tests/traffic/testing/har.ts';
import { reportOnCalls, withoutAuthorization } from './testing/judged.ts';

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

/** The verdicts of MRS-4.3a and MRS-4.3b, the checks, and what else is not as usual. */
type Row = [
  exists: string,
  answers: string,
  MadeCall[],
  { healthPaths?: string[]; reason?: string | RegExp }?,
];

const ROWS: Record<string, Row> = {
  'is served without a token': ['passed', 'passed', [plain()]],
  'says that the service is not well': ['passed', 'passed', [plain({ status: 503 })]],
  'is refused without a token': ['passed', 'failed', [plain({ status: 401 })]],
  'is served only with a token': ['passed', 'failed', [plain({ status: 404 }), withToken()]],
  'does not exist': ['not-seen', 'not-seen', [plain({ status: 404 })]],
  'does not exist, which only a token shows': [
    'not-seen',
    'not-seen',
    [plain({ status: 401 }), withToken({ status: 404 })],
  ],
  'is a page where a token brings JSON': [
    'passed',
    'not-seen',
    [plain({ type: 'text/html', body: '<p>Sign in</p>' }), withToken()],
  ],
  'breaks down': ['not-seen', 'not-seen', [plain({ status: 502 })]],
  'always carries a token': ['not-seen', 'not-seen', [withToken()], { reason: CARRIED }],
  'carries a cookie': [
    'not-seen',
    'not-seen',
    [plain({ headers: { cookie: 'session=1' } })],
    { reason: CARRIED },
  ],
  'is at a path that was not named': [
    'not-seen',
    'not-seen',
    [plain({ status: 404 })],
    { healthPaths: [], reason: NOT_NAMED },
  ],
  'is asked for by another method than the one that was named': [
    'not-seen',
    'not-seen',
    [plain({ status: 404 })],
    { healthPaths: ['POST /health/'] },
  ],
  'has a method and a query': [
    'passed',
    'failed',
    [plain({ method: 'POST', path: '/ready?deep=1', status: 401 })],
    { healthPaths: ['POST /ready?deep=1'] },
  ],
};

for (const [what, [exists, answers, checks, given = {}]] of Object.entries(ROWS))
  test(`a recorded health check that ${what} is judged`, async () => {
    const { healthPaths = ['/health/'], reason } = given;
    const report = await reportOnCalls([...reactiveTraffic(), ...checks], { healthPaths });
    const requirements = report.server.items.filter(({ group }) => group === 'server.4.3');
    expect(requirements.map(({ verdict }) => verdict)).toEqual([exists, answers]);
    if (reason !== undefined) expect(requirements[0]?.reason).toMatch(reason);
  });

test('a recorded health check that is not there may be at another path than the option names', async () => {
  const missing = plain({ status: 404 });
  const { server } = await reportOnCalls([...reactiveTraffic(), missing], { healthPaths: ['/health/'] });
  const [exists] = server.items.filter(({ id }) => id === 'MRS-4.3a');
  expect(exists?.reason).toMatch(/: 404, .* Either the path is wrong.* Correct --health-paths, or report/);
});

test('a health check without a token shows nothing in a file without any Authorization header', async () => {
  const calls = [...reactiveTraffic(), plain({ status: 401 })];
  const { server } = await reportOnCalls(withoutAuthorization(calls), { healthPaths: ['/health/'] });
  const requirements = server.items.filter(({ group }) => group === 'server.4.3');
  expect(requirements.map(({ verdict }) => verdict)).toEqual(['not-seen', 'not-seen']);
});
