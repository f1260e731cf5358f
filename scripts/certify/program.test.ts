/** What a client that is a program receives, and what of its output is kept and shown. */
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSecrets } from '../../tests/support/secrets.ts';
import {
  type ClientVariables,
  clientEnvironment,
  keepOutput,
  readStatements,
  redactOutput,
} from './program.ts';

const variables: ClientVariables = {
  MRS_BASE_URL: 'http://127.0.0.1:1',
  MRS_DATA_URL: 'http://127.0.0.1:1/ods_data/',
  MRS_CLIENT_ID: 'client-1',
  MRS_CLIENT_SECRET: 'of-the-mock',
  MRS_CLIENT_SECRET_FILE: '/tmp/secret',
  MRS_TOKEN_LIFETIME: '3',
};

test('a client finds the variables of the mock, and nothing of another deployment', () => {
  const gateway = {
    MRS_HEADER: 'X-Api-Key=env:GATEWAY_KEY,X-Tenant=env:TENANT',
    GATEWAY_KEY: 'k',
    TENANT: 't',
  };
  const names = [
    ...[...Object.keys(variables), 'MRS_EXPIRED_TOKEN', 'MRS_MOCK_CONTROL_KEY', 'MRS_FEED', 'MRS_CA'],
    ...['MRS_USER_AGENT', 'MRS_HEALTH_PATHS', 'MRS_BASELINE', 'MRS_TOKEN_KEY_FILE'],
  ];
  const other = { ...gateway, ...Object.fromEntries(names.map((name) => [name, 'of-another'])) };
  const own = {
    PATH: '/bin',
    NODE_OPTIONS: '--no-warnings',
    HTTPS_PROXY: 'http://proxy',
    MRS_READERS: '5',
    MRS_HEALTH_PATH: '/up',
  };
  const direct = '127.0.0.1,localhost';
  expect(clientEnvironment({ ...other, ...own }, variables)).toEqual({
    ...own,
    ...variables,
    ...{ NO_PROXY: direct, no_proxy: direct },
  });
});

test('no proxy is asked for the mock, whatever else goes without one', () => {
  const direct = (own: object) => clientEnvironment({ ...own }, variables).NO_PROXY;
  expect([{ NO_PROXY: 'a.example' }, { no_proxy: 'a.example' }, { NO_PROXY: '' }].map(direct)).toEqual([
    ...['a.example,127.0.0.1,localhost', 'a.example,127.0.0.1,localhost', '127.0.0.1,localhost'],
  ]);
});

/** What is kept of pieces that are written one by one, `!` before those of the second stream. */
async function keptOf(...pieces: (string | Buffer)[]): Promise<string> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const output = keepOutput(out, err);
  for (const piece of pieces) {
    const isSecond = typeof piece === 'string' && piece.startsWith('!');
    (isSecond ? err : out).write(isSecond ? piece.slice(1) : piece);
    await turn();
  }
  return output();
}

test('an output keeps both streams in the order in which they were written, and a character in two pieces as one', async () => {
  const euro = Buffer.from('€');
  expect(await keptOf('a\n', '!b\n', euro.subarray(0, 1), '!x', euro.subarray(1))).toBe('a\nb\nx€');
  const words = 'word '.repeat(13_000);
  expect([await keptOf(), await keptOf(words)]).toEqual(['', words]);
});

test('a stream that breaks is no exception, and one that closes early leaves the other open', async () => {
  for (const end of ['destroy', 'end'] as const) {
    const [out, err] = [new PassThrough(), new PassThrough()];
    const output = keepOutput(out, err);
    if (end === 'end') out.end('first');
    else out.destroy(new Error('EPIPE'));
    await turn();
    err.write(' second');
    await turn();
    expect(output()).toBe(end === 'end' ? 'first second' : ' second');
  }
});

test('of an output without an end the last is kept, without a half of a word', async () => {
  const lines = Array.from({ length: 100 }, () => `${'x y '.repeat(2500)}\n`);
  const kept = await keptOf(...lines, 'the last line\n');
  expect(kept).toMatch(/^… earlier output is left out\n x? ?y [\s\S]*\nthe last line\n$/);
  expect(kept.length).toBeLessThan(66_000);
  const half = await keptOf(`${'S'.repeat(32)}${' x'.repeat(32 * 1024 - 8)}`);
  expect(half).not.toContain('S');
});

const SECRET = 'Secr3t_of-the-client-0123456789A';
const TOKEN = 'T0ken-of_the-client-abcdefghijkl-mnopqrstuvwxyz_0123456789-ABCDE';
const secrets = createSecrets();
secrets.register(SECRET, 'client_secret');
secrets.register(TOKEN, 'token acme#1');
const print = (text: string) => redactOutput(text, secrets);

test('a secret and a token are taken out of what a client prints, also where colours part them', () => {
  for (const [value, alias] of [
    [SECRET, 'client_secret'],
    [TOKEN, 'token acme#1'],
  ] as const)
    for (const written of [value, `\u001b[31m${value.slice(0, 9)}\u001b[1m${value.slice(9)}\u001b[0m`])
      expect(print(`got ${written}\n`)).toBe(`got ‹${alias}›\n`);
});

test('what a terminal would obey is shown or left out, and lines stay lines', () => {
  expect(print('\u001b]0;title\u0007a\r\nb\tc\u0000\u202ed\u001b[2J')).toBe('a\nb\tc\\u{0000}\\u{202e}d');
});

const padding = 'y'.repeat(200);
for (const [what, chunks, numbers] of [
  ['lines with a number of records', ['{"records": 20}\n{"records":0}\r\n'], [20, 0]],
  ['one among others, however it is cut', ['a\n{"rec', 'ords": 1', '2}', '\nb {"records": 3}\n'], [12]],
  ['one with other members', ['{"at": "12:00", "records": 7, "x": [1]}\n'], [7]],
  ['no line that is not finished', ['{"records": 20}'], []],
  ['no line that is too long', [`{"records": 20, "x": "${padding}"}\n{"records": 1}\n`], [1]],
  ['no line that is too long before its end comes', [`{"records": 20${' '.repeat(300)}`, '}\n'], []],
  ['no negative number', ['{"records": -1}\n'], []],
  ['no text', ['{"records": "20"}\n'], []],
  ['nothing else', ['{"x": 20}\n{\n20\n'], []],
] as const)
  test(`of what a reader prints is reported: ${what}`, () => {
    const stream = new PassThrough().setEncoding('utf8');
    const seen: number[] = [];
    readStatements(stream, (records) => seen.push(records));
    for (const chunk of chunks) {
      stream.write(chunk);
      stream.read(); // hands it on at once
    }
    expect(seen).toEqual(numbers);
  });
