/** The traffic so far, as a recording that can be judged at any time. Bodies are described and dropped. */
import { createAnswerRecorder } from '../../tests/server/passive/record-answer.ts';
import { kindOf } from '../../tests/traffic/call-kind.ts';
import type { RecordedExchange } from '../../tests/traffic/exchange.ts';
import { type Judged, type LeftOut, MOST_EXCHANGES, type Recording } from '../judge/read-recording.ts';

export interface LiveRecording {
  /** Whether it is judged: a preflight is not, and nothing is beyond the limit. */
  add(exchange: RecordedExchange): Judged;
  /** The number of exchanges that are judged. */
  readonly size: number;
  isFull(): boolean;
  recording(): Recording;
}

/** Of exchanges that are neither token requests nor reads; more are only counted. */
const MOST_OTHERS = 20_000;

/** `baseUrl` has no slash at its end; `healthPaths` are as readHealthPaths returns them. */
export function createLiveRecording(baseUrl: string, healthPaths: readonly string[]): LiveRecording {
  const recorder = createAnswerRecorder();
  const left: LeftOut = { elsewhere: 0, preflights: 0, notSent: 0, excess: 0 };
  const kept: Judged[] = [];
  let entries = 0;
  let others = 0;
  return {
    add(exchange) {
      entries++;
      const kind = kindOf(exchange, healthPaths);
      const { answer, ...rest } = exchange;
      const judged: Judged = {
        kind,
        recorded: recorder.record(exchange, kind),
        exchange: answer ? { ...rest, answer: { ...answer, readBody: () => undefined } } : rest,
      };
      if (exchange.method === 'OPTIONS') left.preflights++;
      else if (kept.length >= MOST_EXCHANGES || (kind === 'other' && others++ >= MOST_OTHERS)) left.excess++;
      else kept.push(judged);
      return judged;
    },
    get size() {
      return kept.length;
    },
    isFull: () => kept.length >= MOST_EXCHANGES,
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
