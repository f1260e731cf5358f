/** Files as the usual recorders write them. */
import { expect, _baseTest as test } from '@playwright/test';
import { startMock } from '../../mocks/index.ts';
import {
  BASE_URL,
  entryOf,
  FORM,
  harOf,
  type MadeCall,
  type MadeEntry,
  reactiveTraffic,
} from '../../tests/traffic/testing/har.ts';
import { factOf, reportOn, withVerdict } from './testing/judged.ts';

/** What all of them show of the traffic of `reactiveTraffic`. */
const KEPT =
  'MRS-2a MRS-4.1a MRS-4.1k MRS-4.1m MRS-4.2b MRS-5.3b MRS-5.6b MRS-7a token-reuse renewal bearer-header'.split(
    ' ',
  );

const entriesOf = (calls: readonly MadeCall[]) => calls.map(entryOf);

/** Of developer tools: HTTP/2, a stack of initiators, own members, an answer that it did not keep. */
function inChromium(entry: MadeEntry, at: number): object {
  const { request, response } = entry;
  let parent: object = { callFrames: [] };
  for (let depth = 0; depth < 32; depth++)
    parent = { callFrames: [{ functionName: 'f', lineNumber: 1 }], parent };
  return {
    _connectionId: '42',
    _initiator: { type: 'script', stack: parent },
    _priority: 'High',
    _resourceType: 'fetch',
    ...entry,
    pageref: 'page_1',
    serverIPAddress: '[2001:db8::1]',
    request: {
      ...request,
      httpVersion: 'http/2.0',
      headers: [
        { name: ':authority', value: 'mrs.example' },
        { name: ':method', value: 'GET' },
        ...request.headers,
        { name: 'origin', value: 'https://page.example' },
        { name: 'sec-fetch-mode', value: 'cors' },
      ],
      ...(request.postData && {
        postData: { ...request.postData, params: [{ name: 'grant_type', value: 'client_credentials' }] },
      }),
    },
    response: {
      ...response,
      httpVersion: 'http/2.0',
      _transferSize: 300,
      _error: null,
      // One body was no longer there when the file was written.
      ...(at === 4 && { content: { size: 300, mimeType: 'application/json' } }),
    },
    timings: {
      blocked: 1.2,
      dns: -1,
      ssl: -1,
      connect: -1,
      send: 0.1,
      wait: 18,
      receive: 0.7,
      _blocked_queueing: 1,
    },
  };
}

test('a file of Chromium with sensitive data is judged', async () => {
  const preflight = {
    ...entryOf({ at: 0.05, method: 'OPTIONS', path: '/ods_data/', status: 204 }),
    _resourceType: 'preflight',
  };
  const cached = { ...entryOf({ at: 0.06, path: '/ods_data/' }), _fromCache: 'disk' };
  const page = entryOf({ at: 0.01, url: 'https://page.example/', type: 'text/html', body: '<p>' });
  const own = entriesOf(reactiveTraffic()).map(inChromium);
  const report = await reportOn(harOf([page, preflight, cached, ...own], 'WebInspector'));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(KEPT));
  expect(factOf(report, 'Entries')).toContain(
    `${own.length} of ${own.length + 3} entries judged, ignored: 1 to other addresses, 1 preflight, 1 that did not go over the network`,
  );
  expect(report.outcome).toBe('conformant');
});

/** Of its savehar addon: names as they were sent, microseconds, base64 for what is not text, form fields as well. */
function inMitmproxy(entry: MadeEntry): object {
  const { startedDateTime, request, response } = entry;
  const isToken = request.postData !== undefined;
  const { text } = response.content;
  return {
    ...entry,
    startedDateTime: startedDateTime.replace(/\.(\d{3})Z/, '.$1456+00:00'),
    request: {
      ...request,
      httpVersion: 'HTTP/1.1',
      headers: request.headers.map(({ name, value }) => ({
        name: name.replace(/\b\w/g, (letter) => letter.toUpperCase()),
        value,
      })),
      ...(request.postData && {
        postData: {
          mimeType: 'application/x-www-form-urlencoded',
          text: request.postData.text,
          params: [...new URLSearchParams(request.postData.text)].map(([name, value]) => ({ name, value })),
        },
      }),
    },
    response: {
      ...response,
      content: {
        size: Buffer.byteLength(text),
        compression: 0,
        mimeType: 'application/json',
        ...(isToken ? { text } : { text: Buffer.from(text).toString('base64'), encoding: 'base64' }),
      },
    },
    timings: { connect: -1, ssl: -1, send: 0.3, receive: 1, wait: 18 },
    serverIPAddress: '192.0.2.4',
  };
}

test('a file of mitmproxy is judged', async () => {
  const report = await reportOn(harOf(entriesOf(reactiveTraffic()).map(inMitmproxy), 'mitmproxy'));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(KEPT));
  expect([factOf(report, 'Base URL'), report.outcome]).toEqual([BASE_URL, 'conformant']);
});

const REDACTED = '[REDACTED]';

/** Replaces the values of these headers, and of these fields of forms; tokens in answers as well. */
function masked(
  calls: readonly MadeCall[],
  { header, fields = [], tokens = false }: { header?: string; fields?: string[]; tokens?: boolean },
): MadeCall[] {
  return calls.map((call) => {
    const { authorization, ...headers } = call.headers ?? {};
    const form = new URLSearchParams(call.sent);
    for (const field of fields) form.set(field, REDACTED);
    return {
      ...call,
      headers: {
        ...headers,
        ...(authorization !== undefined && { authorization: header ?? authorization }),
      },
      ...(call.sent !== undefined && { sent: form.toString() }),
      ...(call.sent !== undefined && tokens && { body: { token: REDACTED } }),
    };
  });
}

const MASKED: Record<string, MadeCall[]> = {
  'all tokens': masked(reactiveTraffic(), { header: `Bearer ${REDACTED}`, tokens: true }),
  'only the tokens of answers': masked(reactiveTraffic(), { tokens: true }),
  'only the tokens of requests': masked(reactiveTraffic(), { header: 'Bearer <redacted>' }),
  'whole Authorization headers': masked(reactiveTraffic(), { header: REDACTED }),
  'Authorization headers for once': reactiveTraffic().map((call) =>
    call.at === 10.1 ? { ...call, headers: { accept: 'application/json', authorization: REDACTED } } : call,
  ),
  'secrets, cookies and keys': masked(reactiveTraffic(), { fields: ['client_secret'] }).map((call) => ({
    ...call,
    headers: { ...call.headers, cookie: REDACTED, 'x-api-key': REDACTED },
  })),
};

for (const [what, calls] of Object.entries(MASKED))
  test(`a file with ${what} replaced is judged without them`, async () => {
    const report = await reportOn(harOf(entriesOf(calls)));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  });

test('a token request whose Authorization header was replaced does not show that none is needed', async () => {
  const calls = reactiveTraffic().map((call) =>
    call.path === '/token/'
      ? { ...call, headers: { ...call.headers, authorization: `Basic ${REDACTED}` } }
      : call,
  );
  const report = await reportOn(harOf(entriesOf(calls)));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(['MRS-4.1a', 'MRS-5.3b']));
  expect(withVerdict(report, 'not-seen')).toContain('MRS-4.1b');
});

test('the journal of the mock, in which tokens are replaced by names, is judged', async () => {
  await using mock = await startMock({
    clients: [{ id: 'acme', secret: 'a secret of it' }],
    tokenLifetime: '60s',
    controlKey: 'a-key-of-the-test',
  });
  const body = new URLSearchParams({ ...FORM, client_id: 'acme', client_secret: 'a secret of it' });
  const ask = async () => {
    const headers = { accept: 'application/json' };
    const answer = await fetch(`${mock.url}/token/`, { method: 'POST', headers, body });
    return ((await answer.json()) as { token: string }).token;
  };
  const read = async (token: string) => {
    const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
    return (await fetch(`${mock.url}/ods_data/`, { headers })).status;
  };
  const first = await ask();
  for (let nth = 0; nth < 3; nth++) await read(first);
  mock.client('acme').expire();
  expect(await read(first)).toBe(403);
  const second = await ask();
  await read(second);

  const headers = { authorization: 'Bearer a-key-of-the-test' };
  const journal = await fetch(`${mock.url}/__mock/journal?format=har`, { headers });
  const report = await reportOn(await journal.text());
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  const shown = 'MRS-2a MRS-4.1a MRS-4.1m MRS-4.2a MRS-5.3b MRS-5.6b MRS-7a renewal dead-token'.split(' ');
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(shown));
  expect(report.outcome).toBe('conformant');
});
