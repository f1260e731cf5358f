/** How often a client retries where a 403 lasts. */
import { groupBy } from '../../support/collections.ts';
import type { Evidence } from '../evidence.ts';
import { maxGapMs } from '../pace.ts';
import { type Check, type Finding, fails, perScenario, warns } from '../rule.ts';
import { isBaseline } from '../scenarios.ts';
import {
  type Call,
  dataCalls,
  idleBetween,
  isExpiredRefusal,
  isIssue,
  isRefused,
  isServed,
  longest,
  rowsOf,
  type ScenarioTraffic,
} from '../traffic.ts';

export const loopChecks: Record<string, Check> = {
  'no-loop': perScenario(judgeLoop),
  'refresh-once': perScenario(judgeRetries),
};

/** More attempts than this multiple of the usual number are a loop; a retry makes two of one. */
const LOOP = 6;

/** Attempts that were refused, compared with the usual number. */
interface RepeatedAttempts {
  attempts: readonly Call[];
  times: number;
  seen: string;
}

/** Undefined where calls overlap and nothing shows how many are usual: then no number of attempts is too many. */
function repeatedAttempts(
  refused: readonly Call[],
  traffic: ScenarioTraffic,
  evidence: Evidence,
): RepeatedAttempts | undefined {
  const steady = evidence.scenarios.filter(isBaseline);
  if (evidence.concurrency > 1) {
    const usual = steady[0]?.calls.filter(isServed) ?? [];
    if (!steady[0] || usual.length < 3)
      return refused.length > 0 ? undefined : { attempts: [], times: 0, seen: '' };
    const times = rateOf(refused, traffic) / rateOf(usual, steady[0]);
    const seen = `${refused.length} attempts were refused, ${times.toFixed(1)} times as many in a second as when nothing is wrong.`;
    return { attempts: refused, times, seen };
  }
  const attempts = longestRow(refused, traffic, evidence);
  // A client that reads several pages at a time also makes several attempts at a time.
  const rows = steady.map((one) => longestRow(one.calls.filter(isServed), one, evidence).length);
  const seen = `${attempts.length} attempts in a row were refused, without a pause between them.`;
  return { attempts, times: attempts.length / Math.max(1, ...rows), seen };
}

/** Attempts in a second, of a scenario that was cut short at the most in which the client may still have paused. */
function rateOf(calls: readonly Call[], traffic: ScenarioTraffic): number {
  const first = calls[0]?.startMs ?? 0;
  return calls.length / Math.max(traffic.isCut ? 4 : 0.5, (traffic.durationMs - first) / 1000);
}

/** Calls for the same that follow one another without a pause, as many as the longest row has. */
const longestRow = (reads: readonly Call[], traffic: ScenarioTraffic, { pace }: Evidence): Call[] =>
  longest(
    rowsOf(reads, (before, call) => idleBetween(before, call, traffic) < maxGapMs(pace)).flatMap((row) => [
      ...groupBy(row, ({ target }) => target).values(),
    ]),
  );

function judgeLoop(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  const refused = dataCalls(traffic).filter(isRefused);
  if (refused.length === 0) return undefined;
  const repeated = repeatedAttempts(refused, traffic, evidence);
  if (!repeated) return undefined;
  const { attempts, times, seen } = repeated;
  if (times > LOOP) return [fails(traffic, attempts, seen)];
  const renewed = renewedEachTime(traffic, evidence);
  if (renewed.length > LOOP)
    return [
      fails(
        traffic,
        renewed,
        `${renewed.length} reads in a row were refused, and each time another token was asked for at once.`,
      ),
    ];
  return refused.some(isLasting) ? [] : undefined;
}

const isLasting = ({ status, standing }: Call): boolean => status === 403 && standing === 'valid';

/** Who renews as often within this time does not wait before the next attempt, in milliseconds. */
const LOOP_MS = 10_000;

/** The longest row of reads that were refused with a living token each, of which each but the first carries the one asked for at the refusal before. */
function renewedEachTime(traffic: ScenarioTraffic, { concurrency, pace }: Evidence): Call[] {
  if (concurrency > 1) return [];
  const calls = traffic.calls.filter(({ kind }) => kind === 'token' || kind === 'data');
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const [index, read] of calls.entries()) {
    if (!isRefused(read) || read.standing !== 'valid') continue;
    const [refused, issue] = calls.slice(Math.max(0, index - 2), index);
    const isNext =
      refused !== undefined &&
      refused === row.at(-1) &&
      issue !== undefined &&
      isIssue(issue) &&
      issue.token === read.token &&
      issue.startMs - refused.endMs < maxGapMs(pace);
    row = isNext ? [...row, read].filter(({ startMs }) => read.startMs - startMs <= LOOP_MS) : [read];
    if (row.length > longest.length) longest = row;
  }
  return longest;
}

/** What is refused with an expired token is judged by other rules. */
function judgeRetries(traffic: ScenarioTraffic, evidence: Evidence): Finding[] | undefined {
  const fresh = dataCalls(traffic).filter((call) => isRefused(call) && call.standing === 'valid');
  const repeated = repeatedAttempts(fresh, traffic, evidence);
  if (!repeated) return undefined;
  const { attempts, times, seen } = repeated;
  if (times > (evidence.concurrency > 1 ? 3 : 2)) return [warns(traffic, attempts, seen)];
  return fresh.some(isLasting) || dataCalls(traffic).some(isExpiredRefusal) ? [] : undefined;
}
