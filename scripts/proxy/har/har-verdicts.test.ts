/** `mrs judge` finds in the HAR file of the proxy what the proxy found while the traffic passed. */
import { createReadStream } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { type JudgedRecording, judgeRecording } from '../../judge/judge-recording.ts';
import { readRecording } from '../../judge/read-recording.ts';
import { proxyTo } from '../testing/proxy-to.ts';
import { startWeb } from '../testing/wire.ts';
import { createHarFile } from './har-file.ts';

interface Call {
  form?: Record<string, string>;
  query?: string;
  headers?: Record<string, string>;
  status?: number;
  type?: string;
  /** Of the answer. */
  body: unknown;
}

const JSON_TYPE = 'application/json';
const TOKEN = 'a-token-of-the-service-0815';
const FORM = { grant_type: 'client_credentials', client_id: 'acme', client_secret: 'hush-hush-hush-4711' };
const DATA = { ods_data: [{ id: 'obs-1' }, { id: 'obs-2' }] };

const asks = (body: unknown = { token: TOKEN }, more: Partial<Call> = {}): Call => ({
  form: FORM,
  body,
  ...more,
});
const reads = (token: string, more: Partial<Call> = {}): Call => ({
  headers: { authorization: `Bearer ${token}` },
  body: DATA,
  ...more,
});
const right = [asks(), reads(TOKEN), reads(TOKEN)];

/** What fails or is warned about, live and from the file. */
async function both(calls: readonly Call[]): Promise<[live: string[], fromFile: string[]]> {
  const answers = [...calls];
  await using service = await startWeb((request, response) => {
    const { status = 200, type = JSON_TYPE, body } = answers.shift() ?? { body: '' };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    request.resume().once('end', () => response.writeHead(status, { 'content-type': type }).end(text));
  });
  const file = test.info().outputPath('traffic.har');
  const har = createHarFile(file, service.url);
  await using proxy = await proxyTo(service.url, { har });
  for (const { form, query = '', headers } of calls) {
    const method = form ? 'POST' : 'GET';
    const answer = await fetch(`${proxy.url}${form ? '/token/' : '/ods_data/'}${query}`, {
      method,
      headers: { accept: JSON_TYPE, ...headers },
      ...(form && { body: new URLSearchParams(form) }),
    });
    await answer.arrayBuffer();
  }
  await proxy.close();
  const { judged, secrets } = await proxy.result();
  expect(await har.finish(secrets)).toBeUndefined();
  const recording = await readRecording(createReadStream(file), 'traffic.har', undefined);
  return [failing(judged), failing(judgeRecording(recording, { processes: 1 }))];
}

const failing = ({ server, clients }: JudgedRecording): string[] => [
  ...server.flatMap(({ verdict, requirement }) => (verdict === 'failed' ? requirement.id : [])),
  ...clients.flatMap(({ certificate }) =>
    certificate.rules.flatMap(({ id, verdict }) => (verdict === 'failed' || verdict === 'warned' ? id : [])),
  ),
];

for (const [what, calls, expected] of [
  ['right traffic', right, []],
  ['a token in the member access_token', [asks({ access_token: TOKEN })], ['MRS-2a', 'MRS-4.1l']],
  ['a token with a further member', [asks({ token: TOKEN, expires_in: 60 }), reads(TOKEN)], ['MRS-4.1l']],
  ['a token deep in the answer', [asks({ data: { token: TOKEN } })], ['MRS-2a', 'MRS-4.1l']],
  ['a token as plain text', [asks(TOKEN, { type: 'text/plain' })], ['MRS-4.1k']],
  [
    'a token for a form with an empty secret',
    [...right, asks({ token: 'another-token-of-it' }, { form: { ...FORM, client_secret: '' } })],
    ['MRS-4.1i', 'form-fields'],
  ],
  [
    'a token for another grant type',
    [...right, asks({ token: 'another-token-of-it' }, { form: { ...FORM, grant_type: 'password' } })],
    ['MRS-4.1f', 'form-fields'],
  ],
  ['data for an unset variable', [...right, reads('undefined')], ['MRS-5.5a', 'bearer-header']],
  [
    'data for a cookie',
    [...right, { headers: { cookie: 'session=abcdefgh' }, body: DATA }],
    ['bearer-header'],
  ],
  ['requests without Authorization only', [asks(), { body: DATA }], ['token-member', 'bearer-header']],
  [
    'a query that is served for one value and refused for another',
    [...right, reads(TOKEN, { query: '?id=1' }), reads(TOKEN, { query: '?id=x', status: 400, body: {} })],
    [],
  ],
  [
    'a wrong secret between two requests with the right one',
    [
      ...right,
      asks({ error: 'invalid_client' }, { form: { ...FORM, client_secret: 'mistyped-secret' }, status: 401 }),
      asks({ token: 'another-token-of-it' }),
    ],
    [],
  ],
  [
    'a client whose id has spaces',
    [asks({ token: TOKEN }, { form: { ...FORM, client_id: 'acme of the north' } }), reads(TOKEN)],
    [],
  ],
] as [string, Call[], string[]][])
  test(`the file of ${what} is judged as the traffic`, async () => {
    const [live, fromFile] = await both(calls);
    expect(live).toEqual(expected);
    expect(fromFile).toEqual(live);
  });
