import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createSecrets } from '../../support/secrets.ts';
import { outputPath } from '../../support/testing/output-path.ts';
import { UsageError } from '../../support/usage-error.ts';
import { DEPLOYMENT_OPTIONS } from './options.ts';
import { registerSecrets, targetIn } from './target.ts';
import { createCertificate } from './testing/certificate.ts';

const SECRET = 'hunter2';
const env = {
  MRS_BASE_URL: 'https://mrs.example/api',
  MRS_CLIENT_ID: 'station',
  MRS_CLIENT_SECRET: SECRET,
  ...{ KEY: 's3cret-of-the-gateway', TENANT: 'acme', EMPTY: '', LINE: 's3cret\n', WIDE: 's3crét' },
};
const plain = {
  ...{ baseUrl: 'https://mrs.example/api', clientId: 'station', clientSecret: SECRET, healthPaths: [] },
  ...{ maxWaitSeconds: 120, timeoutSeconds: 10, safe: false },
};

for (const [what, more, changed] of [
  ['three variables name a deployment', {}, {}],
  [
    'an optional variable that is empty counts as not set',
    { MRS_TOKEN_LIFETIME: '', MRS_EXPIRED_TOKEN: '', MRS_HEALTH_PATHS: '', MRS_HEADER: '', MRS_SAFE: '' },
    {},
  ],
  [
    'the other variables say what the specification leaves open',
    { MRS_TOKEN_LIFETIME: '15m', MRS_EXPIRED_TOKEN: 'old', MRS_HEALTH_PATHS: '/live, /ready/,POST /up' },
    { tokenLifetimeSeconds: 900, expiredToken: 'old', healthPaths: ['/live', '/ready/', 'POST /up'] },
  ],
  [
    'variables make a run safe, allow plain http, and change its limits',
    {
      ...{ MRS_BASE_URL: 'http://mrs.example/', MRS_ALLOW_HTTP: '1', MRS_SAFE: '1' },
      ...{ MRS_MAX_WAIT: '1h', MRS_TIMEOUT: '500ms' },
    },
    {
      ...{ baseUrl: 'http://mrs.example', safe: true },
      ...{ maxWaitSeconds: 3600, timeoutSeconds: 0.5 },
    },
  ],
  [
    'headers of a gateway take their values from variables',
    { MRS_HEADER: 'X-Api-Key=env:KEY, x-tenant=env:TENANT' },
    {
      gatewayHeaders: [
        { name: 'X-Api-Key', variable: 'KEY', value: env.KEY },
        { name: 'x-tenant', variable: 'TENANT', value: 'acme' },
      ],
    },
  ],
  ...[
    ['https://host///', 'https://host'],
    ['https://HOST:443/base/path/', 'https://host/base/path'],
    ['http://localhost:8080/a//', 'http://localhost:8080/a'],
    ['http://[::1]:8080/x/', 'http://[::1]:8080/x'],
    ['https://host/a%20b', 'https://host/a%20b'],
  ].map(
    ([text, baseUrl]) =>
      [`the base URL ${text} is taken as ${baseUrl}`, { MRS_BASE_URL: text }, { baseUrl }] as const,
  ),
] as const)
  test(what, () => {
    expect(targetIn({ ...env, ...more })).toStrictEqual({ ...plain, ...changed });
  });

const NO_URL = 'MRS_BASE_URL is not a URL that begins with http:// or https://.';
const MORE = 'MRS_BASE_URL has a user name, a query or a fragment. Leave that out.';
const EXPOSED = 'where anyone on the network path can read the client secret.';
const UNSENDABLE = 'MRS_EXPIRED_TOKEN has a character that no Authorization header can carry.';
const NO_DURATION = (option: string, value: string) =>
  `${option} is "${value}", which is not a duration above zero.`;
const NO_NAME = 'MRS_HEADER has a header whose name is invalid.';
const TAKES = 'MRS_HEADER takes X-Api-Key from the variable';

for (const [variable, value, sentence] of [
  ['MRS_BASE_URL', undefined, 'MRS_BASE_URL is not set.'],
  ['MRS_BASE_URL', '', 'MRS_BASE_URL is set to nothing.'],
  ['MRS_CLIENT_ID', '', 'MRS_CLIENT_ID is set to nothing.'],
  ['MRS_CLIENT_SECRET', '', 'MRS_CLIENT_SECRET is not set.'],
  ...['x', 'localhost:4010', 'ftp://mrs.example', 'http://', `me:${SECRET}@x`].map(
    (url) => ['MRS_BASE_URL', url, NO_URL] as const,
  ),
  ...[`me:${SECRET}@mrs.example`, 'me@mrs.example', `mrs.example?a=${SECRET}`, `mrs.example/#${SECRET}`].map(
    (rest) => ['MRS_BASE_URL', `https://${rest}`, MORE] as const,
  ),
  ['MRS_BASE_URL', 'http://mrs.example', EXPOSED],
  ['MRS_USER_AGENT', 'a\r\nb: c', 'MRS_USER_AGENT is "a\r\nb: c".'],
  ['MRS_SAFE', 'maybe', 'MRS_SAFE is "maybe". Set it to 1, or leave it out.'],
  ['MRS_MAX_WAIT', '0', NO_DURATION('MRS_MAX_WAIT', '0')],
  ['MRS_TIMEOUT', '2h', 'MRS_TIMEOUT is "2h". Give a duration from 100ms to 1h.'],
  ['MRS_TOKEN_LIFETIME', 'soon', NO_DURATION('MRS_TOKEN_LIFETIME', 'soon')],
  ['MRS_HEALTH_PATHS', '/health,ready', 'MRS_HEALTH_PATHS holds "ready". Each path starts with a slash'],
  ['MRS_HEALTH_PATHS', 'https://mrs.example/health/', 'holds a URL. Give only its path below the base URL'],
  ['MRS_HEALTH_PATHS', '/he alth', 'Each path starts with a slash'],
  ['MRS_EXPIRED_TOKEN', 'old token', UNSENDABLE],
  ['MRS_EXPIRED_TOKEN', 'old\r\ntoken: y', UNSENDABLE],
  ...['s3cret', 'X-Api-Key=env:KEY,s3cret', 'X-Api-Key: s3cret', '=env:KEY'].map(
    (text) => ['MRS_HEADER', text, NO_NAME] as const,
  ),
  ['MRS_HEADER', 'X-Api-Key=s3cret', 'does not name a variable for X-Api-Key. Put the value into one'],
  ['MRS_HEADER', 'X-Api-Key=env:NOWHERE', `${TAKES} NOWHERE, which is not set. Set it`],
  ['MRS_HEADER', 'X-Api-Key=env:EMPTY', `${TAKES} EMPTY, which is not set.`],
  ['MRS_HEADER', 'X-Api-Key=env:LINE', `${TAKES} LINE, which has a character that no header can carry.`],
  ['MRS_HEADER', 'X-Api-Key=env:WIDE', `${TAKES} WIDE, which has a character that no header can carry.`],
  ...['Authorization', 'User-Agent', 'Content-Length', 'host', 'Proxy-Authorization', 'Cookie'].map(
    (name) => ['MRS_HEADER', `${name}=env:KEY`, `has ${name}, which the run sets itself, or`] as const,
  ),
] as const)
  test(`${variable} ${value === undefined ? 'missing' : JSON.stringify(value)} gets a sentence without secrets`, () => {
    const read = () => targetIn({ ...env, MRS_EXPIRED_TOKEN: 'old-token', [variable]: value });
    expect(read).toThrow(UsageError);
    expect(read).toThrow(sentence);
    expect(read).not.toThrow(/hunter2|s3cr|old.token/);
  });

test('the key of a gateway is a secret, and a shorter value, such as that of a tenant, is not', () => {
  const secrets = createSecrets();
  registerSecrets(targetIn({ ...env, MRS_HEADER: 'X-Api-Key=env:KEY,x-tenant=env:TENANT' }), secrets);
  const percent = `%73${env.KEY.slice(1)}`;
  expect([env.KEY, btoa(`gateway:${env.KEY}`), percent].map((text) => secrets.leaks(text))).toEqual(
    Array(3).fill(['$KEY']),
  );
  expect(secrets.leaks(env.TENANT)).toEqual([]);
});

const authoritiesIn = (file: string) => DEPLOYMENT_OPTIONS.ca.parse(file, 'MRS_CA');
const one = createCertificate('one', {});
const other = createCertificate('other', {}).cert;

for (const [what, text, found] of [
  [
    'with a bundle gives its certificates, whatever is around them',
    `# one\r\n${one.cert.replaceAll('\n', '\r\n')}\nsubject=other\n${other}`,
    [one.cert.trim(), other.trim()],
  ],
  ['that is empty is refused', '', 'which holds no PEM certificate (-----BEGIN CERTIFICATE-----). Name'],
  ['with a key only is refused', one.key, 'which holds no PEM certificate '],
  [
    'in a binary form is refused',
    Buffer.from(other.replace(/-.*-/g, ''), 'base64'),
    'which holds no PEM certificate ',
  ],
  ['that is cut off is refused', other.slice(0, 100), 'which holds no PEM certificate '],
  [
    'with a damaged certificate is refused',
    one.cert + other.replace(/\nM.{20}/, '\nM'),
    'which holds a damaged one. Name another file.',
  ],
] as const)
  test(`a file of authorities ${what}`, () => {
    const file = outputPath('ca.pem');
    writeFileSync(file, text);
    const read = () => authoritiesIn(file).map((pem) => pem.replaceAll('\r', '').trim());
    if (typeof found === 'object') return expect(read()).toEqual(found);
    expect(read).toThrow(found);
    expect(read).toThrow(`MRS_CA names ${file}`);
  });

test('authorities in a missing file or a folder are refused with its name', () => {
  expect(() => authoritiesIn('/nowhere/ca.pem')).toThrow(
    'MRS_CA names /nowhere/ca.pem, which cannot be read (ENOENT). Name a file you can read.',
  );
  expect(() => authoritiesIn('/')).toThrow('which cannot be read (EISDIR)');
});

test('the value of a Basic Authorization header is a secret', () => {
  const secrets = createSecrets();
  registerSecrets({ clientId: 'station', clientSecret: SECRET }, secrets);
  const header = `Basic ${Buffer.from(`station:${SECRET}`).toString('base64')}`;
  expect(secrets.redact(header)).toBe('Basic ‹client id and secret›');
});
