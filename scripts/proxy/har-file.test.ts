/** The HAR file of the proxy: no credential is in it, whether it was known when it passed or later, and what the judges need is. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { FORM_TYPE } from '../../tests/traffic/exchange.ts';
import { judgeHar } from '../judge/judge-har.ts';
import { checkHarName } from './har-file.ts';
import { read, recorded, SECRET, tokenFrom } from './testing/proxied.ts';

const TOKEN = 'a-token-of-it-0815';
const OTHER = 'refresh-R4nd0m-value';
/** Five thousand are searched for. */
const MANY = Array.from({ length: 5100 }, (_, nth) => `token=long${nth}`);
const DATA = { ods_data: [{ id: 'obs-1' }] };
const JSON_TYPE = 'application/json';

/** A service whose answers are of this type; by default, those to token requests and those to everything else. */
const service =
  (
    token: unknown = { token: TOKEN },
    data: unknown = DATA,
    type = JSON_TYPE,
    status = 200,
  ): RequestListener =>
  ({ url }, response) => {
    const body = url === '/token/' ? token : data;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': type }).end(text);
  };

const post = (url: string, body: string, type = FORM_TYPE) =>
  fetch(url, { method: 'POST', headers: { 'content-type': type }, body }).then((answer) => answer.text());
const askFor = (url: string) => post(`${url}/token/`, `client_id=acme&client_secret=${SECRET}`);
const get = (url: string) => fetch(url).then((answer) => answer.text());

for (const [what, type, body] of [
  ['an object', JSON_TYPE, { token: TOKEN, note: `${TOKEN} ${OTHER}`, [OTHER]: 4711 }],
  ['cut JSON', JSON_TYPE, `{"token":"${TOKEN}","refresh_token":"${OTHER}`],
  ['XML', 'application/xml', `<answer><token>${TOKEN}</token><refresh>${OTHER}</refresh></answer>`],
  ['two members of one name', JSON_TYPE, `{"token":"${OTHER}","token":"${TOKEN}"}`],
] as const)
  test(`no value of a token answer that is ${what} is in the file`, async () => {
    const { text } = await recorded(service(body, body, type), askFor);
    for (const value of [TOKEN, OTHER, 'R4nd0m', '4711'])
      expect(text.includes(value) ? `${value} in ${text}` : '').toBe('');
  });

for (const [what, call] of [
  ['a path', (url: string) => get(`${url}/x/${TOKEN}`)],
  ['a path, in an encoding', (url: string) => get(`${url}/x/${Buffer.from(TOKEN).toString('base64url')}`)],
  ['a query', (url: string) => get(`${url}/ods_data/?${TOKEN}`)],
  ['a charset', (url: string) => post(`${url}/token/`, 'a=1', `${FORM_TYPE}; charset=${TOKEN}`)],
  ['the name of a field', (url: string) => post(`${url}/login/`, TOKEN)],
  ['JSON that is sent as a form', (url: string) => post(`${url}/login/`, `{"${TOKEN}":"${SECRET}"}`)],
  ['a grant type', (url: string) => post(`${url}/token/`, `grant_type=${SECRET}`)],
  ['the id of a client', (url: string) => post(`${url}/token/`, `client_id=${SECRET}&client_secret=acme`)],
] as const)
  test(`a credential in ${what} that becomes known later is not in the file`, async () => {
    const { text, entries } = await recorded(service(), async (url) => {
      await call(url);
      await askFor(url);
      await read(url, TOKEN);
    });
    for (const value of [TOKEN, Buffer.from(TOKEN).toString('base64url'), SECRET])
      expect(text.includes(value) ? `${value} in ${text}` : '').toBe('');
    expect(entries).toHaveLength(3);
  });

test('the file shows of the condition of a read that it was sent, and not its value', async () => {
  const { text, entries } = await recorded(service(), async (url) => {
    const conditions = {
      'if-none-match': `"${OTHER}"`,
      'if-modified-since': 'Thu, 26 Nov 2026 10:00:00 GMT',
    };
    await fetch(`${url}/ods_data/`, { headers: { accept: JSON_TYPE, ...conditions } });
  });
  const headers = entries[0]?.request.headers.map(({ name, value }) => [name, value]) ?? [];
  expect(Object.fromEntries(headers)).toEqual({
    accept: JSON_TYPE,
    'if-modified-since': '‹…›',
    'if-none-match': '‹…›',
  });
  expect(text).not.toContain(OTHER);
});

test('no body is in the file, but what the judges made of it, and the name of the token', async () => {
  const { entries } = await recorded(service(), async (url) => read(url, await tokenFrom(url)));
  expect(entries.map(({ response: { content } }) => content.text)).toEqual([undefined, undefined]);
  expect(entries.map(({ _mrs }) => _mrs)).toMatchObject([
    { token: '‹token-1›', response: { digest: '‹body-1›', json: { wellFormed: true, type: 'object' } } },
    { response: { digest: '‹body-2›', json: { fields: ['ods_data'], recordFields: ['id'] } } },
  ]);
});

for (const [what, data] of [
  ['the name of a member', { [TOKEN]: [{ [SECRET]: 1 }], [Buffer.from(SECRET).toString('base64')]: 2 }],
  ['a value', { ods_data: [{ id: TOKEN, of: [SECRET, OTHER] }] }],
  ['a text', `Bearer ${TOKEN}, ${SECRET}, ${OTHER}`],
  ['the name of a member of a list', [[{ [`x-${TOKEN}-y`]: 'a' }]]],
] as const)
  test(`a credential in ${what} of the data is not in the file`, async () => {
    const { text } = await recorded(service(undefined, data), async (url) => {
      await read(url, OTHER);
      await askFor(url);
      await read(url, TOKEN);
      await get(`${url}/ods_data/`);
    });
    for (const value of [TOKEN, SECRET, OTHER, Buffer.from(SECRET).toString('base64')])
      expect(text.includes(value) ? `${value} in ${text}` : '').toBe('');
  });

for (const [what, call] of [
  ['of a parameter', (url: string) => get(`${url}/ods_data/?a[x7c1d94be2]=1`)],
  ['of a field', (url: string) => post(`${url}/token/`, '{"client_id":"acme","pw":"x7c1d94be2"}')],
] as const)
  test(`a credential in the name ${what} is not in the file or shown, even if it is never known`, async () => {
    const { text, calls } = await recorded(service(), call);
    expect(text + JSON.stringify(calls)).not.toContain('x7c1d94be2');
  });

test('a token in a media type is not in the file', async () => {
  const { text } = await recorded(service(undefined, DATA, `application/${TOKEN}`), async (url) => {
    await get(`${url}/x/`);
    await fetch(url, { headers: { accept: `text/${TOKEN}`, authorization: `Bearer ${TOKEN}` } });
  });
  expect(text).not.toContain(TOKEN);
});

test('a Retry-After that is not a time is not in the file', async () => {
  const after = (value: string) =>
    recorded((_, response) => response.setHeader('retry-after', value).end(), get);
  expect((await after(OTHER)).text).not.toContain(OTHER);
  expect((await after('120')).text).toContain('"120"');
});

test('once more secrets passed than are searched for, the file has no other paths and names', async () => {
  const { text, entries } = await recorded(service(), async (url) => {
    await get(`${url}/x/of-before?name=1`);
    await read(url, TOKEN);
    for (const part of [MANY.slice(0, 2600), MANY.slice(2600)])
      await get(`${url}/ods_data/?${part.join('&')}`);
    await read(url, TOKEN, '/x/of-after');
  });
  for (const word of ['of-before', 'of-after', 'obs-1', 'long'])
    expect(text.includes(word) ? word : '').toBe('');
  expect(entries[0]?.request.url).toMatch(/\/‹…›\?/);
  expect(entries[1]?.request.url).toMatch(/\/ods_data\/$/);
});

test('a HAR file numbers its entries, and names tokens that were issued before, each differently', async () => {
  const { entries } = await recorded(service(), async (url) => {
    for (const token of ['first-of-before', 'other-of-before', 'first-of-before']) await read(url, token);
  });
  const sent = entries.map(
    ({ request }) => request.headers.find(({ name }) => name === 'authorization')?.value,
  );
  expect(sent).toEqual(['Bearer ‹unknown-1›', 'Bearer ‹unknown-2›', 'Bearer ‹unknown-1›']);
  expect(entries.map(({ _seq }) => _seq)).toEqual([1, 2, 3]);
});

for (const [what, name] of [
  ['a directory', (folder: string) => folder],
  ['a device', () => '/dev/null'],
  ['nothing', () => ''],
  ['a path that ends with a slash', (folder: string) => `${folder}/new/`],
] as const)
  test(`--har with ${what} is refused at the start`, () => {
    const folder = outputPath('folder');
    mkdirSync(folder);
    expect(() => checkHarName(name(folder))).toThrow('cannot be written (not a file). Name a new file');
  });

test('--har with a link that leads to itself is refused at the start', () => {
  const link = outputPath('link');
  mkdirSync(outputPath(), { recursive: true });
  symlinkSync(link, link);
  expect(() => checkHarName(link)).toThrow(`--har "${link}" cannot be written (ELOOP).`);
});

test('no part of a mark of the proxy is replaced in the reports on its recording', async () => {
  let issued = 0;
  const answer: RequestListener = (request, response) =>
    service({ token: `issued-4711-${++issued}-end` })(request, response);
  const { file } = await recorded(answer, async (url) => {
    for (const id of ['station-north', 'station-south', 'lifetime'])
      for (const _ of [1, 2]) await read(url, await tokenFrom(url, id));
  });
  const reportDir = outputPath('reports');
  await judgeHar(file, { processes: 1, reportDir, print: 'quiet' });
  const reports = readdirSync(reportDir).filter((name) => /\.(json|html|md|xml)$/.test(name));
  expect(reports).toContain('report.json');
  for (const name of reports) {
    // The pages say what such names look like.
    const text = readFileSync(join(reportDir, name), 'utf8').replaceAll('such as ‹token 1›', '');
    expect(text.match(/.{0,40}‹(token|client secret|unknown token|credentials)[ \d]*›/)?.[0]).toBeUndefined();
  }
  const report = readFileSync(join(reportDir, 'report.json'), 'utf8');
  for (const name of ['station-north', 'station-south', 'Give --token-lifetime'])
    expect(report).toContain(name);
});
