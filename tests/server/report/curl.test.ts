import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { HOSTILE, poisoned } from '../../report/testing/hostile.ts';
import type { Exchange } from '../support/evidence.ts';
import { curlFor, forgery, setVariables, tokenCommand } from './curl.ts';
import { explain } from './explain.ts';
import { sample } from './testing/sample-reports.ts';

const [tokenRequest, dataRequest] = sample.exchanges as [Exchange, Exchange];

const variables = {
  MRS_BASE_URL: 'https://base',
  MRS_CLIENT_ID: 'id',
  MRS_CLIENT_SECRET: 's e"c$r\'et',
  MRS_EXPIRED_TOKEN: 'expired',
  TOKEN: 'abcdef',
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
  const sent = argumentsOf(curlFor(requesting({ headers })));
  expect(sent).toContain('--compressed');
  expect(sent.join()).not.toContain('accept-encoding');
});

test('where the run trusted an authority of its own, curl does, and asks for its file', () => {
  const target = { ...sample.target, hasOwnAuthorities: true as const };
  const command = curlFor(dataRequest, target);
  expect(argumentsOf(`MRS_CA=/corp.pem\n${command}`).slice(1, 3)).toEqual(['--cacert', '/corp.pem']);
  expect(() => argumentsOf(`${setVariables(command, target)}\n${command}`)).toThrow('set it first');
  expect(setVariables(curlFor(dataRequest, sample.target), sample.target)).not.toContain('MRS_CA');
});

test('a token request is a form with variables in the place of what identifies the client', () => {
  expect(curlFor(tokenRequest, sample.target)).toBe(
    [
      'curl --include "$MRS_BASE_URL/token/" \\',
      "  --header 'accept: application/json' \\",
      "  --data-urlencode 'grant_type=client_credentials' \\",
      '  --data-urlencode "client_id=$MRS_CLIENT_ID" \\',
      '  --data-urlencode "client_secret=$MRS_CLIENT_SECRET"',
    ].join('\n'),
  );
});

test('a request with a token names it by a variable', () => {
  expect(curlFor(dataRequest)).toBe(
    'curl --include "$MRS_BASE_URL/ods_data/" \\\n  --header "authorization: Bearer $TOKEN"',
  );
});

test('the client id stays as recorded where the target is unknown', () => {
  expect(argumentsOf(curlFor(tokenRequest))).toContain('client_id=acme');
});

for (const [alias, value] of Object.entries({
  'client secret': variables.MRS_CLIENT_SECRET,
  'expired token': 'expired',
  'token 1': 'abcdef',
  'token 12': 'abcdef',
  'client secret, cut': variables.MRS_CLIENT_SECRET.slice(0, -1),
  'client secret, extended': `${variables.MRS_CLIENT_SECRET} `,
  'made up': '‹made up›',
}))
  test(`the alias ‹${alias}› reaches curl as ${value}`, () => {
    const headers: [string, string][] = [['x-test', `a‹${alias}›b`]];
    expect(argumentsOf(curlFor(requesting({ headers })))).toContain(`x-test: a${value}b`);
  });

for (const [alias, token, value] of [
  ['token, altered', 'abcdef', 'abceef'],
  ['token, altered', 'header.claims.signature', 'header.claims.signbture'],
  ['token, altered in its claims', 'header.claims.signature', 'header.clajms.signature'],
  ['token, with a random end', 'abcd1234', 'abcd6789'],
  ['token, with a random beginning', 'abcd1234', 'defa1234'],
  ['token, random', 'abc-123', 'def-678'],
  ['token, random', 'abc.abc.123', 'abc.def.678'],
  ['token, cut', 'abcdef', 'abcde'],
  ['token, cut at its beginning', 'abcdef', 'bcdef'],
  ['token, with a character before it', 'abcdef', 'xabcdef'],
  ['token, extended', 'abcdef', 'abcdefx'],
  ['token, in the other case', 'abcDEF', 'ABCdef'],
  ['token, unsigned', 'a.b.c', `${btoa('{"alg":"none","typ":"JWT"}').replaceAll('=', '')}.b.`],
  ['token, without its signature', 'a.b.c', 'a.b.'],
] as const)
  test(`‹${alias}› of ${token} reaches curl as ${value}`, () => {
    const exchange = requesting({ headers: [['authorization', `Bearer ‹${alias}›`]] });
    const commands = [`TOKEN=${token}`, ...forgery(exchange), curlFor(exchange)].join('\n');
    expect(argumentsOf(commands)).toContain(`authorization: Bearer ${value}`);
  });

test('credentials in a header become the option for them', () => {
  const headers: [string, string][] = [['authorization', 'Basic ‹client id and secret›']];
  expect(argumentsOf(curlFor(requesting({ headers })))).toEqual([
    ...['--include', 'https://base/ods_data/', '--user'],
    `id:${variables.MRS_CLIENT_SECRET}`,
  ]);
});

test('the method is named where curl would take another', () => {
  expect(argumentsOf(curlFor(requesting({ method: 'HEAD' })))).toContain('--head');
  expect(argumentsOf(curlFor(requesting({ method: 'PUT' }))).slice(1, 3)).toEqual(['--request', 'PUT']);
  expect(argumentsOf(curlFor(requesting({ method: 'POST' }))).slice(1, 3)).toEqual(['--request', 'POST']);
});

test('a path that looks like a set of addresses is taken as it stands', () => {
  expect(argumentsOf(curlFor(requesting({ path: '/a[1-9]{b,c}' })))).toEqual([
    ...['--include', '--globoff', 'https://base/a[1-9]{b,c}'],
  ]);
});

test('a header without a value is sent, and a name that would make curl read a file is not', () => {
  const headers: [string, string][] = [
    ['x-empty', ''],
    ['@/etc/passwd', 'x'],
  ];
  expect(argumentsOf(curlFor(requesting({ headers }))).slice(2)).toEqual(['--header', 'x-empty;']);
});

test('the name of a form field cannot make curl read a file', () => {
  const [, , , field] = argumentsOf(curlFor(requesting({ method: 'POST', form: { '@/etc/passwd': 'x' } })));
  expect(field).toBe('%40%2Fetc%2Fpasswd=x');
});

/** No argument holds a NUL or half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}');

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`hostile ${name}: every word reaches curl unchanged`, () => {
    const received = argumentsOf(curlFor(requesting({ path: `/${text}`, headers: [['x-test', text]] })));
    expect(received).toContain(`https://base/${storable(text)}`);
    expect(received).toContain(`x-test: ${storable(text)}`);
  });

  test(`hostile ${name}: the commands run nothing else and hold nothing unseen`, () => {
    const { requirements, target } = explain(poisoned(sample, text));
    const commands = requirements.flatMap(({ evidence }) => evidence.reproduction ?? []).join('\n');
    expect(commands).toContain('curl ');
    const setting = setVariables('"$MRS_BASE_URL" "$MRS_CLIENT_ID"', target);
    expect(argumentsOf(`${setting}\ncurl "$MRS_BASE_URL" "$MRS_CLIENT_ID"`)).toEqual([
      storable(target.baseUrl),
      storable(target.clientId),
    ]);
    argumentsOf(commands);
    expect(commands).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
}

for (const [what, body, takenFrom] of [
  ['with an escaped slash', '{"token":"eyJ\\/a\\u002bb\\"c"}', undefined],
  ['next to others, in several lines', '{\n  "x": ["token"],\n  "token" : "eyJ\\/a+b\\"c"\n}', undefined],
  ['below other members', '{"a/b":[{"it\'s":"eyJ/a+b\\"c"}]}', "/a~1b/0/it's"],
  ['that is the whole body', '"eyJ\\/a+b\\"c"\n', ''],
  ['that is plain text', 'eyJ/a+b"c\n', ''],
] as const)
  test(`the token command prints a token ${what}`, () => {
    const { response } = tokenRequest;
    const form = {
      ...tokenRequest,
      ...(response && {
        response: { ...response, tokenResponse: { issued: true, takenFrom, mismatches: [] } },
      }),
    } as Exchange;
    const [, reader = ''] = tokenCommand(form, sample.target).split('|\n');
    expect(execFileSync('bash', ['-c', reader], { input: body, encoding: 'utf8' })).toBe('eyJ/a+b"c\n');
  });
