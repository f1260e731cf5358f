/** Readers of a feed that an examination must accept, however unlike the others they are. */
import { named, type PermittedReader } from '../subject.ts';
import { correct, type Held } from './feed-reader.ts';

export const permittedReaders = named<PermittedReader>({
  'reader-correct': { summary: 'reads as most do', behaviour: {} },
  'reader-by-date': {
    summary: 'sends If-Modified-Since, and knows no ETag',
    behaviour: {
      headers: ({ modified }: Held) => (modified === undefined ? {} : { 'If-Modified-Since': modified }),
    },
  },
  'reader-without-gzip': {
    summary: 'accepts no compression',
    behaviour: { headers: (held) => ({ ...correct.headers(held), 'Accept-Encoding': 'identity' }) },
  },
  'reader-json-only': {
    summary: 'accepts JSON only, and refuses another media type',
    behaviour: {
      headers: (held) => ({ ...correct.headers(held), Accept: 'application/json' }),
      recordsIn(text, headers) {
        if (!headers.get('content-type')?.startsWith('application/json'))
          throw new Error('the answer is not JSON');
        return correct.recordsIn(text, headers);
      },
    },
  },
  'reader-accepts-text': {
    summary: 'asks for text, which a file server disregards',
    behaviour: { headers: (held) => ({ ...correct.headers(held), Accept: 'text/plain' }) },
  },
  'reader-steady-pace': {
    summary: 'keeps its pace in trouble, but for what Retry-After says',
    behaviour: { pause: (pollSeconds, _, retryAfterSeconds) => Math.max(pollSeconds, retryAfterSeconds) },
  },
  'reader-quick-retry': {
    summary: 'repeats a failed read at once, and then backs off',
    behaviour: {
      pause: (pollSeconds, failures, retryAfterSeconds) =>
        failures === 1 ? retryAfterSeconds : correct.pause(pollSeconds, failures, retryAfterSeconds),
    },
  },
  'reader-impatient': {
    summary: 'gives up early on a slow answer, and keeps its records',
    behaviour: {
      patienceMs: 300,
      pause: (...given) => Math.min(2, correct.pause(...given)),
    },
  },
  'reader-patient': {
    summary: 'waits for an answer for as long as it takes',
    behaviour: { patienceMs: 60_000 },
  },
  'reader-checks-by-head': {
    summary: 'asks by HEAD whether the feed is there before each read',
    behaviour: {
      async alongside(url, signal) {
        await fetch(url, { method: 'HEAD', signal });
      },
    },
  },
  'reader-in-own-order': {
    summary: 'keeps the records in an order of its own',
    behaviour: { taken: (records) => records.toReversed() },
  },
});
