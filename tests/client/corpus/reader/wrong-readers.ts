/** Readers of a feed that an examination must catch, each wrong in one way. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TOO_LATE } from '../connections.ts';
import { named, type WrongReader } from '../subject.ts';
import { correct, type FeedRecord, type Held } from './feed-reader.ts';

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
const msOf = (time: unknown): number => Date.parse(`${String(time).replace(/Z$/, '')}Z`);

/** As good as none, and yet it leaves the others in this process their turn. */
const HARDLY_A_PAUSE = 0.002;

export const wrongReaders = named<WrongReader>({
  'reader-empty-on-status': {
    summary: 'takes an answer with status 404 or 500 for an empty schedule',
    catches: { 'keeps-schedule': /^After status (404|500) the client holds 0 of 20 records\.$/ },
    behaviour: { refused: nothing },
  },
  'reader-empty-when-sent-away': {
    summary: 'takes an answer with status 503 for an empty schedule',
    catches: { 'keeps-schedule': /^After status 503 the client holds 0 of 20 records\.$/ },
    behaviour: {
      refused: (held, answer) => (answer.status === 503 ? nothing() : correct.refused(held, answer)),
    },
  },
  'reader-empty-when-unreachable': {
    summary: 'forgets the schedule when a connection breaks or takes too long',
    catches: {
      'keeps-schedule':
        /^After (a connection that was reset|an answer that was cut off) the client holds 0 of 20/,
    },
    behaviour: {
      failed: (held, error) =>
        error instanceof Error && /^(fetch failed|terminated)/.test(error.message) ? nothing() : held,
    },
  },
  'reader-keeps-what-arrived': {
    summary: 'takes the whole records of an answer that was cut off for the schedule',
    catches: { 'keeps-schedule': /^After an answer that was cut off the client holds 1 of 20 records\.$/ },
    behaviour: {
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
  },
  'reader-empty-when-late': {
    summary: 'forgets the schedule when an answer takes too long',
    catches: { 'keeps-schedule': /^After no answer in time the client holds 0 of 20 records\.$/ },
    behaviour: {
      failed: (held, error) => (error instanceof Error && error.message === TOO_LATE ? nothing() : held),
    },
  },
  'reader-default-list': {
    summary: 'takes a JSON object without the list of records for an empty schedule',
    catches: {
      'checks-content': /^After an answer that is not a schedule, with status 200, the client holds 0 of 20/,
    },
    behaviour: {
      recordsIn(text) {
        const body = JSON.parse(text);
        if (Array.isArray(body)) throw new Error('the answer is not an object');
        return body.ods_data ?? [];
      },
    },
  },
  'reader-any-list': {
    summary: 'takes a list without the object around it for the schedule',
    catches: {
      'checks-content': /^After an answer that is not a schedule, with status 200, the client holds 0 of 20/,
    },
    behaviour: {
      recordsIn(text, headers) {
        const body = JSON.parse(text);
        return Array.isArray(body) ? body : correct.recordsIn(text, headers);
      },
    },
  },
  'reader-empty-on-page': {
    summary: 'takes a body that is not JSON for an empty schedule',
    catches: {
      'checks-content': /^After an answer that is not a schedule, with status 200, the client holds 0 of 20/,
    },
    behaviour: {
      recordsIn: (text, headers) => (text.startsWith('<') ? [] : correct.recordsIn(text, headers)),
    },
  },
  'reader-empty-on-304': {
    summary: 'takes status 304 for an empty schedule',
    catches: { 'not-modified': /^After status 304 the client holds 0 of 20 records\.$/ },
    behaviour: { unchanged: (held) => ({ ...held, records: [] }) },
  },
  'reader-drops-null': {
    summary: 'drops a record in which an optional member is null',
    catches: { 'reads-records': /^The feed has 20 records, and the client holds 0 / },
    behaviour: taking((record) => !Object.values(record).includes(null)),
  },
  'reader-requires-optional': {
    summary: 'drops a record without an optional member',
    catches: { 'reads-records': /^The feed has 20 records, and the client holds 0 / },
    behaviour: taking((record) => 'subarray' in record),
  },
  'reader-drops-z-times': {
    summary: 'drops a record whose times end with Z',
    catches: { 'reads-records': /^The feed has 20 records, and the client holds 0 / },
    behaviour: taking(({ src_start_utc: start }) => !String(start).endsWith('Z')),
  },
  'reader-requires-fraction': {
    summary: 'drops a record whose times have no fraction of a second',
    catches: { 'reads-records': /^The feed has 20 records, and the client holds 0 / },
    behaviour: taking(({ src_start_utc: start }) => String(start).includes('.')),
  },
  'reader-one-band': {
    summary: 'keeps one record of each observation, whatever the number of its bands',
    catches: { 'reads-records': /^The feed has 40 records, and the client holds 20 / },
    behaviour: {
      taken: (records) => [
        ...new Map(records.map((one) => [`${one.site_id} ${one.src_id} ${one.src_start_utc}`, one])).values(),
      ],
    },
  },
  'reader-first-hundred': {
    summary: 'reads the first hundred records',
    catches: { 'reads-records': /^The feed has 1000 records, and the client holds 100 / },
    behaviour: { taken: (records) => records.slice(0, 100) },
  },
  'reader-never-empty': {
    summary: 'takes an empty list for an error',
    catches: { 'reads-records': /^The feed has 0 records, and the client holds 20 / },
    behaviour: {
      recordsIn(text, headers) {
        const records = correct.recordsIn(text, headers);
        if (records.length === 0) throw new Error('the list is empty');
        return records;
      },
    },
  },
  'reader-collects': {
    summary: 'adds what it reads to what it has',
    catches: { 'reads-records': /^The feed has 20 records, and the client holds 40 / },
    also: ['conditional-request'],
    behaviour: { headers: () => ({}), taken: (records, held) => [...held.records, ...records] },
  },
  'reader-keeps-cancelled': {
    summary: 'keeps a record that is no longer in the feed',
    catches: { 'reads-records': /^The feed has 2 records, and the client holds 3 / },
    behaviour: {
      taken: (records, held) =>
        records.length === 0
          ? records
          : [
              ...held.records.filter((one) => !records.some((other) => sourceOf(other) === sourceOf(one))),
              ...records,
            ],
    },
  },
  'reader-keyed-by-end': {
    summary: 'takes a record that ends later for another one',
    catches: { 'reads-records': /^The feed has 3 records, and the client holds 4 / },
    behaviour: { taken: addedBy((one) => `${sourceOf(one)} ${msOf(one.src_end_utc)}`) },
  },
  'reader-keyed-by-start': {
    summary: 'takes a record that starts later for another one',
    catches: { 'reads-records': /^The feed has 3 records, and the client holds 4 / },
    behaviour: { taken: addedBy((one) => `${sourceOf(one)} ${msOf(one.src_start_utc)}`) },
  },
  'reader-keyed-by-text': {
    summary: 'takes a record that is written differently for another one',
    catches: { 'reads-records': /^The feed has 3 records, and the client holds 6 / },
    behaviour: { taken: addedBy((one) => JSON.stringify(one)) },
  },
  'reader-dies-on-status': {
    summary: 'ends when an answer is not the feed',
    catches: { recovers: /^The client ended by itself with exit code 1\.$/ },
    behaviour: {
      failed(_, error) {
        throw error;
      },
    },
  },
  'reader-stops': {
    summary: 'lives on after a failure, and reads no more',
    catches: { recovers: /^The client had read nothing \d+\.\d s after the last failure\.$/ },
    behaviour: { pause: (pollSeconds, failures) => (failures > 0 ? 86_400 : pollSeconds) },
  },
  'reader-hammers-in-trouble': {
    summary: 'reads again without a pause while the feed fails',
    catches: { 'back-off': /^\d+ requests came without a pause while the feed failed\.$/ },
    also: ['retry-after'],
    behaviour: { pause: (pollSeconds, failures) => (failures > 0 ? HARDLY_A_PAUSE : pollSeconds) },
  },
  'reader-ignores-retry-after': {
    summary: 'does not wait for as long as Retry-After says',
    catches: { 'retry-after': /^Asked to wait 2 s, the client called again after/ },
    behaviour: { pause: (pollSeconds) => pollSeconds },
  },
  'reader-without-pause': {
    summary: 'reads without a pause',
    catches: { pause: /^\d+ reads came one after the other, without a pause\.$/ },
    also: ['back-off', 'retry-after'],
    behaviour: { pause: () => 0 },
  },
  'reader-sends-token': {
    summary: 'sends a token that was not requested',
    catches: { 'no-credentials': /^\d+ requests carried credentials\.$/ },
    behaviour: {
      headers: (held) => ({ ...correct.headers(held), Authorization: 'Bearer a-token-of-another-service' }),
    },
  },
  'reader-asks-elsewhere': {
    summary: 'asks for the file with a slash at its end before each read',
    catches: { 'known-paths': /^It asked for GET \/ods\.json\/, which is answered with 404/ },
    behaviour: {
      async alongside(url, signal) {
        await fetch(`${url}/`, { signal }).then((answer) => answer.text());
        await sleep(0);
      },
    },
  },
  'reader-unconditional': {
    summary: 'asks for the whole feed each time',
    catches: { 'conditional-request': /^\d+ reads of the same schedule, and none had If-None-Match/ },
    behaviour: { headers: () => ({}) },
  },
});
