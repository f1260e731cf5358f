/** Deployments apart by the statements that judged them: verdicts by others cannot be compared. */
import { groupBy } from '../support/collections.ts';
import { suite } from '../support/version.ts';
import type { FleetSchema } from './report/fleet.schema.ts';

type Deployment = FleetSchema['deployments'][number];

export interface SuiteGroup {
  /** The digest of the statements; undefined for reports of versions that did not state it. */
  specification: string | undefined;
  version: string | undefined;
  deployments: Deployment[];
}

/**
 * Deployments that were judged by the same statements of the specification. First those of this suite, or else the
 * largest group; what has no report is in it, too.
 */
export function suiteGroups(deployments: readonly Deployment[]): [SuiteGroup, ...SuiteGroup[]] {
  const judged = deployments.filter(({ outcome }) => outcome !== 'no-report');
  const groups = [...groupBy(judged, (one) => one.suite?.requirements)]
    .map(
      ([specification, all]): SuiteGroup => ({
        specification,
        version: all[0]?.suite?.version,
        deployments: all,
      }),
    )
    .toSorted((one, other) => weight(other) - weight(one));
  const [first = { specification: suite.requirements, version: suite.version, deployments: [] }, ...others] =
    groups;
  const included = new Set([
    ...first.deployments,
    ...deployments.filter(({ outcome }) => outcome === 'no-report'),
  ]);
  return [{ ...first, deployments: deployments.filter((one) => included.has(one)) }, ...others];
}

const weight = ({ specification, deployments }: SuiteGroup): number =>
  deployments.length + (specification === suite.requirements ? 1e6 : 0);
