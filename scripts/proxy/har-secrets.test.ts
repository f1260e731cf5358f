/** Credentials in odd places: none of them is in the HAR file, whether it was known when it passed or later. */
import { readFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { createHarFile } from './har-file.ts';
import { ask, read, SECRET } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startWeb } from './testing/wire.ts';

const TOKEN = 'a-token-of-it-0815';
const OTHER = 'refresh-R4nd0m-value';
/** Two million characters of these are searched for. */
const LONG = 'long'.repeat(15_000);
const DATA = { ods_data: [{ id: 'obs-1' }] };
const JSON_TYPE = 'application/json';

interface Answer {
  type?: string;
  body: string;
  status?: number;
  retryAfter?: string;
}

/** The file of what `call` sends, and of what `answerTo` answers to each target. */
async function fileOf(
  answerTo: (target: string, nth: number) => Answer,
  call: (url: string) => Promise<unknown>,
): Promise<{
  text: string;
  /** What the page shows. */
  shown: string;
  entries: { request: { url: string }; response: { content: { text?: string } } }[];
}> {
  let nth = 0;
  await using service = await startWeb((request, response) => {
    const { status = 200, type = JSON_TYPE, body, retryAfter } = answerTo(request.url ?? '', ++nth);
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    request.resume().once('end', () => response.writeHead(status, { 'content-type': type }).end(body));
  });
  const file = test.info().outputPath('traffic.har');
  const har = createHarFile(file, service.url);
  await using proxy = await proxyTo(service.url, { har });
  await call(proxy.url);
  await proxy.close();
  const { secrets, judged } = await proxy.result();
  expect(await har.finish(secrets, judged)).toBeUndefined();
  const text = readFileSync(file, 'utf8');
  const shown = JSON.stringify(proxy.journal.list());
  return { text, shown, entries: JSON.parse(text).log.entries };
}

const post = (url: string, body: string, type = 'application/x-www-form-urlencoded') =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body }).then((answer) => answer.text());
const askFor = (url: string) => post(`${url}/token/`, `client_id=acme&client_secret=${SECRET}`);
const get = (url: string) => fetch(url).then((answer) => answer.text());

for (const [what, type, body] of [
  [
    'many values',
    JSON_TYPE,
    JSON.stringify({ tokens: Array.from({ length: 60 }, (_, at) => `${OTHER}-${at}`) }),
  ],
  ['one value with the token', JSON_TYPE, JSON.stringify({ token: TOKEN, note: `${TOKEN} ${OTHER}` })],
  ['a value that is not long', JSON_TYPE, JSON.stringify({ token: TOKEN, more: 'x4711' })],
  ['a number', JSON_TYPE, '{"token": 471147114711, "more": 471147114711}'],
  ['the name of a member', JSON_TYPE, JSON.stringify({ token: TOKEN, [`${OTHER} ${OTHER}`]: 1 })],
  ['cut JSON', JSON_TYPE, `{"token":"${TOKEN}","refresh_token":"${OTHER}`],
  ['XML', 'application/xml', `<answer><token>${TOKEN}</token><refresh>${OTHER}</refresh></answer>`],
  ['a sentence', 'text/plain', `Your token is ${TOKEN}, and later ${OTHER}.`],
  ['JSON after a byte order mark', JSON_TYPE, `\ufeff{"token":"${TOKEN}","more":"${OTHER}"}`],
  ['two members of one name', JSON_TYPE, `{"token":"${OTHER}","token":"${TOKEN}"}`],
] as const)
  test(`no value of a token answer that holds ${what} is in the file`, async () => {
    const { text, entries } = await fileOf(() => ({ type, body }), askFor);
    for (const value of [TOKEN, OTHER, 'R4nd0m', '4711'])
      expect(text.includes(value) ? `${value} in ${text}` : '').toBe('');
    expect(entries[0]?.response.content.text).toBeDefined();
  });

test('no value of a token answer is in the file after many tokens', async () => {
  const { text } = await fileOf(
    (_, nth) => ({
      body: JSON.stringify({ token: `${TOKEN}-${'x'.repeat(200)}-${nth}`, more: `x${nth}-${OTHER}` }),
    }),
    async (url) => {
      for (let nth = 0; nth < 100; nth++) await askFor(url);
    },
  );
  expect(text).not.toContain(OTHER);
});

const asUsual = (target: string): Answer => ({
  body: JSON.stringify(target === '/token/' ? { token: TOKEN } : DATA),
});

for (const [what, call] of [
  ['a path', (url: string) => get(`${url}/x/${TOKEN}`)],
  ['a path, in an encoding', (url: string) => get(`${url}/x/${Buffer.from(TOKEN).toString('base64url')}`)],
  ['a query', (url: string) => get(`${url}/ods_data/?${TOKEN}`)],
  ['the name of a field', (url: string) => post(`${url}/login/`, TOKEN)],
  [
    'JSON that is sent as a form',
    (url: string) => post(`${url}/login/`, JSON.stringify({ [TOKEN]: SECRET })),
  ],
  ['a grant type', (url: string) => post(`${url}/token/`, `grant_type=${SECRET}`)],
  ['the id of a client', (url: string) => post(`${url}/token/`, `client_id=${SECRET}&client_secret=acme`)],
] as const)
  test(`a credential in ${what} that becomes known later is not in the file`, async () => {
    const { text, entries } = await fileOf(asUsual, async (url) => {
      await call(url);
      await askFor(url);
      await read(url, TOKEN);
    });
    for (const value of [TOKEN, Buffer.from(TOKEN).toString('base64url'), SECRET])
      expect(text.includes(value) ? `${value} in ${text}` : '').toBe('');
    expect(entries).toHaveLength(3);
  });

test('a token that data hold before it is issued is not in the file, and the data are', async () => {
  const { text, entries } = await fileOf(
    (target) => ({
      body: JSON.stringify(target === '/token/' ? { token: TOKEN } : { ...DATA, next: TOKEN }),
    }),
    async (url) => {
      await read(url, 'earlier-7788-key');
      await askFor(url);
    },
  );
  expect(text).not.toContain(TOKEN);
  expect(JSON.parse(entries[0]?.response.content.text ?? '')).toEqual({ ...DATA, next: '‹token›' });
});

test('a member of the data with the name of a credential has no value in the file', async () => {
  const { entries } = await fileOf(
    () => ({ body: JSON.stringify({ ...DATA, access_token: OTHER, secret: 4711 }) }),
    (url) => read(url, TOKEN),
  );
  const written = JSON.parse(entries[0]?.response.content.text ?? '');
  expect(written).toEqual({ ...DATA, access_token: '‹not kept›', secret: 0 });
});

for (const [what, call] of [
  ['of a parameter', (url: string) => get(`${url}/ods_data/?a[x7c1d94be2]=1`)],
  ['of a field', (url: string) => post(`${url}/token/`, '{"client_id":"acme","pw":"x7c1d94be2"}')],
] as const)
  test(`a credential in the name ${what} is not in the file or on the page, even if it is never known`, async () => {
    const { text, shown } = await fileOf(asUsual, call);
    expect(text + shown).not.toContain('x7c1d94be2');
  });

test('a Retry-After that is not a time is not in the file or on the page', async () => {
  const { text, shown } = await fileOf(() => ({ body: '', retryAfter: OTHER }), get);
  expect(text + shown).not.toContain(OTHER);
  expect((await fileOf(() => ({ body: '', retryAfter: '120' }), get)).text).toContain('"120"');
});

test('the id of a client is written as it is, whatever it means to a program', async () => {
  const { text, entries } = await fileOf(asUsual, (url) => ask(url, "$&-$'-$$"));
  expect(text).not.toContain(TOKEN);
  expect(JSON.parse(entries[0]?.response.content.text ?? '')).toEqual({ token: "‹$&-$'-$$#1›" });
});

test('a secret that reads like a replaced value is not in the file', async () => {
  const secret = 'my horse was hidden 9';
  const form = new URLSearchParams({ client_id: 'acme', client_secret: secret });
  const { text } = await fileOf(
    (target) => ({ body: JSON.stringify(target === '/token/' ? { token: TOKEN } : { note: secret }) }),
    async (url) => {
      await post(`${url}/token/`, String(form));
      await read(url, TOKEN);
    },
  );
  expect(text).not.toContain(secret);
});

test('the words of a refusal stay', async () => {
  const refusal = {
    error: 'invalid_client',
    error_description: 'Wrong client id, or secret.',
    expires_in: 3600,
  };
  const { entries } = await fileOf(() => ({ status: 401, body: JSON.stringify(refusal) }), askFor);
  expect(JSON.parse(entries[0]?.response.content.text ?? '')).toEqual(refusal);
});

test('once more secrets passed than are searched for, the file has no other paths, names and bodies', async () => {
  const { text, entries } = await fileOf(
    (target) => ({ body: JSON.stringify(target === '/token/' ? { token: TOKEN } : DATA) }),
    async (url) => {
      await get(`${url}/x/of-before?name=1`);
      await read(url, TOKEN);
      for (let nth = 0; nth < 40; nth++) await get(`${url}/ods_data/?token=${nth}${LONG}`);
      await read(url, TOKEN, '/x/of-after');
    },
  );
  for (const word of ['of-before', 'of-after', 'obs-1', 'long'])
    expect(text.includes(word) ? word : '').toBe('');
  expect(entries[0]?.request.url).toMatch(/\/‹…›\?/);
  expect(entries[1]?.request.url).toMatch(/\/ods_data\/$/);
});
