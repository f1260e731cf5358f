/** `mrs fleet report`: merges what runs on other machines left. */
import type { Print } from '../../tests/report/output.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { collectReports } from './collect-reports.ts';
import { expectedOf } from './expected.ts';
import { readEntries } from './inventory-file.ts';
import { writeFleet } from './write-fleet.ts';

export interface FleetMergeOptions {
  directories: readonly string[];
  /** fleet.yaml, whose deployments are all to have a report. */
  file?: string | undefined;
  output: string;
  /** Only its reports count. */
  runId: string | undefined;
  history?: string | undefined;
  print: Print;
}

/** The exit code. Knows no secret: those are taken out where the reports are made. Throws UsageError if nothing is found. */
export function reportFleet({ directories, file, ...options }: FleetMergeOptions): number {
  const required = file === undefined ? undefined : readEntries(file).map((entry) => expectedOf(entry));
  const collected = collectReports(directories, { ...options, isComplete: required !== undefined });
  const recorded = collected.expected ?? (required && []);
  const names = new Set(recorded?.map(({ name }) => name));
  const expected = recorded?.concat((required ?? []).filter(({ name }) => !names.has(name)));
  if (collected.found.length === 0 && (expected ?? []).length === 0)
    throw new UsageError(
      `There is no report of a deployment in ${directories.map((one) => `"${one}"`).join(', ')}. Name directories that mrs fleet run wrote to.`,
    );
  return writeFleet({ ...options, collected: { ...collected, expected }, secrets: createSecrets() });
}
