/** The observations of a plan as text, from which the bodies of the data are cut. */
import { beginOf, type Observation, SECOND } from './plan.ts';

/** Records sorted by start, each followed by a comma. */
export interface Slice {
  text: Buffer;
  /** Where each record begins in the text, and finally where the text ends. */
  at: readonly number[];
  /** When each record ends, in milliseconds since the epoch, rounded down. */
  endsMs: readonly number[];
}

/** The records of observations that are sorted by start. */
export function sliceOf(observations: readonly Observation[], number: number): Slice {
  const fromMs = beginOf(number);
  const timeAt = timesOf(fromMs);
  const texts = observations.map((one) => textOf(one, timeAt));
  const at = [0];
  for (const text of texts) at.push((at.at(-1) as number) + text.length);
  return {
    text: Buffer.from(texts.join(''), 'latin1'),
    at,
    endsMs: observations.map(({ end }) => fromMs + Math.floor(end / 1000)),
  };
}

function textOf(
  { start, end, before, after }: Observation,
  timeAt: (microseconds: number) => string,
): string {
  return `{${before},"src_start_utc":"${timeAt(start)}","src_end_utc":"${timeAt(end)}",${after}},`;
}

const DAY_MS = 24 * 3600_000;

/** Times as NRAO writes them: without a zone, with six digits of the second. */
function timesOf(fromMs: number): (microseconds: number) => string {
  const today = Math.floor(fromMs / DAY_MS) * DAY_MS;
  // A plan is shorter than a day, so it touches at most two.
  const dates = [today, today + DAY_MS].map((ms) =>
    new Date(ms).toISOString().slice(0, 'yyyy-mm-ddT'.length),
  );
  return (all) => {
    const seconds = (fromMs - today) / 1000 + Math.floor(all / SECOND);
    const time = `${pair((seconds / 3600) % 24)}:${pair((seconds / 60) % 60)}:${pair(seconds % 60)}`;
    const below = all % SECOND;
    return `${dates[seconds < DAY_MS / 1000 ? 0 : 1]}${time}.${three(below / 1000)}${three(below % 1000)}`;
  };
}

// Looked up, since 100,000 records have more than two million of them.
const PAIRS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const THREES = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
const pair = (number: number): string => PAIRS[Math.floor(number)] as string;
const three = (number: number): string => THREES[Math.floor(number)] as string;
