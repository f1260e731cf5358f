/** Files of recorders that lose, cut or replace what passed: nothing of that is reported as a fault of anyone. */
import { expect, _baseTest as test } from '@playwright/test';
import { GAPS } from '../../tests/server/classify.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  asks,
  entryOf,
  FORM,
  harOf,
  type MadeCall,
  type MadeEntry,
  reactiveTraffic,
  reads,
  readsEvery,
  refused,
} from '../../tests/traffic/testing/har.ts';
import { factOf, reportOn, withVerdict } from './testing/judged.ts';

/** The traffic of a right client and service, as a recorder has left it. */
const recorded = (change: (entry: MadeEntry, at: number) => object | object[]): object[] =>
  reactiveTraffic().flatMap((call, at) => change(entryOf(call), at));

const isRead = ({ request }: MadeEntry) => request.method === 'GET';
/** Each third read has a copy that no service answered. */
const withCopies = (copy: (entry: MadeEntry) => object) =>
  recorded((entry, at) => (isRead(entry) && at % 3 === 0 ? [entry, copy(entry)] : entry));
const withoutHeaders = (entry: MadeEntry) => ({ ...entry, request: { ...entry.request, headers: [] } });
const withAnswer = (entry: MadeEntry, more: object) => ({
  ...entry,
  response: { ...entry.response, ...more },
});
const withContent = (entry: MadeEntry, content: object) => withAnswer(entry, { content });
const withForm = (postData: (text: string) => object) =>
  recorded((entry) => {
    const { request } = entry;
    return request.postData
      ? { ...entry, request: { ...request, bodySize: 90, postData: postData(request.postData.text) } }
      : entry;
  });
const withAuthorization = (change: (value: string) => string) =>
  recorded((entry) => ({
    ...entry,
    request: {
      ...entry.request,
      headers: entry.request.headers.map(({ name, value }) => ({
        name,
        value: name === 'authorization' ? change(value) : value,
      })),
    },
  }));
const atTime = (startedDateTime: unknown) => recorded((entry) => ({ ...entry, startedDateTime, time: 0 }));
const seconds = ({ startedDateTime, ...entry }: MadeEntry) => ({
  ...entry,
  startedDateTime: startedDateTime.replace(/\.\d+/, ''),
});

const FILES: Record<string, object[]> = {
  ...Object.fromEntries(
    ['<token>', '{{access_token}}', '$TOKEN', 'undefined'].map((placeholder): [string, object[]] => [
      `${placeholder} in place of each token of a read`,
      withAuthorization(() => `Bearer ${placeholder}`),
    ]),
  ),
  'answers from a cache, without headers': withCopies((one) => ({
    ...withoutHeaders(one),
    _fromCache: 'disk',
  })),
  'answers from the memory of Safari': withCopies((one) => ({
    ...withoutHeaders(one),
    _fetchType: 'Memory Cache',
  })),
  'answers of a service worker': withCopies((one) =>
    withAnswer(withoutHeaders(one), { _fetchedViaServiceWorker: true }),
  ),
  'redirects to https within the browser': recorded((entry) => [
    {
      ...entry,
      request: { ...entry.request, url: entry.request.url.replace('https', 'http'), headers: [] },
      response: { status: 307, statusText: 'Internal Redirect', headers: [], content: {} },
    },
    entry,
  ]),
  'requests that were blocked': withCopies((one) => ({
    ...withoutHeaders(one),
    response: { status: 0, headers: [], content: {} },
  })),
  'no bodies of the data': recorded((entry) =>
    isRead(entry) && entry.response.status === 200 ? withContent(entry, { size: 300 }) : entry,
  ),
  'no headers of answers': recorded((entry) => ({
    ...entry,
    response: {
      ...entry.response,
      headers: [],
      content: { ...entry.response.content, mimeType: 'application/json' },
    },
  })),
  'provisional headers': recorded((entry, at) => (at % 5 === 2 ? withoutHeaders(entry) : entry)),
  'no headers of requests': recorded(withoutHeaders),
  'no bodies': recorded((entry) => withContent(entry, { size: 0 })),
  'empty bodies': recorded((entry) => withContent(entry, { size: 0, text: '' })),
  'bodies that were cut, and a note': recorded((entry) =>
    withContent(entry, { size: 20, text: entry.response.content.text?.slice(0, 20), comment: 'Truncated' }),
  ),
  'a sentence in place of bodies': recorded((entry) => withContent(entry, { text: '[text/json redacted]' })),
  'forms that were replaced': withForm(() => ({ text: '[REDACTED]' })),
  'forms that were emptied': withForm(() => ({ text: '' })),
  'the names of form fields only': withForm((text) => ({
    params: [...new URLSearchParams(text).keys()].map((name) => ({ name })),
  })),
  'forms without secrets': withForm((text) => ({
    mimeType: 'application/x-www-form-urlencoded',
    text: text.replace(/&client_secret=[^&]*/, ''),
  })),
  'tokens that were replaced by blocks': withAuthorization(() => '██'),
  'tokens that were emptied': withAuthorization(() => ''),
  'the word Bearer only': withAuthorization(() => 'Bearer'),
  'a sentence in place of tokens': withAuthorization(() => 'Bearer (value hidden by policy)'),
  'a mark in brackets in place of tokens': withAuthorization(() => '[authorization redacted]'),
  'tokens that were shortened': withAuthorization((value) => `${value.slice(0, 14)}...`),
  'digests in place of tokens': withAuthorization(
    (value) => `Bearer ${value.length}-${value.slice(-8, -4)}-digest`,
  ),
  'each entry twice': recorded((entry) => [entry, entry]),
  'two exports in one': [...recorded((entry) => entry), ...recorded((entry) => entry)],
  '-1 for how long each request took': recorded((entry) => ({ ...entry, time: -1, timings: {} })),
};

/** Their requests are in no order that is known. */
const WITHOUT_ORDER: Record<string, object[]> = {
  'no times': atTime(''),
  'times of 1970': atTime('1970-01-01T00:00:00.000Z'),
  'one time for all': atTime('2030-01-31T12:00:00.123Z'),
  'times in whole minutes': recorded((entry) => ({
    ...entry,
    startedDateTime: entry.startedDateTime.slice(0, 16),
  })),
  'times in whole seconds': recorded(seconds),
};
for (const [what, entries] of Object.entries(WITHOUT_ORDER))
  test(`a file with ${what} is refused`, async () => {
    const judged = reportOn(harOf(entries));
    await expect(judged).rejects.toThrow(UsageError);
    await expect(judged).rejects.toThrow(
      'traffic.har does not have the times of all requests to https://mrs.example/api',
    );
  });

for (const [what, entries] of Object.entries(FILES))
  test(`a file with ${what} shows no fault`, async () => {
    const report = await reportOn(harOf(entries));
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  });

/** Three reads at once, which meet the end of their token together. */
const parallel: MadeCall[] = [
  asks(0, 1),
  ...[1, 6, 11, 16, 61.5].flatMap((at) =>
    [0, 1, 2].map((site) =>
      reads(at + site / 1000, 1, {
        path: `/ods_data/?site=${site}`,
        tookMs: 80,
        ...(at === 61.5 && { status: 403, body: '' }),
      }),
    ),
  ),
  asks(61.7, 2),
  ...[0, 1, 2].map((site) => reads(61.8 + site / 1000, 2, { path: `/ods_data/?site=${site}`, tookMs: 80 })),
];
test('of reads at once in a file with -1 for how long each took, none is taken for one after the other', async () => {
  const entries = parallel.map((call) => ({ ...entryOf(call), time: -1, timings: {} }));
  expect(withVerdict(await reportOn(harOf(entries)), 'failed', 'warned')).toEqual([]);
});

test('a client that loses its right renews once for each refusal, also in a file without durations', async () => {
  const calls = [
    asks(0, 1),
    ...readsEvery(1, 0.1, 9, 1),
    refused(10, 1),
    asks(10.1, 2),
    refused(10.2, 2),
    refused(20, 2),
    refused(30, 2),
  ];
  const report = await reportOn(harOf(calls.map((call) => ({ ...entryOf(call), time: 0, timings: {} }))), {
    lifetimeSeconds: 900,
  });
  expect(report.client.items.filter(({ verdict }) => verdict === 'failed')).toEqual([]);
});

test('where it is not known whose tokens they are, one client may lack a scope', async () => {
  const entries = [
    ...reactiveTraffic(),
    asks(5, 'other', { form: { ...FORM, client_id: 'other' } }),
    refused(5.1, 'other'),
  ].map((call) => {
    const entry = entryOf(call);
    const { postData: _, ...request } = entry.request;
    return { ...entry, request };
  });
  expect(withVerdict(await reportOn(harOf(entries)), 'failed')).toEqual([]);
});

test('entries that a file has twice are counted', async () => {
  const report = await reportOn(harOf(recorded((entry) => [entry, entry])));
  expect(factOf(report, 'Entries')).toContain('41 of 82 entries judged, ignored: 41 duplicates');
});

test('calls of one moment are duplicates only if they are equal in all, and in their numbers', async () => {
  const calls = [asks(0.1, 1), asks(0.1, 2), ...Array(3).fill(reads(1, 1)), refused(21, 1)];
  const entries = calls.map((call, at) => ({ ...entryOf(call), _seq: at + 1 }));
  const report = await reportOn(harOf([...entries, ...entries]));
  expect(factOf(report, 'Entries')).toContain('6 of 12 entries judged, ignored: 6 duplicates');
});

test('what a file of mrs proxy leaves out keeps a requirement from being passed, whatever else is open', async () => {
  const tokenless = (at: number, headers = {}) =>
    entryOf({
      at,
      path: '/ods_data/',
      headers,
      status: 401,
      body: { error: 'no' },
      more: { _misplaced: [] },
    });
  const added = [
    tokenless(170, { cookie: 'a=b' }),
    withContent(tokenless(171), { size: 80 }),
    tokenless(172),
  ];
  const { server } = await reportOn(harOf([...recorded((entry) => entry), ...added], 'mrs proxy'));
  const { verdict, reason } = server.items.find(({ id }) => id === 'MRS-1.3') ?? {};
  expect([verdict, reason]).toEqual(['not-seen', GAPS['left-out']]);
});
