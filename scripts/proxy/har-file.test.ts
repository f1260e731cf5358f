/** The HAR file of the proxy: no credential is ever in it, whether it was known when it passed or later, and what the judges need is. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { FORM_TYPE } from '../../tests/traffic/exchange.ts';
import { judgeHar } from '../judge/judge-har.ts';
import { createHarFile } from './har-file.ts';
import { read, recorded, SECRET, tokenFrom } from './testing/proxied.ts';

const TOKEN = 'a-token-of-it-0815';
const OTHER = 'refresh-R4nd0m-value';
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
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers }).then((answer) => answer.text());

/** What the file must not hold, at the end or if the proxy is killed; the first words of what it does hold. */
function expectNone({ text, early }: { text: string; early: string }, values: readonly string[]): void {
  for (const value of values)
    for (const file of [text, early]) expect(file.includes(value) ? `${value} in ${file}` : '').toBe('');
}

for (const [what, type, body] of [
  ['an object', JSON_TYPE, { token: TOKEN, note: `${TOKEN} ${OTHER}`, [OTHER]: 4711 }],
  ['cut JSON', JSON_TYPE, `{"token":"${TOKEN}","refresh_token":"${OTHER}`],
  ['XML', 'application/xml', `<answer><token>${TOKEN}</token><refresh>${OTHER}</refresh></answer>`],
  ['two members of one name', JSON_TYPE, `{"token":"${OTHER}","token":"${TOKEN}"}`],
  ['a list by tokens', JSON_TYPE, { [TOKEN]: { access_token: OTHER } }],
] as const)
  test(`no value of a token answer that is ${what} is in the file`, async () => {
    expectNone(await recorded(service(body, body, type), askFor), [TOKEN, OTHER, 'R4nd0m', '4711']);
  });

const BASE64 = Buffer.from(TOKEN).toString('base64url');
const reads = (headers: Record<string, string>) => (url: string) => fetch(`${url}/ods_data/`, { headers });

for (const [what, call] of [
  ['a path', (url: string) => get(`${url}/x/${TOKEN}`)],
  ['a path, in an encoding', (url: string) => get(`${url}/x/${BASE64}`)],
  ['a query', (url: string) => get(`${url}/ods_data/?${TOKEN}`)],
  ['the name of a parameter', (url: string) => get(`${url}/ods_data/?a[${TOKEN}]=${SECRET}`)],
  ['a charset', (url: string) => post(`${url}/token/`, 'a=1', `${FORM_TYPE}; charset=${TOKEN}`)],
  ['a media type', (url: string) => get(url, { accept: `text/${TOKEN}, */*; q=0;v=${TOKEN}` })],
  ['a condition', reads({ 'if-none-match': TOKEN, 'if-modified-since': SECRET })],
  ['a cookie and another header', reads({ cookie: `a=${TOKEN}`, 'x-key': SECRET })],
  ['Basic credentials', reads({ authorization: `Basic ${Buffer.from(`a:${SECRET}`).toString('base64')}` })],
  ['another scheme', reads({ authorization: `Token ${TOKEN}` })],
  ['the name of a field', (url: string) => post(`${url}/login/`, TOKEN)],
  ['JSON that is sent as a form', (url: string) => post(`${url}/token/`, `{"${TOKEN}":"${SECRET}"}`)],
  [
    'JSON',
    (url: string) => post(`${url}/token/`, `{"client_id":"a","client_secret":"${SECRET}"}`, JSON_TYPE),
  ],
  ['a grant type', (url: string) => post(`${url}/token/`, `grant_type=${SECRET}`)],
  ['the id of a client', (url: string) => post(`${url}/token/`, `client_id=${SECRET}&client_secret=acme`)],
] as const)
  test(`a credential in ${what} that becomes known later is never in the file`, async () => {
    let isRefused = true;
    const answer: RequestListener = (request, response) =>
      service(undefined, undefined, undefined, isRefused ? 403 : 200)(request, response);
    const seen = await recorded(answer, async (url) => {
      await call(url);
      isRefused = false;
      await askFor(url);
      await read(url, TOKEN);
    });
    expectNone(seen, [TOKEN, BASE64, SECRET, Buffer.from(`a:${SECRET}`).toString('base64')]);
    expect(seen.entries).toHaveLength(3);
  });

for (const [what, data, type] of [
  ['the name of a member', { [TOKEN]: [{ [SECRET]: 1 }], [`error_${OTHER}`]: 2 }, JSON_TYPE],
  ['a value', { ods_data: [{ id: TOKEN, of: [SECRET, OTHER] }] }, JSON_TYPE],
  ['a text', `Bearer ${TOKEN}, ${SECRET}, ${OTHER}`, JSON_TYPE],
  ['the name of a member of a list', [[{ [`x-${TOKEN}-y`]: 'a' }]], JSON_TYPE],
  ['the media type', DATA, `application/${TOKEN}`],
] as const)
  test(`a credential in ${what} of the data is never in the file`, async () => {
    const seen = await recorded(service(undefined, data, type), async (url) => {
      await read(url, OTHER);
      await askFor(url);
      await read(url, TOKEN);
      await get(`${url}/ods_data/`);
    });
    expectNone(seen, [TOKEN, SECRET, OTHER]);
  });

test('a header of an answer is in the file only where the judges read it, and not if it may be a credential', async () => {
  const answering = (headers: Record<string, string>) =>
    recorded(
      (_, response) => response.writeHead(307, headers).end(),
      (url) => fetch(`${url}/ods_data/`, { redirect: 'manual' }),
    );
  const seen = await answering({
    'retry-after': OTHER,
    location: `/${TOKEN}/ods_data/`,
    'set-cookie': SECRET,
    'x-a': SECRET,
  });
  expectNone(seen, [TOKEN, SECRET, OTHER]);
  expect(seen.text).toContain('/path-1/ods_data/');
  expect((await answering({ 'retry-after': '120' })).text).toContain('"120"');
});

test('a credential in a name is not in the line of a call, even if it is never known', async () => {
  const { calls } = await recorded(service(), (url) => get(`${url}/ods_data/?a[x7c1d94be2]=1`));
  expect(JSON.stringify(calls)).not.toContain('x7c1d94be2');
});

test('no body is in the file, but what the judges made of it, and the name of the token', async () => {
  const { entries } = await recorded(service(), async (url) => read(url, await tokenFrom(url)));
  expect(entries.map(({ response: { content } }) => content.text)).toEqual([undefined, undefined]);
  expect(entries.map(({ _mrs }) => _mrs)).toMatchObject([
    {
      client: 'acme',
      token: '‹token-1›',
      response: { digest: 'body-1', json: { wellFormed: true, type: 'object' } },
    },
    { response: { digest: 'body-2', json: { fields: ['ods_data'], recordFields: ['id'] } } },
  ]);
});

test('the file has an entry for each call as soon as it ends, and the id of a client once it got a token', async () => {
  let isRefused = true;
  const answer: RequestListener = (request, response) =>
    service(undefined, undefined, undefined, isRefused ? 401 : 200)(request, response);
  const { early, text } = await recorded(answer, async (url) => {
    await askFor(url);
    isRefused = false;
    await askFor(url);
  });
  const idsIn = (har: string) =>
    JSON.parse(har).log.entries.map(({ _mrs }: { _mrs: { client: string } }) => _mrs.client);
  expect([idsIn(early), idsIn(text)]).toEqual([
    ['client-1', 'acme'],
    ['acme', 'acme'],
  ]);
});

test('a HAR file numbers its tokens', async () => {
  const { entries } = await recorded(service(), async (url) => {
    for (const token of ['first-of-before', 'other-of-before', 'first-of-before']) await read(url, token);
  });
  const sent = entries.map(
    ({ request }) => request.headers.find(({ name }) => name === 'authorization')?.value,
  );
  expect(sent).toEqual(['Bearer ‹token-1›', 'Bearer ‹token-2›', 'Bearer ‹token-1›']);
});

test('a call that cannot be written is reported once, and the file is whole at the end', async () => {
  const { judged } = await recorded(service(), askFor);
  const file = outputPath('other.har');
  const har = createHarFile(file, 'http://mrs.example');
  const broken = {} as (typeof judged.calls)[number];
  expect([broken, broken].map(har.add)).toEqual([`${file} could not be written (unknown error).`, undefined]);
  expect(har.finish(judged)).toBeUndefined();
  expect(JSON.parse(readFileSync(file, 'utf8')).log.entries).toHaveLength(1);
});

for (const [what, name, why] of [
  ['a directory', (folder: string) => folder, 'not a file'],
  ['a device', () => '/dev/null', 'not a file'],
  ['nothing', () => '', 'ENOENT'],
  ['a path that ends with a slash', (folder: string) => `${folder}/new/`, 'ENOENT'],
] as const)
  test(`--har with ${what} is refused at the start`, () => {
    const folder = outputPath('folder');
    mkdirSync(folder);
    const create = () => createHarFile(name(folder), 'http://mrs.example');
    expect(create).toThrow(`cannot be written (${why}). Name a new file`);
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
