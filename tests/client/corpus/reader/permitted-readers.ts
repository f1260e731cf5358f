/** Readers of a feed that an examination must accept, however unlike the others they are. */
import { rowsIn } from '../subject.ts';
import { correct, type Held, type ReaderParts } from './feed-reader.ts';

const behaviours: Readonly<Record<string, Partial<ReaderParts>>> = {
  'reader-correct': {},
  'reader-by-date': {
    headers: ({ modified }: Held) => (modified === undefined ? {} : { 'If-Modified-Since': modified }),
  },
  'reader-without-gzip': { headers: (held) => ({ ...correct.headers(held), 'Accept-Encoding': 'identity' }) },
  'reader-json-only': {
    headers: (held) => ({ ...correct.headers(held), Accept: 'application/json' }),
    recordsIn(text, headers) {
      if (!headers.get('content-type')?.startsWith('application/json'))
        throw new Error('the answer is not JSON');
      return correct.recordsIn(text, headers);
    },
  },
  'reader-accepts-text': { headers: (held) => ({ ...correct.headers(held), Accept: 'text/plain' }) },
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
  'reader-checks-by-head': {
    async alongside(url, signal) {
      await fetch(url, { method: 'HEAD', signal });
    },
  },
  'reader-drops-at-once': { kept: () => [] },
  'reader-in-own-order': { taken: (records) => records.toReversed() },
};

export const permittedReaders = rowsIn(
  `
  reader-correct | reads as most do
  reader-by-date | sends If-Modified-Since, and knows no ETag
  reader-without-gzip | accepts no compression
  reader-json-only | accepts JSON only, and refuses another media type
  reader-accepts-text | asks for text, which a file server disregards
  reader-steady-pace | keeps its pace in trouble, but for what Retry-After says
  reader-quick-retry | repeats a failed read at once, and then backs off
  reader-impatient | gives up early on a slow answer, and keeps its records
  reader-patient | waits for an answer for as long as it takes
  reader-checks-by-head | asks by HEAD whether the feed is there before each read
  reader-drops-at-once | drops what is no longer in the feed, also if it is under way | keeps-running: ^The client dropped records under way
  reader-in-own-order | keeps the records in an order of its own`,
  behaviours,
).map(({ also: _, ...row }) => row);
