/** What is to be said of the reports of a fleet as a whole, in sentences. */
import { clip, several } from '../report/text.ts';
import { groupBy } from '../support/collections.ts';
import type { FleetSchema } from './report/fleet.schema.ts';
import { suiteGroups } from './suite-groups.ts';

type Deployment = FleetSchema['deployments'][number];

/** Names that a sentence lists; the others are counted. */
const NAMED = 8;
/** Reports of one run are not that far apart. */
const FAR_APART_HOURS = 12;

/** `runIds`: of the reports that state one. */
export function severalRuns(runIds: readonly string[]): string[] {
  const ids = [...new Set(runIds)];
  return ids.length < 2
    ? []
    : [
        `The reports are of ${ids.length} runs (${listed(ids)}). Give --run-id to count those of one run only.`,
      ];
}

/** Whether two times, the earlier first, are those of different runs. */
export const isFarApart = (start: string, last = start): boolean =>
  Date.parse(last) - Date.parse(start) > FAR_APART_HOURS * 3_600_000;

/** `last`: when the latest was run. */
export function farApart(deployments: readonly Deployment[], last: string | undefined): string[] {
  const isOld = ({ outcome, startedAt }: Deployment) =>
    outcome !== 'no-report' && startedAt !== undefined && isFarApart(startedAt, last);
  const what = `from a run more than ${FAR_APART_HOURS} hours before the latest. Give mrs fleet run and mrs fleet report the same --run-id to count one run only`;
  return about(
    deployments.filter(isOld).map(({ name }) => name),
    what,
    what,
  );
}

/** Which deployments have no report: one sentence for each reason. */
export function missing(deployments: readonly Deployment[]): string[] {
  const byReason = groupBy(
    deployments.filter(({ outcome }) => outcome === 'no-report'),
    ({ reason = '' }) => reason,
  );
  return [...byReason].map(([reason, all]) => {
    const has = all.length === 1 ? 'has' : 'have';
    return `${several(all.length, 'deployment')} ${has} no report (${listed(all.map(({ name }) => name))}). ${clip(reason, 600)}`;
  });
}

/** One sentence of these deployments, and none of no deployment. */
export function about(names: readonly string[], one: string, many: string): string[] {
  if (names.length === 0) return [];
  return [`${listed(names)} ${names.length === 1 ? `is ${one}` : `are ${many}`}.`];
}

export function otherSuites(deployments: readonly Deployment[]): string[] {
  const others = suiteGroups(deployments).slice(1);
  const count = others.reduce((sum, group) => sum + group.deployments.length, 0);
  if (count === 0) return [];
  const are =
    count === 1
      ? 'was judged by other statements of the specification, and is'
      : 'were judged by other statements of the specification, and are';
  return [
    `${several(count, 'deployment')} ${are} shown apart: such verdicts cannot be compared with the rest.`,
  ];
}

const listed = (names: readonly string[]): string => {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
};
