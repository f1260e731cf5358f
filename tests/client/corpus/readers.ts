/** Readers of a feed that an examination must catch, each wrong in one way, and those that it must accept. */
import { TOO_LATE } from './client.ts';
import { correct, type FeedRecord, type Held, msOf, type ReaderParts } from './feed-reader.ts';
import { rowsIn, wrongIn } from './subject.ts';

const nothing = (): Held => ({ records: [] });

const taking = (fits: (record: FeedRecord) => boolean) => ({
  taken: (records: readonly FeedRecord[]) => records.filter(fits),
});

/** The records of the answer, and those that the reader has under another key, as long as their source is in the answer. */
const addedBy =
  (keyOf: (record: FeedRecord) => unknown) =>
  (records: readonly FeedRecord[], held: Held): readonly FeedRecord[] => {
    const keys = new Set(records.map(keyOf));
    const sources = new Set(records.map(sourceOf));
    return [...held.records.filter((one) => sources.has(sourceOf(one)) && !keys.has(keyOf(one))), ...records];
  };

const sourceOf = ({ site_id: site, src_id: source }: FeedRecord): string => `${site} ${source}`;

/** As good as none, and yet it leaves the others in this process their turn. */
const HARDLY_A_PAUSE = 0.002;

const wrong: Readonly<Record<string, Partial<ReaderParts>>> = {
  'reader-empty-on-status': { refused: nothing },
  'reader-empty-when-unreachable': {
    failed: (held, error) =>
      error instanceof Error && /^(fetch failed|terminated)/.test(error.message) ? nothing() : held,
  },
  'reader-keeps-what-arrived': {
    headers: (held) => ({ ...correct.headers(held), 'accept-encoding': 'identity' }),
    async textOf(response) {
      let text = '';
      const decoder = new TextDecoder();
      try {
        for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
      } catch (error) {
        if (text === '') throw error;
      }
      return text;
    },
    recordsIn(text) {
      const whole = text.startsWith('{"ods_data":[') && !text.endsWith('}') && text.match(/{[^{}]*}/g);
      return whole ? whole.map((one) => JSON.parse(one)) : correct.recordsIn(text, new Headers());
    },
  },
  'reader-empty-when-late': {
    failed: (held, error) => (error instanceof Error && error.message === TOO_LATE ? nothing() : held),
  },
  'reader-default-list': {
    recordsIn(text) {
      const body = JSON.parse(text);
      if (Array.isArray(body)) throw new Error('the answer is not an object');
      return body.ods_data ?? [];
    },
  },
  'reader-empty-on-page': {
    recordsIn: (text, headers) => (text.startsWith('<') ? [] : correct.recordsIn(text, headers)),
  },
  'reader-empty-on-304': { unchanged: (held) => ({ ...held, records: [] }) },
  'reader-drops-null': taking((record) => !Object.values(record).includes(null)),
  'reader-drops-z-times': taking(({ src_start_utc: start }) => !String(start).endsWith('Z')),
  'reader-one-band': {
    taken: (records) => [
      ...new Map(records.map((one) => [`${one.site_id} ${one.src_id} ${one.src_start_utc}`, one])).values(),
    ],
  },
  'reader-first-hundred': { taken: (records) => records.slice(0, 100) },
  'reader-never-empty': {
    recordsIn(text, headers) {
      const records = correct.recordsIn(text, headers);
      if (records.length === 0) throw new Error('the list is empty');
      return records;
    },
  },
  'reader-collects': { headers: () => ({}), taken: (records, held) => [...held.records, ...records] },
  'reader-keeps-cancelled': {
    taken: (records, held) =>
      records.length === 0
        ? records
        : [
            ...held.records.filter((one) => !records.some((other) => sourceOf(other) === sourceOf(one))),
            ...records,
          ],
  },
  'reader-keyed-by-end': { taken: addedBy((one) => `${sourceOf(one)} ${msOf(one.src_end_utc)}`) },
  'reader-keyed-by-text': { taken: addedBy((one) => JSON.stringify(one)) },
  'reader-dies-on-status': {
    failed(_, error) {
      throw error;
    },
  },
  'reader-stops': { pause: (pollSeconds, failures) => (failures > 0 ? 86_400 : pollSeconds) },
  'reader-hammers-in-trouble': {
    pause: (pollSeconds, failures) => (failures > 0 ? HARDLY_A_PAUSE : pollSeconds),
  },
  'reader-ignores-retry-after': { pause: (pollSeconds) => pollSeconds },
  'reader-without-pause': { pause: () => 0 },
  'reader-sends-token': {
    headers: (held) => ({ ...correct.headers(held), Authorization: 'Bearer a-token-of-another-service' }),
  },
  'reader-unconditional': { headers: () => ({}) },
};

export const wrongReaders = wrongIn(
  String.raw`
  reader-empty-on-status | takes an answer with status 404 or 500 for an empty schedule | keeps-schedule: ^After status (404|500) the client holds 0 of 20
  reader-empty-when-unreachable | forgets the schedule when a connection breaks or takes too long | keeps-schedule: ^After (a connection that was reset|an answer that was cut off) the client holds 0 of 20
  reader-keeps-what-arrived | takes the whole records of an answer that was cut off for the schedule | keeps-schedule: ^After an answer that was cut off the client holds \d of 20 records\.$
  reader-empty-when-late | forgets the schedule when an answer takes too long | keeps-schedule: ^After no answer in time the client holds 0 of 20
  reader-default-list | takes a JSON object without the list of records for an empty schedule | checks-content: ^After an answer that is not a schedule, with status 200,
  reader-empty-on-page | takes a body that is not JSON for an empty schedule | checks-content: ^After an answer that is not a schedule, with status 200,
  reader-empty-on-304 | takes status 304 for an empty schedule | not-modified: ^After status 304 the client holds 0 of 20
  reader-drops-null | drops a record in which an optional member is null | reads-records: ^The feed has 20 records, and the client holds 0 
  reader-drops-z-times | drops a record whose times end with Z | reads-records: ^The feed has 20 records, and the client holds 0 
  reader-one-band | keeps one record of each observation, whatever the number of its bands | reads-records: ^The feed has 40 records, and the client holds 20 
  reader-first-hundred | reads the first hundred records | reads-records: ^The feed has 1000 records, and the client holds 100 
  reader-never-empty | takes an empty list for an error | reads-records: ^The feed has 0 records, and the client holds 20 
  reader-collects | adds what it reads to what it has | reads-records: ^The feed has 20 records, and the client holds 40  | conditional-request
  reader-keeps-cancelled | keeps a record that is no longer in the feed | reads-records: ^The feed has 2 records, and the client holds 3 
  reader-keyed-by-end | takes a record that ends later for another one | reads-records: ^The feed has 3 records, and the client holds 4 
  reader-keyed-by-text | takes a record that is written differently for another one | reads-records: ^The feed has 3 records, and the client holds 6 
  reader-dies-on-status | ends when an answer is not the feed | recovers: ^The client ended by itself with exit code 1\.$
  reader-stops | lives on after a failure, and reads no more | recovers: ^The client had read nothing \d+\.\d s after the last failure\.$
  reader-hammers-in-trouble | reads again without a pause while the feed fails | back-off: ^\d+ requests came without a pause while the feed failed\.$ | retry-after
  reader-ignores-retry-after | does not wait for as long as Retry-After says | retry-after: ^Asked to wait 2 s, the client called again after
  reader-without-pause | reads without a pause | pause: ^\d+ reads came one after the other, without a pause\.$ | back-off retry-after
  reader-sends-token | sends a token that was not requested | no-credentials: ^\d+ requests carried credentials\.$
  reader-unconditional | asks for the whole feed each time | conditional-request: ^\d+ reads of the same schedule, and none had If-None-Match`,
  wrong,
);

const permitted: Readonly<Record<string, Partial<ReaderParts>>> = {
  'reader-correct': {},
  'reader-by-date': {
    headers: ({ modified }: Held) => (modified === undefined ? {} : { 'If-Modified-Since': modified }),
  },
  'reader-json-only': {
    headers: (held) => ({ ...correct.headers(held), Accept: 'application/json' }),
    recordsIn(text, headers) {
      if (!headers.get('content-type')?.startsWith('application/json'))
        throw new Error('the answer is not JSON');
      return correct.recordsIn(text, headers);
    },
  },
  'reader-steady-pace': {
    pause: (pollSeconds, _, retryAfterSeconds) => Math.max(pollSeconds, retryAfterSeconds),
  },
  'reader-quick-retry': {
    pause: (pollSeconds, failures, retryAfterSeconds) =>
      failures === 1 ? retryAfterSeconds : correct.pause(pollSeconds, failures, retryAfterSeconds),
  },
  'reader-impatient': {
    patienceMs: 300,
    pause: (...given) => Math.min(2, correct.pause(...given)),
  },
  'reader-patient': { patienceMs: 60_000 },
  'reader-drops-at-once': { kept: () => [] },
};

export const permittedReaders = rowsIn(
  `
  reader-correct | reads as most do
  reader-by-date | sends If-Modified-Since, and knows no ETag
  reader-json-only | accepts JSON only, and refuses another media type
  reader-steady-pace | keeps its pace in trouble, but for what Retry-After says
  reader-quick-retry | repeats a failed read at once, and then backs off
  reader-impatient | gives up early on a slow answer, and keeps its records
  reader-patient | waits for an answer for as long as it takes
  reader-drops-at-once | drops what is no longer in the feed, also if it is under way | keeps-running: ^The client dropped records under way`,
  permitted,
).map(({ also: _, ...row }) => row);
