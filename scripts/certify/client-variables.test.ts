/** What a client receives: the variables of the mock, and its user's environment without those of a deployment. */
import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  type ClientVariables,
  checkPlaceholders,
  clientEnvironment,
  readAlias,
  withPlaceholders,
} from './client-variables.ts';

const variables: ClientVariables = {
  MRS_BASE_URL: 'http://127.0.0.1:1',
  MRS_DATA_URL: 'http://127.0.0.1:1/ods_data/',
  MRS_CLIENT_ID: 'client-1',
  MRS_CLIENT_SECRET: 'of-the-mock',
  MRS_CLIENT_SECRET_FILE: '/tmp/secret',
  MRS_TOKEN_LIFETIME: '3',
};

/** The message of the UsageError that it throws. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'it was accepted';
}

test('aliases add up, and the last one of a name counts', () => {
  const first = readAlias('URL=MRS_BASE_URL');
  expect(readAlias('_id2=MRS_CLIENT_ID', first)).toEqual({ URL: 'MRS_BASE_URL', _id2: 'MRS_CLIENT_ID' });
  expect(readAlias('URL=MRS_CLIENT_ID', first)).toEqual({ URL: 'MRS_CLIENT_ID' });
});

for (const text of [
  'URL',
  'URL=',
  '=MRS_BASE_URL',
  '2URL=MRS_BASE_URL',
  'A-B=MRS_BASE_URL',
  'URL=http://x',
  'URL=MRS_MOCK_CONTROL_KEY',
  'URL=mrs_base_url',
  'URL=MRS_BASE_URL ',
])
  test(`--env "${text}" is refused with the names that there are`, () => {
    const said = refusal(() => readAlias(text));
    expect(said).toContain(
      'as URL=MRS_BASE_URL. Ours are MRS_BASE_URL, MRS_DATA_URL, MRS_CLIENT_ID, MRS_CLIENT_SECRET,',
    );
    expect(said).not.toContain('http://x'); // It may have been a secret.
  });

test('a client finds the variables of the mock under our names and its own', () => {
  const env = clientEnvironment({ HOME: '/root' }, variables, {
    URL: 'MRS_BASE_URL',
    KEY: 'MRS_CLIENT_SECRET',
  });
  expect(env).toMatchObject({ ...variables, HOME: '/root', URL: 'http://127.0.0.1:1', KEY: 'of-the-mock' });
});

test('what is set for another deployment gives way to the mock, and what has no counterpart is not handed on', () => {
  const other = [
    ...[
      'MRS_BASE_URL',
      'MRS_DATA_URL',
      'MRS_CLIENT_ID',
      'MRS_CLIENT_SECRET',
      'MRS_CLIENT_SECRET_FILE',
      'MRS_TOKEN_LIFETIME',
    ],
    ...['MRS_EXPIRED_TOKEN', 'MRS_MOCK_CONTROL_KEY'],
  ];
  const own = Object.fromEntries(other.map((name) => [name, 'of-another']));
  const env = clientEnvironment({ ...own, URL: 'of-another' }, variables, { URL: 'MRS_BASE_URL' });
  expect(Object.entries(env).filter(([, value]) => value === 'of-another')).toEqual([]);
  expect(Object.keys(env)).not.toContain('MRS_EXPIRED_TOKEN');
});

test('the key of a gateway in front of another deployment is not handed on', () => {
  const own = { MRS_HEADER: 'X-Api-Key=env:GATEWAY_KEY,X-Tenant=env:TENANT', GATEWAY_KEY: 'k', TENANT: 't' };
  const names = Object.keys(clientEnvironment({ ...own, OTHER: 'o' }, variables));
  expect(names.filter((name) => name in own)).toEqual([]);
  expect(names).toContain('OTHER');
});

test('what a program needs to run is handed on as it is', () => {
  const own = { PATH: '/bin', NODE_OPTIONS: '--no-warnings', HTTPS_PROXY: 'http://proxy', MRS_READERS: '5' };
  expect(clientEnvironment(own, variables)).toMatchObject(own);
});

for (const [own, direct] of [
  [{}, '127.0.0.1,localhost'],
  [{ NO_PROXY: 'intern.example' }, 'intern.example,127.0.0.1,localhost'],
  [{ no_proxy: 'intern.example' }, 'intern.example,127.0.0.1,localhost'],
  [{ NO_PROXY: '' }, '127.0.0.1,localhost'],
] as const)
  test(`with ${JSON.stringify(own)} no proxy is asked for the mock`, () => {
    const { NO_PROXY, no_proxy } = clientEnvironment(own, variables);
    expect([NO_PROXY, no_proxy]).toEqual([direct, direct]);
  });

test('placeholders are filled in wherever they stand, and other braces stay', () => {
  const args = [
    '{MRS_CLIENT_ID}',
    '--url={MRS_BASE_URL}/{x}',
    '{MRS_TOKEN_LIFETIME}{MRS_TOKEN_LIFETIME}',
    '{}',
  ];
  expect(() => checkPlaceholders(args)).not.toThrow();
  expect(withPlaceholders(args, variables)).toEqual(['client-1', '--url=http://127.0.0.1:1/{x}', '33', '{}']);
});

test('a placeholder of the secret is refused: every user can read arguments', () => {
  const said = refusal(() => checkPlaceholders(['node', '{MRS_CLIENT_ID}', '--secret={MRS_CLIENT_SECRET}']));
  expect(said).toContain('every user of this machine can read arguments');
  expect(said).toContain('{MRS_CLIENT_SECRET_FILE}');
  expect(() => checkPlaceholders(['{MRS_CLIENT_SECRET_FILE}'])).not.toThrow();
});

test('an unknown placeholder is refused with a list of the known ones', () => {
  expect(refusal(() => checkPlaceholders(['--url', '{MRS_URL}']))).toBe(
    'An argument holds {MRS_URL}, which is not a placeholder. The placeholders are ' +
      '{MRS_BASE_URL}, {MRS_DATA_URL}, {MRS_CLIENT_ID}, {MRS_CLIENT_SECRET_FILE}, {MRS_TOKEN_LIFETIME}.',
  );
});
