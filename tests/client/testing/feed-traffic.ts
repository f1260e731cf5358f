/** The traffic of a reader of a feed, made up poll by poll, for tests of the judge without a mock. */
import { certificateOf, type JudgedRule, type ScenarioRun } from '../judge.ts';
import { catalogueOf } from '../reader.ts';
import type { ScenarioTraffic } from '../traffic.ts';
import { callAt, type Details, trafficOf } from './scenes.ts';

/** A read, and how many records the reader says that it holds then; undefined: it says nothing. */
export interface Poll {
  call: Details[string];
  holds: number | undefined;
}

/**
 * Polls in a line: `2*20` are two reads after which the reader holds 20 records, `=20` one that is answered with 304,
 * `!500:20` one that meets this status or end, `~:20` one that meets other trouble; `-` says nothing of records.
 */
export const pollsOf = (line: string): Poll[] =>
  line.split(' ').flatMap((word) => {
    const [, count = '1', kind, end = '', stated] =
      /^(?:(\d+)\*)?(?:(=|!(\w+):|~:)?(\d+|-))$/.exec(word) ?? [];
    if (stated === undefined) throw new Error(`"${word}" is not a poll.`);
    const call: Details[string] = Number(end)
      ? { status: Number(end), reason: 'script' }
      : end !== ''
        ? { ended: end as 'reset' }
        : kind === '='
          ? { status: 304, isConditional: true }
          : { reason: kind === undefined ? 'served' : 'script' };
    return Array.from({ length: Number(count) }, () => ({
      call,
      holds: stated === '-' ? undefined : Number(stated),
    }));
  });

const EVERY_MS = 500;

/** Each line is read before the next call, or with `late` after it was answered. */
export function feedTraffic(
  name: string,
  polls: string | readonly Poll[],
  { late = false, ...more }: Partial<ScenarioTraffic> & { late?: boolean } = {},
): ScenarioTraffic {
  const all = typeof polls === 'string' ? pollsOf(polls) : polls;
  const calls = all.map(({ call }, index) => callAt('r', index * EVERY_MS, 1, call));
  const statements = all.flatMap(({ holds }, index) =>
    holds === undefined ? [] : [{ after: index + (late ? 2 : 1), records: holds }],
  );
  return trafficOf(calls, { name, statements, served: 20, ...more });
}

function found(rule: string, runs: readonly ScenarioRun[]): JudgedRule {
  const { rules } = certificateOf(runs, catalogueOf({ feed: 'static-feed' }));
  const judged = rules.find(({ id }) => id === rule);
  if (!judged) throw new Error(`There is no rule ${rule}.`);
  return judged;
}

/** The result of one rule over several scenarios. */
export const readersRule = (rule: string, ...traffics: readonly ScenarioTraffic[]): JudgedRule =>
  found(
    rule,
    traffics.map((traffic) => ({ traffic, summary: '', state: 'seen' })),
  );

/** Its verdict, and what was seen or why it was not judged. */
export function verdictOf(
  rule: string,
  traffic: ScenarioTraffic,
  state: ScenarioRun['state'] = 'seen',
): [string, string] {
  const { verdict, findings, reason = '' } = found(rule, [{ traffic, summary: '', state }]);
  return [verdict, findings[0]?.seen ?? reason];
}
