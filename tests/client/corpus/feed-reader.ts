/** A reader of a feed without tokens that is made of exchangeable parts. */
import { type Clock, realClock } from '../../support/clock.ts';
import { withPatience } from './client.ts';

interface ReaderEnvironment {
  /** URL of the feed. */
  url: string;
  /** The pause between two reads. */
  pollSeconds: number;
  /** Called after each answer and each failure, with the number of records that the reader holds. */
  report(records: number): void;
  /** Default: real time. */
  clock?: Clock;
  /** The time of day, in milliseconds since the epoch; default: that of the machine. */
  date?(): number;
}

/** A record of a mitigation request, as far as a reader looks at it. */
export type FeedRecord = Readonly<Record<string, unknown>>;

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** What the reader has. */
export interface Held {
  records: readonly FeedRecord[];
  /** Validators of the answer that brought them. */
  etag?: string;
  modified?: string;
}

/** What can be exchanged. */
export interface ReaderParts {
  /** Headers of a read. */
  headers(held: Held): Record<string, string>;
  /** The body of an answer. Throws an error if it does not arrive whole. */
  textOf(response: Response): Promise<string>;
  /** The records of a body with status 200. Throws an error if it has none. */
  recordsIn(text: string, headers: Headers): readonly unknown[];
  /** Which of them the reader keeps. */
  taken(records: readonly FeedRecord[], held: Held): readonly FeedRecord[];
  /** What of the records before it holds in addition. */
  kept(records: readonly FeedRecord[], held: Held, nowMs: number): readonly FeedRecord[];
  /** What the reader holds after status 304. */
  unchanged(held: Held): Held;
  /** What the reader holds after another status. Throws an error to hold what it has. */
  refused(held: Held, answer: Answer): Held;
  /** What the reader holds after a failure. Throws an error to end. */
  failed(held: Held, error: unknown): Held;
  /** The pause before the next read, in seconds; `failures`: how many there were in a row. */
  pause(pollSeconds: number, failures: number, retryAfterSeconds: number): number;
  /** How long it waits for an answer, in milliseconds. */
  patienceMs: number;
}

export const msOf = (time: unknown): number => Date.parse(`${String(time).replace(/Z$/, '')}Z`);

/** An observation is the same if it ends at another time, or is written differently. */
const keyOf = ({ site_id: site, src_id: source, src_start_utc: start }: FeedRecord): string =>
  `${site} ${source} ${msOf(start)}`;

/** A correct reader. */
export const correct: ReaderParts = {
  headers: ({ etag }) => (etag === undefined ? {} : { 'If-None-Match': etag }),
  textOf: (response) => response.text(),
  recordsIn(text) {
    const body = JSON.parse(text);
    if (!Array.isArray(body?.ods_data)) throw new Error('the answer has no list of records');
    return body.ods_data;
  },
  taken: (records) => records,
  /** What is under way: a feed that lost its records looks as if they were cancelled. */
  kept(records, held, nowMs) {
    const keys = new Set(records.map(keyOf));
    return held.records.filter(
      (one) => msOf(one.src_start_utc) <= nowMs && msOf(one.src_end_utc) > nowMs && !keys.has(keyOf(one)),
    );
  },
  unchanged: (held) => held,
  refused(_, { status }) {
    throw new Error(`status ${status}`);
  },
  failed: (held) => held,
  pause: (pollSeconds, failures, retryAfterSeconds) =>
    Math.max(Math.min(pollSeconds * 2 ** failures, 60), retryAfterSeconds),
  patienceMs: 3000,
};

/** Starts a correct reader, with the parts of `behaviour` instead of its own. */
export function runReader(
  { url, pollSeconds, report, clock = realClock, date = Date.now }: ReaderEnvironment,
  behaviour: Partial<ReaderParts>,
) {
  const parts: ReaderParts = { ...correct, ...behaviour };
  const stopped = new AbortController();
  const { signal } = stopped;
  let held: Held = { records: [] };

  async function ask(): Promise<Answer> {
    const headers = parts.headers(held);
    return withPatience(clock, parts.patienceMs, signal, async (given) => {
      const answer = await fetch(url, { headers, signal: given });
      return { status: answer.status, headers: answer.headers, text: await parts.textOf(answer) };
    });
  }

  function next(answer: Answer): Held {
    const { status, headers, text } = answer;
    if (status === 304) return parts.unchanged(held);
    if (status !== 200) return parts.refused(held, answer);
    const [etag, modified] = [headers.get('etag'), headers.get('last-modified')];
    const taken = parts.taken(parts.recordsIn(text, headers) as readonly FeedRecord[], held);
    return {
      records: [...taken, ...parts.kept(taken, held, date())],
      ...(etag !== null && { etag }),
      ...(modified !== null && { modified }),
    };
  }

  /** Until it is stopped, or a part throws an error. */
  async function run(): Promise<void> {
    for (let failures = 0; ; ) {
      let retryAfterSeconds = 0;
      try {
        const answer = await ask();
        retryAfterSeconds = Number(answer.headers.get('retry-after') ?? 0);
        held = next(answer);
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures++;
        held = parts.failed(held, error);
      }
      report(held.records.length);
      await clock.sleep(1000 * parts.pause(pollSeconds, failures, retryAfterSeconds), signal);
    }
  }

  const ended = run().then(
    () => 0,
    () => (signal.aborted ? 0 : 1),
  );
  return {
    /** The exit code of a program that does this; 0 after `stop`. Never rejects. */
    ended,
    async stop() {
      stopped.abort();
      await ended;
    },
  };
}
