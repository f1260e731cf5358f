import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE, poisoned } from '../../report/testing/hostile.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import { commandFor, curlFor } from './curl.ts';
import { reportOf } from './report.ts';
import { evidence, FAILED, runOf } from './testing/sample-reports.ts';

const tokenRequest = evidence.probes['token.cutClientSecret'] as Exchange;
const dataRequest = evidence.probes['data.first'] as Exchange;
const target = { baseUrl: 'https://base', clientId: 'id' };
const variables = {
  MRS_CLIENT_SECRET: 's e"c$r\'et',
  MRS_EXPIRED_TOKEN: 'expired',
  MRS_CA: '/corp.pem',
  TOKEN: 'abc.DEF',
  FORGED_TOKEN: 'forged',
  GATEWAY_KEY: 'gate-7f3a',
  COOKIES: 'sid=1; lang=en',
};
const { MRS_CLIENT_SECRET: SECRET } = variables;

/** The arguments that a shell gives to curl for `command`. Fails where that leaves a file behind. */
function argumentsOf(command: string): string[] {
  const cwd = mkdtempSync(join(tmpdir(), 'mrs-curl-'));
  try {
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
    const received = execFileSync('bash', ['--norc', '-c', script], {
      cwd,
      env: { PATH: process.env.PATH, ...variables },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(readdirSync(cwd)).toEqual([]);
    return received.split('\0').slice(0, -1);
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** What curl gets for a request to the data, or for another target. */
const curl = (request: Partial<Exchange['request']>, to: object = {}): string[] =>
  argumentsOf(
    curlFor({ request: { ...dataRequest.request, headers: [], ...request } }, { ...target, ...to }),
  );
const URL_OF_DATA = ['--url', 'https://base/ods_data/'];

test('a read is sent with a token that is obtained first, and that has expired where the request needs that', () => {
  const to = { ...target, tokenLifetimeSeconds: 60 };
  const { probes } = evidence;
  const linesOf = (what: string, path = dataRequest.request.path) =>
    commandFor({ what, request: { ...dataRequest.request, path } }, { target: to, probes }).split('\n');
  const [obtain, ...others] = linesOf(dataRequest.what);
  expect(obtain).toMatch(/^TOKEN=\$\{TOKEN:-\$\(curl --silent .* \| sed -n .*\)\}$/);
  expect(others).toEqual([curlFor(dataRequest, to)]);
  expect(linesOf('the data with the expired token')[1]).toBe('sleep 67 # until the token has expired');
  expect(linesOf('the data with the same token once more')[1]).toMatch(
    /^for nth in \$\(seq 3\); do curl .*; done$/,
  );
  expect(commandFor(tokenRequest, { target: to, probes })).toBe(curlFor(tokenRequest, to));
  const cut = { client_secret: '‹the client_secret without its last character›' };
  const request = { ...tokenRequest.request, form: cut };
  expect(commandFor({ ...tokenRequest, request }, { target: to, probes })).toMatch(
    /^: "\$\{MRS_CLIENT_SECRET:\?\}"\ncurl /,
  );
});

for (const [what, received, expected] of [
  [
    'decodes what it accepts',
    () => curl({ headers: [['accept-encoding', 'gzip, deflate, br']] }),
    ['--compressed', ...URL_OF_DATA],
  ],
  [
    'trusts the authority that the run trusted',
    () => curl({}, { hasOwnAuthorities: true }),
    ['--cacert', '/corp.pem', ...URL_OF_DATA],
  ],
  [
    'has credentials by an option',
    () => curl({ headers: [['authorization', 'Basic ‹client id and secret›']] }),
    [...URL_OF_DATA, '--user', `id:${SECRET}`],
  ],
  ['names POST without a form', () => curl({ method: 'POST' }), ['--request', 'POST', ...URL_OF_DATA]],
  [
    'takes a set of addresses as it is',
    () => curl({ path: '/a[1-9]{b,c}' }),
    ['--globoff', '--url', 'https://base/a[1-9]{b,c}'],
  ],
  [
    'sends an empty header, and reads no file for a name',
    () =>
      curl({
        headers: [
          ['x-empty', ''],
          ['@/etc/passwd', 'x'],
        ],
      }),
    [...URL_OF_DATA, '--header', 'x-empty;'],
  ],
  [
    'takes no option for a base URL',
    () => curl({}, { baseUrl: '--config=/tmp/x' }),
    ['--url', '--config=/tmp/x/ods_data/'],
  ],
  [
    'reads no file for the name of a field',
    () => curl({ method: 'POST', form: { '@/etc/passwd': 'x' } }),
    [...URL_OF_DATA, '--data-urlencode', '%40%2Fetc%2Fpasswd=x'],
  ],
  ...Object.entries({
    ...{ 'client secret': SECRET, 'the client_secret without its last character': SECRET.slice(0, -1) },
    ...{ 'the client_secret and a space after it': `${SECRET} `, 'expired token': 'expired' },
    ...{ 'made up': '‹made up›', 'token 1': 'abc.DEF', 'token 12': 'abc.DEF' },
    ...{ 'the cookies of the data': 'sid=1; lang=en', $GATEWAY_KEY: 'gate-7f3a' },
    ...{ 'the token, one character altered': 'forged', 'a random token of the same form': 'forged' },
  }).map(
    ([alias, value]) =>
      [
        `gets ${value} for ‹${alias}›`,
        () => curl({ headers: [['x-test', `a‹${alias}›b`]] }),
        [...URL_OF_DATA, '--header', `x-test: a${value}b`],
      ] as const,
  ),
] as [string, () => string[], string[]][])
  test(`curl ${what}`, () => {
    expect(received()).toEqual(['--include', ...expected]);
  });

/** No argument holds a NUL or half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');
const POISONED_NOT = new Set(['id', 'kind', 'healthPaths', 'type', 'startedAt']);

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: every word reaches curl unchanged, in one line that runs nothing else`, () => {
    const received = curl({ path: `/${text}`, headers: [['x-test', text]] });
    expect(received).toContain(`https://base/${storable(text)}`);
    expect(received).toContain(`x-test: ${storable(text)}`);
    const hostile = poisoned<Evidence>(evidence, text, POISONED_NOT);
    const { items } = reportOf(runOf({ evidence: hostile, verdicts: [FAILED] }));
    const [command = '', ...others] = items.flatMap((item) => item.command ?? []);
    expect(others).toEqual([]);
    expect(argumentsOf(command)).toContain('--data-urlencode');
    expect(command).toMatch(/^curl /);
    expect(command).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
