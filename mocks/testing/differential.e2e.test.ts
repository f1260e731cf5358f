/**
 * The same requests to Prism's own server and to the mock: what Prism decides must still be Prism's, and
 * every difference has a reason here. A reason that is needed no longer fails, too.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { type Dispatcher, request } from 'undici';
import { type Mock, startMock } from '../index.ts';

interface Sent {
  path: string;
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const whole = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
const TOKEN = 'Bearer <token>'; // stands for a token that the mock has issued

const form = (body: string, headers: Record<string, string> = FORM): Sent => ({
  path: '/token/',
  method: 'POST',
  headers,
  body,
});
const data = (headers: Record<string, string> = {}, method: Dispatcher.HttpMethod = 'GET'): Sent => ({
  path: '/ods_data/',
  method,
  headers,
});
const health = (headers: Record<string, string> = {}): Sent => ({ path: '/health/', headers });

const corpus: Record<string, Sent> = {
  'valid form': form(whole),
  'valid form, accept JSON': form(whole, { ...FORM, accept: 'application/json' }),
  'valid form, charset': form(whole, { 'content-type': `${FORM['content-type']}; charset=utf-8` }),
  'valid form, accept HTML': form(whole, { ...FORM, accept: 'text/html' }),
  'form without grant_type': form('client_id=demo&client_secret=demo-secret'),
  'form without client_id': form('grant_type=client_credentials&client_secret=demo-secret'),
  'form without client_secret': form('grant_type=client_credentials&client_id=demo'),
  'form with an empty secret': form('grant_type=client_credentials&client_id=demo&client_secret='),
  'form with a repeated field': form(`${whole}&client_id=demo`),
  'form with another grant': form(whole.replace('client_credentials', 'password')),
  'form with a wrong secret': form(whole.replace('demo-secret', 'wrong')),
  'form with bad encoding': form(`${whole}&x=%zz`),
  'form above 64 KiB': form(`${whole}&x=${'x'.repeat(70_000)}`),
  'empty form': form(''),
  'JSON in place of a form': form('{"grant_type":"client_credentials"}', {
    'content-type': 'application/json',
  }),
  'text in place of a form': form(whole, { 'content-type': 'text/plain' }),
  'form without a content type': form(whole, {}),
  'token by GET': { path: '/token/' },
  'data without a token': data(),
  'data with a valid token': data({ authorization: TOKEN }),
  'data with a valid token, accept HTML': data({ authorization: TOKEN, accept: 'text/html' }),
  'data with a valid token, accept with q': data({
    authorization: TOKEN,
    accept: 'x/y, application/*;q=0.1',
  }),
  'data with a valid token, accept nothing': data({ authorization: TOKEN, accept: '*/*;q=0' }),
  'data with a valid token and a query': { ...data({ authorization: TOKEN }), path: '/ods_data/?page=2' },
  'data with a lower-case scheme': data({ authorization: TOKEN.replace('B', 'b') }),
  'data with an unknown token': data({ authorization: 'Bearer nobody' }),
  'data with a malformed token': data({ authorization: 'Bearer' }),
  'data with another scheme': data({ authorization: 'Basic eDp5' }),
  'data without a token, accept HTML': data({ accept: 'text/html' }),
  'data by HEAD': data({ authorization: TOKEN }, 'HEAD'),
  'data by POST': data({ authorization: TOKEN }, 'POST'),
  'data without the slash': { ...data({ authorization: TOKEN }), path: '/ods_data' },
  health: health(),
  'health with a token': health({ authorization: 'Bearer nobody' }),
  'health, accept HTML': health({ accept: 'text/html' }),
  'unknown path': { path: '/nowhere/' },
};

const NO_PROBLEM = 'Our error bodies have the members of the documented ones; Prism has its own, RFC 7807.';
const STATEFUL = 'Prism keeps no clients and no tokens.';

/** `differs` is exact: another difference of the same request fails. */
const reasons: { request: string; differs: (keyof Shape)[]; reason: string }[] = [
  { request: 'valid form, accept HTML', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  {
    request: 'form with an empty secret',
    differs: ['status', 'members'],
    reason: 'A parameter without a value is a missing one (RFC 6749 section 3.2); the schema cannot tell.',
  },
  {
    request: 'form with a repeated field',
    differs: ['status', 'members'],
    reason: 'A parameter must not be repeated (RFC 6749 section 3.2); Prism takes the last one.',
  },
  { request: 'form with a wrong secret', differs: ['status', 'members'], reason: STATEFUL },
  { request: 'form above 64 KiB', differs: ['status', 'members'], reason: 'The limit of Prism is 10 MB.' },
  {
    request: 'form without a content type',
    differs: ['status'],
    reason:
      'The type of the body is unknown (RFC 9110 section 8.3), so it is no form; Prism looks at the fields.',
  },
  { request: 'token by GET', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  { request: 'data with a valid token, accept HTML', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  {
    request: 'data with a valid token, accept nothing',
    differs: ['status', 'mediaType', 'members'],
    reason: 'Prism takes any header with */* in it for consent, and answers 200 without a body.',
  },
  {
    request: 'data with a lower-case scheme',
    differs: ['status', 'members'],
    reason: 'The scheme is compared without case (RFC 9110 section 11.1; stoplightio/prism #2722).',
  },
  { request: 'data with an unknown token', differs: ['status', 'members'], reason: STATEFUL },
  { request: 'data by HEAD', differs: ['status', 'mediaType'], reason: 'Prism wants HEAD in the contract.' },
  { request: 'data by POST', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  { request: 'data without the slash', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  { request: 'health, accept HTML', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
  { request: 'unknown path', differs: ['mediaType', 'members'], reason: NO_PROBLEM },
];

test.describe.configure({ mode: 'default' }); // one Prism serves all of them

let mock: Mock;
let prism: Prism;
test.beforeAll(async () => {
  [mock, prism] = await Promise.all([startMock(), startPrism()]);
});
test.afterAll(async () => {
  prism.end();
  await mock.close();
});

for (const [name, sent] of Object.entries(corpus))
  test(`${name}: as Prism answers, or for a reason`, async () => {
    const [ours, theirs] = [await shape(mock.url, sent), await shape(prism.url, sent)];
    const editRecords = reasons.find((one) => one.request === name);
    const aspects = ['status', 'mediaType', 'members'] as const;
    const differs = aspects.filter((aspect) => String(ours[aspect]) !== String(theirs[aspect]));
    const told = `ours ${JSON.stringify(ours)}, Prism's ${JSON.stringify(theirs)}: ${editRecords?.reason}`;
    expect(differs, told).toEqual(editRecords?.differs ?? []);
  });

test('every reason is for a request that is sent', () => {
  expect(reasons.map((editRecords) => editRecords.request).filter((name) => !(name in corpus))).toEqual([]);
});

/** What a client can build on. */
interface Shape {
  status: number;
  mediaType: string | undefined;
  /** Names of the members of the body. */
  members: string[];
}

async function shape(url: string, { path, method = 'GET', headers = {}, body = '' }: Sent): Promise<Shape> {
  const { authorization } = headers;
  const token = authorization?.includes('<token>') ? await issuedToken() : '';
  const answer = await request(url + path, {
    method,
    headers: { ...headers, ...(authorization && { authorization: authorization.replace('<token>', token) }) },
    ...(body && { body }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    mediaType: String(answer.headers['content-type'] ?? '').split(';')[0],
    members: text ? Object.keys(JSON.parse(text)).sort() : [],
  };
}

async function issuedToken(): Promise<string> {
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers: FORM, body: whole });
  return ((await answer.body.json()) as { token: string }).token;
}

type Prism = { url: string; end: () => void };

/** Rejects with what Prism wrote if it ends before it listens. */
async function startPrism(): Promise<Prism> {
  const cli = fileURLToPath(new URL('../../node_modules/.bin/prism', import.meta.url));
  const contract = fileURLToPath(import.meta.resolve('mrs-contract/openapi.yaml'));
  const prism = spawn(cli, ['mock', contract, '-p', '0', '-m', 'false'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => prism.kill();
  process.once('exit', end); // also when the run is broken off
  const written: string[] = [];
  for await (const line of createInterface({ input: prism.stdout })) {
    const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (!url) written.push(line);
    else {
      prism.stdout.resume(); // a full pipe would halt it
      return { url, end };
    }
  }
  throw new Error(`prism mock ended before it listened. It wrote:\n${written.join('\n')}`);
}
