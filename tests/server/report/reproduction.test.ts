import { expect, _baseTest as test } from '@playwright/test';
import type { Exchange } from '../support/evidence.ts';
import { reproductionOf } from './reproduction.ts';

const target = {
  baseUrl: 'https://mrs.example/api',
  clientId: 'acme',
  tokenLifetimeSeconds: 60,
  healthPaths: [],
};

const exchange = (id: number, what: string, atSeconds: number, request: Partial<Exchange['request']>) => ({
  id: `x${id}`,
  what,
  sentAtMs: atSeconds * 1000,
  durationMs: 10,
  request: { method: 'GET', path: '/ods_data/', headers: [], ...request },
});
const answered = (one: Exchange, status: number): Exchange => ({
  ...one,
  response: {
    status,
    headers: [],
    bodyBytes: 9,
    digest: '0'.repeat(64),
    excerpt: '',
    json: { wellFormed: false, error: 'none' },
  },
});

function form(id: number, token: number, atSeconds: number): Exchange {
  const fields = { grant_type: 'client_credentials', client_id: 'acme', client_secret: '‹client secret›' };
  const request = { method: 'POST', path: '/token/', form: fields };
  const posted = answered(exchange(id, `form ${token}`, atSeconds, request), 200);
  if (posted.response) {
    posted.response.excerpt = `{"token":"‹token ${token}›"}`;
    posted.response.tokenResponse = { issued: true, unclear: false, mismatches: [] };
  }
  return posted;
}

const read = (id: number, token: string, atSeconds: number, status = 200, what = 'the data') =>
  answered(
    exchange(id, what, atSeconds, { headers: token ? [['authorization', `Bearer ‹${token}›`]] : [] }),
    status,
  );

/** The commands for the last exchange. */
function commandsFor(...exchanges: Exchange[]): string {
  const evidence = { seen: 'it', expected: 'else', exchanges: [exchanges.at(-1)?.id ?? ''] };
  return reproductionOf({ verdict: 'failed', evidence }, { exchanges, target }) ?? '';
}

/** Only what is sent and waited for. */
const linesOf = (commands: string): string[] =>
  commands.split('\n').filter((line) => /^(TOKEN|sleep|for|#)/.test(line));

test('the commands are one group, which a shell leaves where the secret is not set', () => {
  const commands = commandsFor(form(1, 1, 0), read(2, 'token 1', 0.1, 500));
  expect(commands).toMatch(/^\(\n.*\n: "\$\{MRS_CLIENT_SECRET:\?enter it first.*\n\)$/s);
});

test('expiry is reproduced by a token, its earlier calls, the wait, and the call', () => {
  const expired = 'the data with the expired token';
  const commands = commandsFor(
    form(1, 1, 0),
    read(2, 'token 1', 0.1),
    read(3, 'token 1', 0.2),
    read(4, 'token 1', 61.3, 401, expired),
  );
  expect(linesOf(commands)).toEqual([
    '# form 1, for a token',
    expect.stringMatching(/^TOKEN=\$\(curl --silent /),
    '# the data, 2 times',
    'for n in 1 2; do',
    '# wait as long as the run did',
    'sleep 62',
    `# ${expired}`,
  ]);
  expect(commands).toMatch(
    /^\(\nMRS_BASE_URL='https:\/\/mrs.example\/api'\nMRS_CLIENT_ID='acme'\n: "\$\{MRS_CLIENT_SECRET:\?/,
  );
});

test('expiry by the clock of the mock is reproduced by a real wait', () => {
  const expired = read(3, 'token 1', 0.2, 401, 'the data with the expired token');
  expect(commandsFor(form(1, 1, 0), read(2, 'token 1', 0.1), expired)).toContain('\nsleep 61\n');
});

test('each token has its own variable, and that of the last call is TOKEN', () => {
  const commands = commandsFor(
    form(1, 1, 0),
    read(2, 'token 1', 0),
    form(3, 2, 0),
    read(4, 'token 2', 0),
    read(5, 'token 1', 0, 401, 'the first token again'),
  );
  expect(commands).toMatch(
    /TOKEN=\$\(token\)[^|]*TOKEN_2=\$\(token\)[^|]*Bearer \$TOKEN_2"[^|]*Bearer \$TOKEN"\n\)$/,
  );
});

test('call without a token needs no other call, unless an equal one was refused before', () => {
  const asked = (id: number, status: number) => read(id, '', id, status);
  expect(linesOf(commandsFor(form(1, 1, 0), asked(2, 200)))).toEqual(['# the data']);
  expect(linesOf(commandsFor(form(1, 1, 0), asked(2, 401), asked(3, 200)))).toEqual([
    '# the data',
    '# the data',
  ]);
});

test('token that is not in the field token is taken from where the run found it', () => {
  const misplaced = form(1, 1, 0);
  if (misplaced.response)
    misplaced.response.tokenResponse = {
      issued: false,
      takenFrom: '/access_token',
      unclear: false,
      mismatches: [],
    };
  expect(commandsFor(misplaced, read(2, 'token 1', 0, 500))).toContain(
    'JSON.parse(fs.readFileSync(0, "utf8")).access_token',
  );
});

test('comment of several lines is a comment in each', () => {
  const commands = commandsFor(read(1, '', 0, 200, 'a long purpose '.repeat(12)));
  const lines = commands.split('\n').filter((line) => line.includes('long purpose'));
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^# .{0,78}$/);
});

test('what did not fail has no commands', () => {
  const exchanges = [read(1, 'token 1', 0)];
  const evidence = { seen: '', exchanges: ['x1'] };
  expect(reproductionOf({ verdict: 'passed', evidence }, { exchanges, target })).toBeUndefined();
});
