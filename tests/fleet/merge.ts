/** Many reports in one: what was found of each deployment, and which are missing. */
import { groupBy } from '../support/collections.ts';
import { exitCodes } from '../support/verdict.ts';
import { suite } from '../support/version.ts';
import { type DeploymentOutcome, fleetOutcome, OUTCOMES } from './fleet-outcome.ts';
import type { Judged } from './judged.ts';
import { type ExpectedDeployment, isOfRun, type RunRecord } from './records.ts';
import { about, farApart, isFarApart, missing, otherSuites, severalRuns } from './remarks.ts';
import type { FleetSchema } from './report/fleet.schema.ts';

type Deployment = FleetSchema['deployments'][number];

/** What a folder holds of one deployment. */
export interface Found {
  name: string;
  /** Absent where the report was not written by a run of a fleet. */
  record?: RunRecord;
  /** The report, or why it cannot be read. */
  judged?: Judged | string;
  /** Its report.html, relative to the report of the fleet. */
  page?: string;
  /** Where its reports are, if not below the report of the fleet. */
  folder?: string;
}

export interface MergeOptions {
  /** When the fleet was run, for one of which no report is left. */
  at?: string | undefined;
  /** The run that is reported on. Without it, the latest report of each deployment counts. */
  runId?: string | undefined;
  remarks?: readonly string[];
}

/** `expected` says which deployments are to have a report; without it, those that have one. */
export function mergeReports(
  found: readonly Found[],
  expected: readonly ExpectedDeployment[] | undefined,
  { at, runId, remarks = [] }: MergeOptions = {},
): FleetSchema {
  const known = new Map((expected ?? []).map((one) => [one.name, one]));
  const isOwn = ({ record }: Found) => record === undefined || isOfRun(record, runId);
  const byName = groupBy(found, ({ name }) => name);
  // Of another run, one is left for a deployment that has none of this run.
  for (const [name, all] of byName) if (all.some(isOwn)) byName.set(name, all.filter(isOwn));
  const foreign = expected ? [...byName.keys()].filter((name) => !known.has(name)) : [];
  const names = expected ? [...known.keys()] : [...byName.keys()];
  const repeated = names.filter((name) => new Set(byName.get(name)?.map(startOf)).size > 1);
  const deployments = names.toSorted().map((name) => {
    const one = newest(byName.get(name) ?? []);
    const expectation = known.get(name);
    if (one === undefined || isOwn(one)) return deploymentOf(name, one, expectation);
    return deploymentOf(name, { name, judged: ofAnotherRun(one, runId, expectation) }, expectation);
  });
  const starts = startsOf(deployments);
  const last = starts.at(-1);
  // An older report was left by another run, or its machine has another clock.
  const first = starts.find((start) => !isFarApart(start, last)) ?? at;
  return {
    $schema: './fleet.schema.json',
    schemaVersion: 1,
    suite,
    ...(runId !== undefined && { runId }),
    outcome: fleetOutcome(deployments.map(({ outcome }) => outcome)),
    ...(first !== undefined && { startedAt: first }),
    counts: countsOf(deployments),
    deployments,
    clauses: clausesOf(found),
    problems: missing(deployments),
    remarks: [
      ...remarks,
      ...found
        .filter(isOwn)
        .flatMap(({ name, record }) => (record?.remark ? `${name}: ${record.remark}` : [])),
      ...about(
        foreign,
        'not in the fleet, so the report is left out',
        'not in the fleet, so the reports are left out',
      ),
      ...about(
        repeated,
        'reported more than once, and the latest report counts',
        'reported more than once, and the latest reports count',
      ),
      ...(runId === undefined ? severalRuns(found.flatMap(({ record }) => record?.runId ?? [])) : []),
      ...farApart(deployments, last),
      ...otherSuites(deployments),
    ],
  };
}

const startOf = ({ record, judged }: Found): string =>
  record?.startedAt ?? (typeof judged === 'object' ? (judged.startedAt ?? '') : '');

const newest = (reports: readonly Found[]): Found | undefined =>
  reports.toSorted((one, other) => (startOf(one) < startOf(other) ? 1 : -1))[0];

function deploymentOf(
  name: string,
  found: Found | undefined,
  expected: ExpectedDeployment | undefined,
): Deployment {
  const { record, judged, page, folder } = found ?? {};
  const parts = {
    name,
    labels: expected?.labels ?? [],
    ...(expected?.contact !== undefined && { contact: expected.contact }),
    changes: [],
    trend: [],
  };
  const startedAt = record?.startedAt ?? (typeof judged === 'object' ? judged.startedAt : undefined);
  const durationMs = record?.durationMs ?? (typeof judged === 'object' ? judged.durationMs : undefined);
  const times = {
    ...(startedAt !== undefined && { startedAt }),
    ...(durationMs !== undefined && { durationMs }),
  };
  if (typeof judged !== 'object') {
    const address = expected?.address;
    return {
      ...parts,
      ...times,
      kind: expected?.kind ?? record?.kind ?? 'service',
      ...(address !== undefined && { address }),
      outcome: 'no-report',
      exitCode: exitCodes.incomplete as 3,
      reason: judged ?? record?.reason ?? whyMissing(expected),
      requirements: [],
    };
  }
  const exitCode = record?.exitCode ?? exitCodes[judged.outcome];
  return {
    ...parts,
    ...times,
    kind: judged.kind,
    // Of a feed in a file, its process knows only the path on the machine that judged it.
    address: expected?.kind === 'feed' ? expected.address : judged.address,
    // A run that could not write all its reports ends with 2, whatever it found.
    outcome: exitCode === exitCodes.error ? 'error' : judged.outcome,
    exitCode: exitCode as 0 | 1 | 2 | 3,
    ...(judged.cause !== undefined && { reason: judged.cause }),
    ...(judged.profile !== undefined && { profile: judged.profile }),
    ...(judged.suite && { suite: judged.suite }),
    ...(page !== undefined && { page }),
    ...(folder !== undefined && { folder }),
    requirements: judged.requirements.map(({ statement: _, ...one }) => one),
  };
}

function ofAnotherRun({ record }: Found, runId = '', expected: ExpectedDeployment | undefined): string {
  const other = record?.runId;
  const what =
    other === undefined
      ? `does not state its run, which is not ${runId} then: give mrs fleet run the same --run-id`
      : `is of another run: ${other}, not ${runId}`;
  return `${whyMissing(expected)} The one that was found ${what}.`;
}

/** When the deployments that have a report were run, in the order of time. */
export const startsOf = (deployments: readonly Deployment[]): string[] =>
  deployments
    .filter(({ outcome }) => outcome !== 'no-report')
    .flatMap(({ startedAt }) => startedAt ?? [])
    .toSorted((one, other) => Date.parse(one) - Date.parse(other));

function whyMissing(expected: ExpectedDeployment | undefined): string {
  return expected?.shard === undefined ? 'No run left a report.' : `Shard ${expected.shard} left no report.`;
}

function countsOf(deployments: readonly Deployment[]): FleetSchema['counts'] {
  const count = (outcome: DeploymentOutcome) => deployments.filter((one) => one.outcome === outcome).length;
  return Object.fromEntries(
    OUTCOMES.toReversed().map((outcome) => [outcome, count(outcome)]),
  ) as unknown as FleetSchema['counts'];
}

function clausesOf(found: readonly Found[]): FleetSchema['clauses'] {
  const statements = new Map<string, string>();
  for (const { judged } of found)
    if (typeof judged === 'object')
      for (const { id, statement } of judged.requirements)
        if (!statements.has(id)) statements.set(id, statement);
  return [...statements].map(([id, statement]) => ({ id, statement }));
}
