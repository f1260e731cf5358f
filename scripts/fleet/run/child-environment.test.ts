import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import { VERIFY_OPTIONS } from '../../commands/verify.ts';
import { inSettings } from '../settings.ts';
import { childEnvironment } from './child-environment.ts';

const entry: Entry = {
  name: 'a',
  baseUrl: 'https://a.example',
  clientId: 'acme',
  clientSecret: { env: 'SECRET_A' },
  line: 1,
};
const env = {
  PATH: '/bin',
  HTTPS_PROXY: 'http://proxy.example',
  SECRET_A: 'of-a',
  SECRET_B: 'of-b',
  GATEWAY_KEY: 'of-the-gateway',
  MRS_CLIENT_SECRET: 'of-another-run',
  MRS_BASE_URL: 'https://other.example',
  GITHUB_TOKEN: 'of-the-job',
  NODE_OPTIONS: '--inspect',
};

test('run gets its own secret, and nothing of the environment that may be one of another', () => {
  expect(childEnvironment(entry, '/fleet', env)).toEqual({
    variables: {
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy.example',
      MRS_BASE_URL: 'https://a.example',
      MRS_CLIENT_ID: 'acme',
      MRS_CLIENT_SECRET: 'of-a',
    },
    secrets: ['of-a'],
    problems: [],
  });
});

test('run of a feed gets no secret', () => {
  const { variables, secrets } = childEnvironment({ name: 'a', feed: 'x', line: 1 }, '/fleet', env);
  expect([Object.keys(variables), secrets]).toEqual([['PATH', 'HTTPS_PROXY'], []]);
});

test('secret of a file stays in the file, which is relative to the fleet file', () => {
  const folder = test.info().outputPath('.');
  writeFileSync(test.info().outputPath('secret'), 'of-the-file\n');
  const { variables, secrets } = childEnvironment(
    { ...entry, clientSecret: { file: 'secret' } },
    folder,
    env,
  );
  expect(variables).toMatchObject({ MRS_CLIENT_SECRET_FILE: test.info().outputPath('secret') });
  expect(variables).not.toHaveProperty('MRS_CLIENT_SECRET');
  expect(secrets).toEqual(['of-the-file']);
});

test('settings reach mrs verify in its variables', () => {
  const folder = test.info().outputPath('.');
  writeFileSync(test.info().outputPath('known.yaml'), '[]');
  const settings: Entry = {
    ...entry,
    tokenLifetime: 60,
    healthPaths: ['/live', 'POST /ready'],
    safe: true,
    allowHttp: false,
    baseline: 'known.yaml',
    profile: 'profiles/mine.overlay.yaml',
    headers: { 'X-Api-Key': { env: 'GATEWAY_KEY' } },
  };
  const { variables, secrets } = childEnvironment(settings, folder, env);
  expect(variables).toMatchObject({
    MRS_TOKEN_LIFETIME: '60',
    MRS_HEALTH_PATHS: '/live,POST /ready',
    MRS_SAFE: '1',
    MRS_BASELINE: test.info().outputPath('known.yaml'),
    MRS_PROFILE: test.info().outputPath('profiles/mine.overlay.yaml'),
    MRS_HEADER: 'X-Api-Key=env:GATEWAY_KEY',
    GATEWAY_KEY: 'of-the-gateway',
  });
  expect(variables).not.toHaveProperty('MRS_ALLOW_HTTP');
  expect(secrets).toEqual(['of-a', 'of-the-gateway']);
});

test('profile of the package is known by its name', () => {
  const { variables } = childEnvironment({ ...entry, profile: 'nrao-ods' }, '/fleet', env);
  expect(variables.MRS_PROFILE).toBe('nrao-ods');
});

test('variable that is not set is named, unless it may be the secret itself', () => {
  const read = (name: string) =>
    childEnvironment({ ...entry, clientSecret: { env: name } }, '/fleet', env).problems;
  const problem = (text: string) => [{ setting: 'clientSecret', text: `${text} Set it in the environment.` }];
  expect(read('SECRET_C')).toEqual(problem('clientSecret is in the variable SECRET_C, which is not set.'));
  expect(read('hunter2')).toEqual(problem('clientSecret is in a variable, which is not set.'));
});

test('secret file that is missing is one of its setting', () => {
  const settings: Entry = { ...entry, expiredToken: { file: 'nowhere' } };
  expect(childEnvironment(settings, '/fleet', env).problems).toEqual([
    {
      setting: 'expiredToken',
      text: 'The expiredToken file "/fleet/nowhere" cannot be read (ENOENT). Name a file you can read.',
    },
  ]);
});

for (const [what, file, reason] of [
  ['device that never ends', '/dev/zero', 'is not a regular file'],
  ['directory', '/', 'is a directory'],
] as const)
  test(`${what} is refused in the place of each file`, () => {
    const settings: Entry = {
      ...entry,
      clientSecret: { file },
      expiredToken: { file },
      ca: file,
      baseline: file,
    };
    const { variables, problems } = childEnvironment(settings, '/fleet', env);
    expect(problems.map(({ setting, text }) => `${setting}: ${text}`)).toEqual(
      ['ca', 'baseline', 'clientSecret', 'expiredToken'].map((setting) =>
        expect.stringMatching(
          new RegExp(`^${setting}: The ${setting}( file)? "${file}" ${reason}\\. Name a file`),
        ),
      ),
    );
    expect(Object.values(variables)).not.toContain(file);
  });

for (const [message, expected] of [
  [
    '--client-id (MRS_CLIENT_ID) is not set. mrs verify --help lists what is needed.',
    'clientId is missing. Add it to the deployment, or to the defaults.',
  ],
  [
    '--token-lifetime (MRS_TOKEN_LIFETIME) is "soon", which is not a duration.',
    'tokenLifetime is "soon", which is not a duration.',
  ],
  ['Use https, or give --allow-http (MRS_ALLOW_HTTP=1).', 'Use https, or set allowHttp: true.'],
  ['MRS_CLIENT_SECRET_FILE is a directory.', 'clientSecret is a directory.'],
  ['--header (MRS_HEADER) has X twice.', 'headers has X twice.'],
] as const)
  test(`mistake "${message}" is one of a setting`, () => {
    expect(inSettings(message)).toBe(expected);
  });

test('every option of mrs verify that is about a deployment is a setting', () => {
  const folder = test.info().outputPath('.');
  for (const name of ['ca.pem', 'known.yaml']) writeFileSync(test.info().outputPath(name), '');
  const all: Entry = {
    ...entry,
    expiredToken: { env: 'SECRET_A' },
    mockControlKey: { env: 'SECRET_A' },
    ca: 'ca.pem',
    headers: { 'X-Api-Key': { env: 'GATEWAY_KEY' } },
    profile: 'nrao-ods',
    tokenLifetime: 60,
    healthPaths: ['/live'],
    userAgent: 'neutral/1',
    maxWait: 60,
    timeout: 5,
    bodyLimit: 1,
    safe: true,
    allowHttp: true,
    baseline: 'known.yaml',
  };
  const { variables } = childEnvironment(all, folder, env);
  const other = ['MRS_CLIENT_SECRET_FILE', 'MRS_REPORT_DIR', 'MRS_DRAFT_PROFILE', 'MRS_QUESTIONS'];
  const options = Object.values(VERIFY_OPTIONS).flatMap((row) => ('variable' in row ? row.variable : []));
  expect(options.filter((name) => !(name in variables) && !other.includes(name))).toEqual([]);
});
