import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { HOSTILE, poisoned } from '../../report/testing/hostile.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import { curlFor } from './curl.ts';
import { reportOf } from './report.ts';
import { evidence, FAILED, runOf } from './testing/sample-reports.ts';

const tokenRequest = evidence.token.cutClientSecret as Exchange;
const dataRequest = evidence.data.first as Exchange;

const target = { baseUrl: 'https://base', clientId: 'id' };

const variables = {
  MRS_CLIENT_SECRET: 's e"c$r\'et',
  MRS_EXPIRED_TOKEN: 'expired',
  MRS_CA: '/corp.pem',
  TOKEN: 'abc.DEF',
  FORGED_TOKEN: 'forged',
};

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

const requesting = (request: Partial<Exchange['request']>): Exchange => ({
  ...dataRequest,
  request: { ...dataRequest.request, headers: [], ...request },
});

test('a request that accepts content codings becomes one that curl decodes', () => {
  const headers: [string, string][] = [
    ['accept', 'application/json'],
    ['accept-encoding', 'gzip, deflate, br'],
  ];
  const sent = argumentsOf(curlFor(requesting({ headers }), target));
  expect(sent).toContain('--compressed');
  expect(sent.join()).not.toContain('accept-encoding');
});

test('where the run trusted an authority of its own, curl does', () => {
  const command = curlFor(dataRequest, { ...target, hasOwnAuthorities: true });
  expect(argumentsOf(command).slice(1, 3)).toEqual(['--cacert', '/corp.pem']);
});

test('a token request is a form with a variable in the place of the secret', () => {
  expect(curlFor(tokenRequest, evidence.target)).toBe(
    "curl --include --url 'https://mrs.example.org/api/token/' --header 'accept: application/json' " +
      "--data-urlencode 'grant_type=client_credentials' --data-urlencode 'client_id=acme' " +
      '--data-urlencode "client_secret=$MRS_CLIENT_SECRET"',
  );
});

test('a request with a token names it by a variable', () => {
  expect(curlFor(dataRequest, target)).toBe(
    `curl --include --url 'https://base/ods_data/' --header "authorization: Bearer $TOKEN"`,
  );
});

for (const [alias, value] of Object.entries({
  'client secret': variables.MRS_CLIENT_SECRET,
  'expired token': 'expired',
  'token 1': 'abc.DEF',
  'token 12': 'abc.DEF',
  'token, altered': 'forged',
  'token, cut': 'abc.DE',
  'token, cut at its beginning': 'bc.DEF',
  'token, with a character before it': 'xabc.DEF',
  'token, extended': 'abc.DEFx',
  'token, in the other case': 'ABC.def',
  'token, without its signature': 'abc.',
  'client secret, cut': variables.MRS_CLIENT_SECRET.slice(0, -1),
  'client secret, extended': `${variables.MRS_CLIENT_SECRET} `,
  'made up': '‹made up›',
}))
  test(`the alias ‹${alias}› reaches curl as ${value}`, () => {
    const headers: [string, string][] = [['x-test', `a‹${alias}›b`]];
    expect(argumentsOf(curlFor(requesting({ headers }), target))).toContain(`x-test: a${value}b`);
  });

test('credentials in a header become the option for them', () => {
  const headers: [string, string][] = [['authorization', 'Basic ‹client id and secret›']];
  expect(argumentsOf(curlFor(requesting({ headers }), target))).toEqual([
    ...['--include', '--url', 'https://base/ods_data/', '--user'],
    `id:${variables.MRS_CLIENT_SECRET}`,
  ]);
});

test('the method is named where curl would take another', () => {
  expect(argumentsOf(curlFor(requesting({ method: 'HEAD' }), target))).toContain('--head');
  expect(argumentsOf(curlFor(requesting({ method: 'PUT' }), target)).slice(1, 3)).toEqual([
    '--request',
    'PUT',
  ]);
  expect(argumentsOf(curlFor(requesting({ method: 'POST' }), target)).slice(1, 3)).toEqual([
    '--request',
    'POST',
  ]);
});

test('a path that looks like a set of addresses is taken as it stands', () => {
  expect(argumentsOf(curlFor(requesting({ path: '/a[1-9]{b,c}' }), target))).toEqual([
    ...['--include', '--globoff', '--url', 'https://base/a[1-9]{b,c}'],
  ]);
});

test('a header without a value is sent, and a name that would make curl read a file is not', () => {
  const headers: [string, string][] = [
    ['x-empty', ''],
    ['@/etc/passwd', 'x'],
  ];
  expect(argumentsOf(curlFor(requesting({ headers }), target)).slice(3)).toEqual(['--header', 'x-empty;']);
});

test('the base URL of evidence that was made up cannot become an option', () => {
  const received = argumentsOf(curlFor(requesting({}), { ...target, baseUrl: '--config=/tmp/x' }));
  expect(received.slice(1)).toEqual(['--url', '--config=/tmp/x/ods_data/']);
});

test('the name of a form field cannot make curl read a file', () => {
  const field = argumentsOf(
    curlFor(requesting({ method: 'POST', form: { '@/etc/passwd': 'x' } }), target),
  ).at(-1);
  expect(field).toBe('%40%2Fetc%2Fpasswd=x');
});

/** No argument holds a NUL or half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`hostile ${name}: every word reaches curl unchanged`, () => {
    const received = argumentsOf(
      curlFor(requesting({ path: `/${text}`, headers: [['x-test', text]] }), target),
    );
    expect(received).toContain(`https://base/${storable(text)}`);
    expect(received).toContain(`x-test: ${storable(text)}`);
  });

  test(`hostile ${name}: the command is one line, runs nothing else and holds nothing unseen`, () => {
    const hostile = poisoned<Evidence>(
      evidence,
      text,
      new Set(['id', 'kind', 'healthPaths', 'type', 'startedAt']),
    );
    const { items } = reportOf(runOf({ evidence: hostile, verdicts: [FAILED] }));
    const commands = items.flatMap(({ command }) => command ?? []);
    expect(commands).toHaveLength(1);
    for (const command of commands) {
      expect(argumentsOf(command)).toContain('--data-urlencode');
      expect(command).toMatch(/^curl /);
      expect(command).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }
  });
}

test('what did not fail has no command', () => {
  const verdicts = [{ ...FAILED, verdict: 'passed' as const }];
  expect(JSON.stringify(reportOf(runOf({ verdicts })))).not.toContain('curl');
});
