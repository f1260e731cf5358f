/** Each scenario, played by a client that is named after it. */

import { request } from 'undici';
import { expect, test } from 'vitest';
import { type Mock, startMock } from './index.ts';
import { SCENARIO_SECRET, scenarios } from './scenarios.ts';

const KEY = 'a-key-of-the-test';
const START = '2030-01-01T00:00:00Z';

/**
 * What is done, and what comes of it: `token` asks for a token, `read` uses the newest and `first` the first one,
 * `records` reads and counts, `health` asks for health, `wait` moves the mock's clock on. A number before it: that many at once.
 */
const stories: Record<string, string> = {
  steady: 'token 200, 100 read 200, wait 899s, read 200',
  'odd-secret': 'token 200, read 200',
  expires: 'token 200, wait 2s, read 200, wait 1s, read 403, token 200, read 200',
  'expires-again': 'token 200, wait 2s, read 403, token 200, wait 1s, read 200, wait 1s, read 403',
  'expires-every-3':
    'token 200, read 200, read 200, read 403, read 403, token 200, read 200, read 403, token 200, read 200',
  'ended-early': 'token 200, read 200, read 200, read 403, token 200, read 200',
  'shorter-than-agreed': 'token 200, wait 1s, read 200, wait 1s, read 403, token 200, read 200',
  'revoked-early': 'token 200, read 200, read 200, read 401, read 401, token 200, read 200',
  parallel: 'token 200, 3 read 200, read 403, 3 token 200, 3 read 200',
  'newest-token-only': 'token 200, first 200, token 200, first 403, read 200',
  '403-stays': 'token 200, read 200, read 200, read 403, token 200, read 403',
  '403-empty': 'token 200, read 200, read 200, body 403 nothing, token 200, read 200',
  '403-html': 'token 200, read 200, read 200, body 403 <!doctype html>, token 200, read 200',
  'token-down':
    'token 200, read 200, wait 3s, read 403, token 503, health 200, wait 2s, token 503, wait 1s, token 200, read 200',
  'token-429':
    'token 200, read 200, wait 3s, read 403, token 429, wait 1s, token 429, wait 1s, token 200, read 200',
  'token-slow': 'token 200, wait 3s, read 200, wait 1s, read 403, token 200, wait 899s, read 200',
  'rate-limited':
    'token 200, read 200, wait 30s, 2 read 200, 5 read 429, wait 29s, read 429, wait 1s, read 200, read 429, wait 30s, 2 read 200, read 429',
  'secret-rotated': 'token 200, read 200, read 403, token 401, token 401, health 200',
  'data-reset': 'token 200, read 200, read 200, read ECONNRESET, read 200',
  'data-emptied': 'token 200, 2 read 200, records 0, records 0',
  'data-cancelled': 'token 200, 2 records 3, records 2, records 2',
  'data-extended': 'token 200, 2 records 3, records 3, records 3',
  'data-slid': 'token 200, 2 records 3, records 3, records 3',
  'data-republished': 'token 200, 2 records 3, records 3, records 3',
  'data-500': during('read 500'),
  'data-500-once': 'token 200, read 200, read 200, read 500, read 200',
  'data-404': during('body 404 <!doctype html>'),
  'data-503': during('read 503'),
  'data-timeout': 'token 200, 2 read 200', // the next one takes longer than a test should
  'data-resets': during('read ECONNRESET'),
  'data-cut': during('read UND_ERR_SOCKET'),
  'data-error': during('body 200 {"error":"temporarily_unavailable"}'),
  'data-html': during('body 200 <!doctype html>'),
  'data-array': during('body 200 []'),
  'data-text': during('body 200 {"ods_data":[]}'),
};

/** From the 3rd to the 5th read. */
function during(failure: string): string {
  return `token 200, 2 read 200, ${failure}, ${failure}, ${failure}, read 200`;
}

/** They answer slowly by a timer, not by the mock's clock, and so run side by side. */
const SLOW = ['parallel', 'token-slow'];

for (const [name, story] of Object.entries(stories)) {
  if (SLOW.includes(name)) continue;
  test(`the client demo-${name} goes through its scenario`, () => isMetByName(name, story));
}

test(`the slow scenarios ${SLOW.join(', ')} are played`, async () => {
  await Promise.all(SLOW.map((name) => isMetByName(name, stories[name] ?? '')));
});

const secretOf = (name: string): string =>
  SCENARIO_SECRET + (scenarios.find((one) => one.name === name)?.secretSuffix ?? '');

async function isMetByName(name: string, given: string): Promise<void> {
  await using mock = await start();
  const story = given.split(/, (?=\d* ?[a-z]+ )/);
  expect(await storyOf(mock, `demo-${name}`, story, secretOf(name)), `demo-${name}`).toEqual(story);
}

test('a word after a dot makes a separate client, and a wrong secret makes none', async () => {
  await using mock = await start();
  const first = ['token 200', 'read 200', 'read 200', 'read 403'];
  for (const id of ['demo-expires-every-3.alice', 'demo-expires-every-3.bob'])
    expect(await storyOf(mock, id, first), id).toEqual(first);
  for (const id of [
    'demo-steady.',
    'demo-steady.a.b',
    'demo-steady.a b',
    'demo-nothing',
    'xdemo-steady',
    'demo-',
  ])
    expect(await storyOf(mock, id, ['token 401']), id).toEqual(['token 401']);
  expect(await storyOf(mock, 'demo-steady.carol', ['token 401'], 'wrong')).toEqual(['token 401']);
  expect(mock.clients.map(({ id }) => id)).toEqual([
    ...['demo', 'demo-expires-every-3.alice', 'demo-expires-every-3.bob'],
  ]);
});

const start = () => startMock({ controlKey: KEY, clock: 'frozen', startsAt: START, seed: 'scenarios' });

/** Does what the story says, and returns it with what really happened. */
async function storyOf(mock: Mock, id: string, story: readonly string[], secret = SCENARIO_SECRET) {
  const tokens: string[] = [];
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };

  async function askToken(): Promise<{ status: number; fields: string[] }> {
    const { statusCode, body } = await request(`${mock.url}/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    const answer = (await body.json()) as Record<string, unknown>;
    if (statusCode === 200) tokens.push(String(answer.token));
    return { status: statusCode, fields: Object.keys(answer) };
  }

  async function read(token = ''): Promise<{ status: number; text: string }> {
    const { statusCode, body } = await request(`${mock.url}/ods_data/`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: statusCode, text: await body.text() };
  }

  const acts: Record<string, (argument: string) => Promise<string>> = {
    token: async () => `${(await askToken()).status}`,
    read: async () => `${(await read(tokens.at(-1))).status}`,
    first: async () => `${(await read(tokens[0])).status}`,
    async body() {
      const { status, text } = await read(tokens.at(-1));
      return `${status} ${text.split('<title>')[0] || 'nothing'}`;
    },
    records: async () => String(JSON.parse((await read(tokens.at(-1))).text).ods_data.length),
    health: async () => `${(await request(`${mock.url}/health/`)).statusCode}`,
    async wait(by) {
      mock.clock.advance(by);
      return by;
    },
  };

  const seen: string[] = [];
  for (const line of story) {
    const [, times = '', act = '', argument = ''] = /^(\d+ )?(\w+) ?(.*)$/.exec(line) ?? [];
    const done = await Promise.all(
      Array.from({ length: Number(times || 1) }, () =>
        acts[act]?.(argument).catch((error: { code?: string }) => error.code ?? String(error)),
      ),
    );
    seen.push(`${times}${act} ${[...new Set(done)].join(' or ')}`);
  }
  return seen;
}
