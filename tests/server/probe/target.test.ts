import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../support/usage-error.ts';
import { readTarget, reportDir } from './target.ts';

const SECRET = 'hunter2';
const env = {
  MRS_BASE_URL: 'https://mrs.example/api',
  MRS_CLIENT_ID: 'station',
  MRS_CLIENT_SECRET: SECRET,
};

test('a deployment is named by three variables', () => {
  expect(readTarget(env)).toStrictEqual({
    baseUrl: 'https://mrs.example/api',
    clientId: 'station',
    clientSecret: SECRET,
    healthPaths: [],
    maxWaitSeconds: 120,
    timeoutSeconds: 10,
    bodyLimitBytes: 33_554_432,
    safe: false,
  });
});

test('the other variables say what the specification leaves open', () => {
  const more = { MRS_TOKEN_LIFETIME: '15m', MRS_EXPIRED_TOKEN: 'old', MRS_HEALTH_PATHS: '/live, /ready/,' };
  expect(readTarget({ ...env, ...more })).toMatchObject({
    tokenLifetimeSeconds: 900,
    expiredToken: 'old',
    healthPaths: ['/live', '/ready/'],
  });
});

test('variables make a run safe, allow plain http, and make its limits other ones', () => {
  const limits = { MRS_MAX_WAIT: '1h', MRS_TIMEOUT: '500ms', MRS_BODY_LIMIT: '1' };
  const plain = { MRS_BASE_URL: 'http://mrs.example/', MRS_ALLOW_HTTP: '1' };
  expect(readTarget({ ...env, ...plain, ...limits, MRS_SAFE: '1' })).toMatchObject({
    ...{ baseUrl: 'http://mrs.example', safe: true },
    ...{ maxWaitSeconds: 3600, timeoutSeconds: 0.5, bodyLimitBytes: 1_048_576 },
  });
});

test('an optional variable that is empty counts as not set', () => {
  const empty = { MRS_TOKEN_LIFETIME: '', MRS_EXPIRED_TOKEN: '', MRS_HEALTH_PATHS: '' };
  expect(readTarget({ ...env, ...empty })).toStrictEqual(readTarget(env));
});

for (const [text, baseUrl] of [
  ['https://host', 'https://host'],
  ['https://host/', 'https://host'],
  ['https://host///', 'https://host'],
  ['https://HOST:443/base/path/', 'https://host/base/path'],
  ['http://localhost:8080/a//', 'http://localhost:8080/a'],
  ['http://[::1]:8080/x/', 'http://[::1]:8080/x'],
  ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ['https://host/a%20b', 'https://host/a%20b'],
  ['https://[2001:db8::1]/x/', 'https://[2001:db8::1]/x'],
] as const)
  test(`the base URL ${text} is taken as ${baseUrl}`, () => {
    expect(readTarget({ ...env, MRS_BASE_URL: text }).baseUrl).toBe(baseUrl);
  });

const NO_URL = '--base-url (MRS_BASE_URL) is not a URL that begins with http:// or https://.';
const MORE = '--base-url (MRS_BASE_URL) has a user name, a query or a fragment. Leave that out.';
const EXPOSED = 'where anyone on the network path can read the client secret.';
const UNSENDABLE = 'MRS_EXPIRED_TOKEN has a character that no Authorization header can carry.';

for (const [variable, value, sentence] of [
  ['MRS_BASE_URL', undefined, '--base-url (MRS_BASE_URL) is not set.'],
  ['MRS_BASE_URL', '', '--base-url (MRS_BASE_URL) is set to nothing.'],
  ['MRS_CLIENT_ID', '', '--client-id (MRS_CLIENT_ID) is set to nothing.'],
  ['MRS_USER_AGENT', 'a\r\nb: c', '--user-agent (MRS_USER_AGENT) is "a\r\nb: c".'],
  ['MRS_CLIENT_SECRET', '', 'MRS_CLIENT_SECRET is not set.'],
  ['MRS_BASE_URL', 'mrs.example', NO_URL],
  ['MRS_BASE_URL', 'localhost:4010', NO_URL],
  ['MRS_BASE_URL', 'ftp://mrs.example', NO_URL],
  ['MRS_BASE_URL', 'http://', NO_URL],
  ['MRS_BASE_URL', `https://me:${SECRET}@mrs.example`, MORE],
  ['MRS_BASE_URL', 'https://me@mrs.example', MORE],
  ['MRS_BASE_URL', 'https://mrs.example?a=b', MORE],
  ['MRS_BASE_URL', 'https://mrs.example/#a', MORE],
  ['MRS_BASE_URL', 'http://mrs.example', EXPOSED],
  ['MRS_BASE_URL', 'http://127.0.0.1.example', EXPOSED],
  ['MRS_SAFE', 'yes', 'MRS_SAFE is "yes". Set it to 1, or leave it out.'],
  ['MRS_ALLOW_HTTP', 'on', 'MRS_ALLOW_HTTP is "on". Set it to 1, or leave it out.'],
  ['MRS_MAX_WAIT', '0', '--max-wait (MRS_MAX_WAIT) is "0", which is not a duration above zero.'],
  ['MRS_BODY_LIMIT', '0', '--body-limit (MRS_BODY_LIMIT) is "0". Give a whole number of MiB from 1 to 1024.'],
  [
    'MRS_BODY_LIMIT',
    '1 GiB',
    '--body-limit (MRS_BODY_LIMIT) is "1 GiB". Give a whole number of MiB from 1 to 1024.',
  ],
  ['MRS_TIMEOUT', '-1', '--timeout (MRS_TIMEOUT) is "-1", which is not a duration above zero.'],
  [
    'MRS_TOKEN_LIFETIME',
    'soon',
    '--token-lifetime (MRS_TOKEN_LIFETIME) is "soon", which is not a duration above zero.',
  ],
  [
    'MRS_TOKEN_LIFETIME',
    '0',
    '--token-lifetime (MRS_TOKEN_LIFETIME) is "0", which is not a duration above zero.',
  ],
  [
    'MRS_HEALTH_PATHS',
    '/health,ready',
    '--health-paths (MRS_HEALTH_PATHS) holds "ready". Each path starts with a slash',
  ],
  ['MRS_HEALTH_PATHS', 'https://mrs.example/health', 'Each path starts with a slash'],
  ['MRS_HEALTH_PATHS', '/he alth', 'Each path starts with a slash'],
  ['MRS_EXPIRED_TOKEN', 'two words', UNSENDABLE],
  ['MRS_EXPIRED_TOKEN', 'a\r\nx: y', UNSENDABLE],
] as const)
  test(`${variable} ${value === undefined ? 'missing' : JSON.stringify(value)} gets a sentence`, () => {
    const read = () => readTarget({ ...env, [variable]: value });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
  });

test('no sentence repeats the secret or the expired token, wherever the mistake is', () => {
  const wrong: [name: string, value: string][] = [
    ['MRS_BASE_URL', 'x'],
    ['MRS_BASE_URL', `https://mrs.example/?client_secret=${SECRET}`],
    ['MRS_BASE_URL', `https://mrs.example/#${SECRET}`],
    ['MRS_BASE_URL', `me:${SECRET}@x`],
    ['MRS_TOKEN_LIFETIME', 'x'],
    ['MRS_HEALTH_PATHS', 'x'],
    ['MRS_CLIENT_ID', ''],
    ['MRS_EXPIRED_TOKEN', 'old token'],
  ];
  for (const [name, value] of wrong)
    expect(sentenceOf({ ...env, MRS_EXPIRED_TOKEN: 'old-token', [name]: value })).not.toMatch(
      /hunter2|old.token/,
    );
});

test('reports go where MRS_REPORT_DIR says, and otherwise to reports', () => {
  expect(reportDir({ MRS_REPORT_DIR: '/tmp/elsewhere' })).toBe('/tmp/elsewhere');
  expect(reportDir({ MRS_REPORT_DIR: '' })).toBe('reports/verify');
  expect(reportDir({})).toBe('reports/verify');
});

function sentenceOf(variables: NodeJS.ProcessEnv): string {
  try {
    readTarget(variables);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}
