/** Files as recorders write them, and as they lose, cut or replace what passed: nothing of that is reported as a fault of anyone. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  asks,
  BASE_URL,
  entryOf,
  FORM,
  harOf,
  type MadeEntry,
  reactiveTraffic,
  reads,
  refused,
} from '../../tests/traffic/testing/har.ts';
import { factOf, reportOn, withVerdict } from './testing/judged.ts';

/** The traffic of a right client and service, as a recorder has left it. */
const recorded = (change: (entry: MadeEntry, at: number) => object | object[]): object[] =>
  reactiveTraffic().flatMap((call, at) => change(entryOf(call), at));

const FORM_TYPE = 'application/x-www-form-urlencoded';
const isRead = ({ request }: MadeEntry) => request.method === 'GET';
const withRequest = (entry: MadeEntry, more: object) => ({
  ...entry,
  request: { ...entry.request, ...more },
});
const withAnswer = (entry: MadeEntry, more: object) => ({
  ...entry,
  response: { ...entry.response, ...more },
});
const withContent = (entry: MadeEntry, content: object) => withAnswer(entry, { content });
const withoutHeaders = (entry: MadeEntry) => withRequest(entry, { headers: [] });
const withForm = (postData: (text: string) => object) =>
  recorded((entry) => {
    const { text } = entry.request.postData ?? {};
    return text === undefined ? entry : withRequest(entry, { bodySize: 90, postData: postData(text) });
  });
const withPostData = (entry: MadeEntry, postData: object, bodySize: number) =>
  isRead(entry) ? entry : withRequest(entry, { bodySize, postData });
type Header = MadeEntry['request']['headers'][number];
const withHeaders = (entry: MadeEntry, change: (header: Header) => Header | Header[]) =>
  withRequest(entry, { headers: entry.request.headers.flatMap(change) });
const withoutThe = (entry: MadeEntry, ...names: string[]) =>
  withHeaders(entry, (header) => (names.includes(header.name) ? [] : header));
/** With a part of its form left out, as a client sends it. */
function formOnly(entry: MadeEntry, part: RegExp): object {
  const text = entry.request.postData?.text.replace(part, '') ?? '';
  const mimeType = 'application/x-www-form-urlencoded';
  const sent = withHeaders(entry, ({ name, value }) => ({
    name,
    value: name === 'content-length' ? String(text.length) : value,
  }));
  return isRead(entry)
    ? entry
    : withRequest(sent as MadeEntry, { bodySize: text.length, postData: { mimeType, text } });
}
const untyped = (entry: MadeEntry) =>
  isRead(entry) ? entry : withRequest(entry, { postData: { text: entry.request.postData?.text } });
const typedAs = (entry: MadeEntry, headers: object[]) =>
  isRead(entry)
    ? entry
    : withAnswer(entry, { headers, content: { ...entry.response.content, mimeType: '' } });
const replaced = (entry: MadeEntry, change: (value: string) => string) =>
  withRequest(entry, {
    headers: entry.request.headers.map(({ name, value }) => ({
      name,
      value: name === 'authorization' ? change(value) : value,
    })),
  });
const withAuthorization = (change: (value: string) => string) => recorded((entry) => replaced(entry, change));
const withToken = (entries: object[], token: string) =>
  (entries as MadeEntry[]).map((entry) =>
    isRead(entry) ? entry : withContent(entry, { text: JSON.stringify({ token }) }),
  );
const atTime = (startedDateTime: unknown) => recorded((entry) => ({ ...entry, startedDateTime, time: 0 }));
const seconds = ({ startedDateTime, ...entry }: MadeEntry) => ({
  ...entry,
  startedDateTime: startedDateTime.replace(/\.\d+/, ''),
});
const REDACTED = '[REDACTED]';
const IN_PLACE = ['<token>', '{{access_token}}', 'undefined'];

const FILES: Record<string, object[]> = {
  ...Object.fromEntries(
    IN_PLACE.map((one) => [
      `${one} in place of each token of a read`,
      withAuthorization(() => `Bearer ${one}`),
    ]),
  ),
  'no bodies of the data': recorded((entry) =>
    isRead(entry) && entry.response.status === 200 ? withContent(entry, { size: 300 }) : entry,
  ),
  'no headers of answers': recorded((entry) =>
    withAnswer(entry, { headers: [], content: { ...entry.response.content, mimeType: 'application/json' } }),
  ),
  'provisional headers': recorded((entry, at) => (at % 5 === 2 ? withoutHeaders(entry) : entry)),
  'no bodies': recorded((entry) => withContent(entry, { size: 0 })),
  'empty bodies': recorded((entry) => withContent(entry, { size: 0, text: '' })),
  'bodies in gzip': recorded((entry) => {
    const text = gzipSync(entry.response.content.text).toString('base64');
    const headers = [...entry.response.headers, { name: 'content-encoding', value: 'gzip' }];
    return withAnswer(entry, { headers, content: { text, encoding: 'base64' } });
  }),
  'bodies of less than their headers state': recorded((entry) => {
    const { text } = entry.response.content;
    const headers = [...entry.response.headers, { name: 'content-length', value: String(text.length) }];
    return withAnswer(entry, { headers, content: { text: text.slice(0, 15) } });
  }),
  'bodies that were cut, and a note': recorded((entry) =>
    withContent(entry, { size: 20, text: entry.response.content.text?.slice(0, 20), comment: 'Truncated' }),
  ),
  'a sentence in place of bodies': recorded((entry) => withContent(entry, { text: '[text/json redacted]' })),
  'forms that were replaced': withForm(() => ({ text: REDACTED })),
  'forms that were emptied': withForm(() => ({ text: '' })),
  'the names of form fields only': withForm((text) => ({
    params: [...new URLSearchParams(text).keys()].map((name) => ({ name })),
  })),
  'forms without secrets': withForm((text) => ({
    mimeType: 'application/x-www-form-urlencoded',
    text: text.replace(/&client_secret=[^&]*/, ''),
  })),
  'forms in base64': withForm((text) => ({
    text: Buffer.from(text).toString('base64'),
    encoding: 'base64',
  })),
  'forms that were cut': withForm((text) => ({ text: text.slice(0, 30) })),
  'forms that were kept as bytes': withForm(() => ({ text: '\u001f\ufffd\b' })),
  'only the headers that a program added': recorded((entry) => withoutThe(entry, 'host', 'accept')),
  'no content types': recorded((entry) => untyped(withoutThe(entry, 'host', 'content-type'))),
  'no Authorization header in some reads': recorded((entry, at) =>
    at % 3 === 1 ? withoutThe(entry, 'host', 'authorization') : entry,
  ),
  'queries in a list only': [
    ...reactiveTraffic(),
    reads(50.2, 1, { path: '/ods_data/?since=rubbish', status: 400, body: '' }),
  ].map((call) => {
    const entry = entryOf(call);
    const url = new URL(entry.request.url);
    const queryString = [...url.searchParams].map(([name, value]) => ({ name, value }));
    return withRequest(entry, { url: url.origin + url.pathname, queryString });
  }),
  'tokens that were emptied': withAuthorization(() => ''),
  'digests in place of tokens': withAuthorization(
    (value) => `Bearer ${value.length}-${value.slice(-8, -4)}-digest`,
  ),
  'all tokens replaced': withToken(
    withAuthorization(() => `Bearer ${REDACTED}`),
    REDACTED,
  ),
  'only the tokens of answers replaced': withToken(
    recorded((entry) => entry),
    REDACTED,
  ),
  'one Authorization header that was replaced': recorded((entry, at) =>
    at === 3 ? replaced(entry, () => REDACTED) : entry,
  ),
  'cookies and keys that were replaced': recorded((entry) =>
    withRequest(entry, {
      headers: [
        ...entry.request.headers,
        ...['cookie', 'x-api-key'].map((name) => ({ name, value: REDACTED })),
      ],
    }),
  ),
  'no forms, of which it is not known whose tokens they brought': [
    ...reactiveTraffic(),
    asks(5, 'other', { form: { ...FORM, client_id: 'other' } }),
    refused(5.1, 'other'), // This client may lack a scope.
  ].map((call) => withRequest(entryOf(call), { postData: undefined })),
};

/** Their requests are in no order that is known. */
const WITHOUT_ORDER: [what: string, entries: object[], named: string][] = [
  ['no times', atTime(''), 'entry 1 has the startedDateTime ""'],
  ['times in whole seconds', recorded(seconds), 'entries 1 and 2 begin at 2030-01-31T12:00:00.000Z'],
];
for (const [what, entries, named] of WITHOUT_ORDER)
  test(`a file with ${what} is refused, and one of the times is named`, async () => {
    const judged = reportOn(harOf(entries));
    await expect(judged).rejects.toThrow(UsageError);
    await expect(judged).rejects.toThrow(
      `traffic.har does not show the order of the requests to https://mrs.example/api: ${named}. Record`,
    );
  });

for (const [what, entries] of Object.entries(FILES))
  test(`a file with ${what} shows no fault`, async () => {
    const report = await reportOn(harOf(entries));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  });

/** What is not in a file that leaves nothing out was not sent. */
for (const [what, reported, change] of [
  ['no accept headers', 'token-accept data-accept', (entry) => withoutThe(entry, 'accept')],
  ['no content types', 'form-content-type', (entry) => untyped(withoutThe(entry, 'content-type'))],
  [
    'no Authorization header in a read that is served',
    'MRS-1.3 bearer-header',
    (entry, at) => (at === 4 ? withoutThe(entry, 'authorization') : entry),
  ],
  ['forms without grant_type', 'MRS-4.1e form-fields', (entry) => formOnly(entry, /^.*?&/)],
  ['token answers without a type', 'MRS-4.1k', (entry) => typedAs(entry, [{ name: 'date', value: 'x' }])],
] as const satisfies [string, string, (entry: MadeEntry, at: number) => object][])
  test(`a file with ${what} that has all the rest shows ${reported}`, async () => {
    const report = await reportOn(harOf(recorded(change)));
    expect(withVerdict(report, 'failed').join(' ')).toBe(reported);
  });

test('a file of a library, which leaves out what it did not set itself, is judged by the rest', async () => {
  const report = await reportOn(harOf(recorded((entry) => withoutThe(entry, 'host', 'content-length'))));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  const shown = 'MRS-2a MRS-4.1k MRS-5.3b MRS-7a token-accept form-fields bearer-header token-reuse renewal';
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(shown.split(' ')));
  expect([report.server.outcome, report.client.outcome]).toEqual(['incomplete', 'conformant']);
  expect(report.remarks[0]).toMatch(/^Not seen of the service: MRS-4\.1b .*\. The recorder left headers out/);
});

/** Entries that cannot be read, each with what the report says of it. */
const UNREAD: [what: string, entry: unknown, said: string][] = [
  [
    'a url without a host',
    entryOf({ at: 1, url: '/ods_data/?id=7' }),
    'has a url without a host: /ods_data/…',
  ],
  ['no request', { startedDateTime: '2030-01-31T12:00:00.000Z' }, 'has no request with a method and a url'],
];
for (const [what, entry, said] of UNREAD)
  test(`an entry with ${what} is left out, and the report says so`, async () => {
    const report = await reportOn(harOf([...recorded((one) => one), entry as object]));
    const left = 'Left out: 1 of the entries, which cannot be read. Entry 42 ';
    expect(report.remarks).toContainEqual(expect.stringContaining(left));
    expect(report.remarks.join()).toContain(said);
    expect([report.outcome, factOf(report, 'Entries')]).toEqual([
      'conformant',
      expect.stringContaining('41 of 42 entries judged'),
    ]);
  });

test('a file in which no entry has a host is refused with the first of them', async () => {
  const entries = recorded((entry) => withRequest(entry, { url: new URL(entry.request.url).pathname }));
  await expect(reportOn(harOf(entries))).rejects.toThrow(
    'traffic.har (41 of its entries cannot be read: Entry 1 has a url without a host: /api/token/) has no POST',
  );
});

// As the usual recorders write them.

/** Of developer tools: HTTP/2, a stack of initiators, own members, an answer that it did not keep. */
function inChromium(entry: MadeEntry, at: number): object {
  let parent: object = { callFrames: [] };
  for (let depth = 0; depth < 32; depth++) parent = { callFrames: [{ functionName: 'f' }], parent };
  const own = { _initiator: { type: 'script', stack: parent }, _resourceType: 'fetch', pageref: 'page_1' };
  const headers = [
    { name: ':authority', value: 'mrs.example' },
    ...entry.request.headers,
    { name: 'sec-fetch-mode', value: 'cors' },
  ];
  const params = [{ name: 'grant_type', value: 'client_credentials' }];
  const { postData } = entry.request;
  const sent = withRequest(entry, { headers, ...(postData && { postData: { ...postData, params } }) });
  const lost = { content: { size: 300, mimeType: 'application/json' } };
  const timings = { blocked: 1.2, dns: -1, ssl: -1, connect: -1, send: 0.1, wait: 18, receive: 0.7 };
  return {
    ...own,
    ...withAnswer(sent, { _transferSize: 300, _error: null, ...(at === 4 && lost) }),
    timings,
  };
}

/** Of its savehar addon: names as they were sent, microseconds, base64 for what is not text, form fields as well. */
function inMitmproxy(entry: MadeEntry): object {
  const { startedDateTime, request, response } = entry;
  const { text } = response.content;
  const headers = request.headers.map(({ name, value }) => ({
    name: name.replace(/\b\w/g, (letter) => letter.toUpperCase()),
    value,
  }));
  const params = [...new URLSearchParams(request.postData?.text)].map(([name, value]) => ({ name, value }));
  const encoded = { text: Buffer.from(text).toString('base64'), encoding: 'base64' };
  const content = { size: Buffer.byteLength(text), compression: 0, mimeType: 'application/json' };
  return {
    ...withRequest(entry, {
      headers,
      ...(request.postData && { postData: { ...request.postData, params } }),
    }),
    startedDateTime: startedDateTime.replace(/\.(\d{3})Z/, '.$1456+00:00'),
    response: { ...response, content: { ...content, ...(isRead(entry) ? encoded : { text }) } },
    timings: { connect: -1, ssl: -1, send: 0.3, receive: 1, wait: 18 },
  };
}

const params = ({ request }: MadeEntry) =>
  [...new URLSearchParams(request.postData?.text)].map(([name, value]) => ({ name, value }));

/** What some leave out: each keeps enough to show that. */
const LEAVING_OUT: [program: string, write: (entry: MadeEntry, at: number) => object][] = [
  [
    'Playwright, with bodies in files',
    (entry, at) => {
      const attached = withContent(entry, { size: -1, mimeType: 'application/json', _file: `${at}.json` });
      const postData = { mimeType: FORM_TYPE, text: '', params: params(entry), _file: `${at}.dat` };
      return withPostData(attached as MadeEntry, postData, 90);
    },
  ],
  [
    'Playwright, of requests without a page',
    (entry) =>
      withPostData(withoutThe(entry, 'host', 'content-length'), { mimeType: FORM_TYPE, text: '' }, 0),
  ],
  [
    'BrowserMob Proxy, which captures nothing by default',
    (entry) =>
      withAnswer(
        withRequest(withoutHeaders(entry) as MadeEntry, { postData: undefined, bodySize: 0 }) as MadeEntry,
        { headers: [], content: { size: 300, mimeType: '' } },
      ),
  ],
  [
    'Insomnia, with the headers that a user typed',
    (entry) =>
      withPostData(
        withoutThe(entry, 'host', 'content-length', 'accept'),
        { mimeType: FORM_TYPE, params: params(entry) },
        -1,
      ),
  ],
  [
    'Charles, with its notes on what it left out',
    (entry) => withPostData(entry, { mimeType: FORM_TYPE, comment: 'Request body not included' }, 90),
  ],
  [
    'HTTP Toolkit, which discards large bodies',
    (entry) => ({
      ...withPostData(entry, undefined as unknown as object, 90),
      _requestBodyStatus: 'discarded:too-large',
    }),
  ],
  [
    'a sanitizer that marks each value',
    (entry) =>
      withPostData(
        withHeaders(entry, ({ name }) => ({ name, value: `[${name} redacted]` })) as MadeEntry,
        {
          mimeType: FORM_TYPE,
          params: params(entry).map(({ name }) => ({ name, value: `[${name} redacted]` })),
        },
        90,
      ),
  ],
];
for (const [program, write] of LEAVING_OUT)
  test(`a file of ${program}, shows no fault`, async () => {
    const report = await reportOn(harOf(recorded(write), program));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    expect(report.outcome).toBe('incomplete');
  });

const preflight = entryOf({ at: 0.05, method: 'OPTIONS', path: '/ods_data/', status: 204 });
const cached = { ...entryOf({ at: 0.06, path: '/ods_data/' }), _fromCache: 'disk' };
const page = entryOf({ at: 0.01, url: 'https://page.example/', type: 'text/html', body: '<p>' });
for (const [what, entries] of [
  ['WebInspector', [page, preflight, cached, ...recorded(inChromium)]],
  ['mitmproxy', [page, preflight, cached, ...recorded(inMitmproxy)]],
] as const)
  test(`a file of ${what} is judged`, async () => {
    const report = await reportOn(harOf(entries, what));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    const shown =
      'MRS-2a MRS-4.1a MRS-4.1k MRS-4.1m MRS-4.2b MRS-5.3b MRS-5.6b MRS-7a token-reuse renewal bearer-header';
    expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(shown.split(' ')));
    expect(factOf(report, 'Entries')).toContain('41 of 44 entries judged, 3 ignored');
    expect([factOf(report, 'Base URL'), report.outcome]).toEqual([BASE_URL, 'conformant']);
  });

test('a token request whose Authorization header was replaced does not show that none is needed', async () => {
  const entries = recorded((entry) => {
    const header = { name: 'authorization', value: `Basic ${REDACTED}` };
    return isRead(entry) ? entry : withRequest(entry, { headers: [...entry.request.headers, header] });
  });
  const report = await reportOn(harOf(entries));
  expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  expect(withVerdict(report, 'passed')).toEqual(expect.arrayContaining(['MRS-4.1a', 'MRS-5.3b']));
  expect(withVerdict(report, 'not-seen')).toContain('MRS-4.1b');
});

for (const name of ['grant_type', 'client_secret'])
  test(`a refused form whose ${name} was replaced is held against no one`, async () => {
    const replaced = { ...FORM, [name]: '‹not kept›' };
    const wrong = asks(61.95, 1, { form: replaced, status: 400, body: '{"error":"no"}' });
    const right = reactiveTraffic().map((call) =>
      call.sent ? { ...call, sent: new URLSearchParams(replaced).toString() } : call,
    );
    const report = await reportOn(harOf([...right, wrong].map(entryOf)));
    expect(withVerdict(report, 'failed')).toEqual([]);
    expect(withVerdict(report, 'passed')).toContain('MRS-4.1a');
  });

test('no part of a header that was replaced as a whole is taken for a secret', async () => {
  const header = { name: 'authorization', value: '‹not kept›' };
  const other = withRequest(entryOf(reads(3, 1)), { headers: [header] });
  const unknown = entryOf(asks(4, 2, { form: { ...FORM, client_id: '‹not kept›' } }));
  const report = await reportOn(harOf([...reactiveTraffic().map(entryOf), other, unknown]));
  expect(JSON.stringify(report)).not.toContain('‹credentials›');
});
