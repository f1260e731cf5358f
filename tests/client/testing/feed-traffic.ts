/** The traffic of a reader of a feed, made up poll by poll, for tests of the judge without a mock. */
import type { JudgedRule } from '../certificate.ts';
import { certificateOf, type ScenarioRun } from '../judge.ts';
import { feedCatalogue } from '../reader/feed-catalogue.ts';
import type { ScenarioTraffic } from '../scenario-traffic.ts';
import { type Made, trafficOf } from './traffic.ts';

/** A read, and how many records the reader says that it holds then; undefined: it says nothing. */
export interface Poll {
  call: Partial<Made>;
  holds: number | undefined;
}

const served = (holds?: number): Poll => ({ call: {}, holds });
const unchanged = (holds?: number): Poll => ({ call: { status: 304, isConditional: true }, holds });
const meets = (call: Partial<Made>, holds?: number): Poll => ({
  call: { reason: 'script', ...call },
  holds,
});

/** So many alike. */
export const times = (count: number, poll: Poll): Poll[] => Array.from({ length: count }, () => poll);

/**
 * Polls in a line: `2*20` are two reads after which the reader holds 20 records, `=20` one that is answered with 304,
 * `!500:20` one that meets this status or end, `~:20` one that meets other trouble; `-` says nothing of records.
 */
export function pollsOf(line: string): Poll[] {
  return line.split(' ').flatMap((word) => {
    const [, count = '1', kind, end = '', told = ''] =
      /^(?:(\d+)\*)?(?:(=|!(\w+):|~:)?(\d+|-))$/.exec(word) ?? [];
    if (told === '') throw new Error(`"${word}" is no poll.`);
    const holds = told === '-' ? undefined : Number(told);
    const ended = { ended: end as 'reset', reason: 'served' as const };
    const poll =
      kind === undefined
        ? served(holds)
        : kind === '='
          ? unchanged(holds)
          : meets(end === '' ? {} : Number(end) ? { status: Number(end) } : ended, holds);
    return times(Number(count), poll);
  });
}

const EVERY_MS = 500;

/** Each line is read before the next call, or with `late` after it was answered. */
export function feedTraffic(
  name: string,
  polls: readonly Poll[],
  { late = false, ...more }: Partial<ScenarioTraffic> & { late?: boolean } = {},
): ScenarioTraffic {
  const calls = polls.map(({ call }, index): Made => {
    const startMs = index * EVERY_MS;
    const made: Made = {
      kind: 'data',
      startMs,
      endMs: startMs + 5,
      atMs: startMs,
      method: 'GET',
      path: '/ods.json',
      query: [],
      target: 'readData',
      status: 200,
      reason: 'served',
      misplaced: [],
    };
    return { ...made, ...call };
  });
  const statements = polls.flatMap(({ holds }, index) =>
    holds === undefined ? [] : [{ after: index + (late ? 2 : 1), records: holds }],
  );
  return trafficOf(calls, { name, statements, served: 20, ...more });
}

function found(rule: string, runs: readonly ScenarioRun[]): JudgedRule {
  const { rules } = certificateOf(runs, feedCatalogue('static-feed'));
  const judged = rules.find(({ id }) => id === rule);
  if (!judged) throw new Error(`There is no rule ${rule}.`);
  return judged;
}

/** The result of one rule over several scenarios. */
export function readersRule(rule: string, ...traffics: readonly ScenarioTraffic[]): JudgedRule {
  const runs = traffics.map((traffic): ScenarioRun => ({ traffic, summary: '', state: 'seen' }));
  return found(rule, runs);
}

/** Its verdict, and what was seen or why it was not judged. */
export function verdictOf(
  rule: string,
  traffic: ScenarioTraffic,
  state: ScenarioRun['state'] = 'seen',
): [string, string?] {
  const { verdict, findings, reason } = found(rule, [{ traffic, summary: '', state }]);
  const words = findings[0]?.seen ?? reason;
  return words === undefined ? [verdict] : [verdict, words];
}
