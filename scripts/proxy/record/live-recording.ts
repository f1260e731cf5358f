/** The traffic so far, as a recording that can be judged at any time. Bodies are described and dropped. */
import { createAnswerRecorder } from '../../../tests/server/recorded.ts';
import { createBaseUrlFinder } from '../../../tests/traffic/base-url.ts';
import type { RecordedExchange } from '../../../tests/traffic/exchange.ts';
import { createKeeper, kindOf } from '../../../tests/traffic/exchange.ts';
import {
  type Judged,
  type LeftOut,
  MOST_CHARACTERS,
  MOST_EXCHANGES,
  MOST_OTHERS,
  type Recording,
} from '../../judge/read-recording.ts';

export interface LiveRecording {
  /** Keeps what is judged of it: nothing of a preflight, and nothing beyond the limits. */
  add(exchange: RecordedExchange): Judged;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The number of exchanges that are judged. */
  readonly size: number;
  /** Values in token answers that may be credentials. */
  readonly hidden: ReadonlySet<string>;
  /** The base URL that token requests were answered below, where none went to an operation below that of the recording. */
  elsewhere(): string | undefined;
  recording(): Recording;
}

/** `baseUrl` has no slash at its end; `healthPaths` are as readHealthPaths returns them. */
export function createLiveRecording(baseUrl: string, healthPaths: readonly string[]): LiveRecording {
  const recorder = createAnswerRecorder();
  const finder = createBaseUrlFinder();
  const left: LeftOut = { elsewhere: 0, preflights: 0, notSent: 0, excess: 0 };
  const keeper = createKeeper();
  const kept: Judged[] = [];
  let entries = 0;
  let others = 0;
  return {
    baseUrl,
    add(exchange) {
      entries++;
      const kind = kindOf(exchange, healthPaths);
      finder.note({ ...exchange, origin: baseUrl }); // Its path is the one below the base URL.
      const judged: Judged = { kind, recorded: recorder.record(exchange, kind), exchange };
      const isFull = kept.length >= MOST_EXCHANGES || keeper.characters >= MOST_CHARACTERS;
      if (exchange.method === 'OPTIONS') left.preflights++;
      else if (isFull || (kind === 'other' && others++ >= MOST_OTHERS)) left.excess++;
      else kept.push({ ...judged, exchange: keeper.keep(exchange) });
      return judged;
    },
    get size() {
      return kept.length;
    },
    hidden: recorder.hidden,
    elsewhere: () => finder.otherThan(baseUrl),
    recording: () => ({
      file: 'mrs proxy',
      creator: '',
      entries,
      baseUrl,
      exchanges: kept.toSorted(
        (a, b) => a.exchange.startMs - b.exchange.startMs || a.exchange.entry - b.exchange.entry,
      ),
      left: { ...left },
      healthPaths,
      hasAllHeaders: true,
      recorder,
    }),
  };
}
