/** `mrs fleet report`: merges what runs on other machines left. */
import type { Print } from '../../tests/report/output.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { expectedOf } from './expected.ts';
import { readInventoryFile } from './inventory-file.ts';
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

/** The exit code. Knows no secret: those are taken out where the reports are made. */
export const reportFleet = ({ file, ...options }: FleetMergeOptions): number =>
  writeFleet({
    ...options,
    required: file === undefined ? [] : readInventoryFile(file).map((entry) => expectedOf(entry)),
    secrets: createSecrets(),
  });
