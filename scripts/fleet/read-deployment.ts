/** What the folder of one deployment holds. */
import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Judged } from '../../tests/fleet/judged.ts';
import type { Found } from '../../tests/fleet/merge.ts';
import type { RunRecord } from '../../tests/fleet/records.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { PAGE, REPORT } from './layout.ts';
import { readReportFile } from './report-file.ts';
import { inSettings } from './settings.ts';

/** Its report; where there is a record, only the one that is recorded. `output` is where the report on the fleet goes. */
export function readDeployment(
  folder: string,
  name: string,
  record: RunRecord | undefined,
  output: string,
): Found {
  if (record && record.report === undefined) return { name, record };
  const { judged, digest } = readReportFile(join(folder, REPORT));
  if (typeof judged === 'string') return { name, judged, ...(record && { record }) };
  if (record && digest !== record.report)
    return { name, record, judged: 'report.json is not the one that the run wrote.' };
  const fault = record && contradictionOf(record, judged);
  if (record && fault !== undefined) return { name, record, judged: fault };
  return {
    name,
    judged: record ? named(judged) : judged,
    ...(record && { record }),
    ...placeOf(folder, output),
  };
}

/** A baseline accepts what is violated or could not be run; it never makes an exit code worse without a sentence of its own. */
function contradictionOf({ exitCode = 0 }: RunRecord, { outcome }: Judged): string | undefined {
  const isPossible =
    exitCode === exitCodes.error ||
    (outcome !== 'error' && !(exitCode === exitCodes.incomplete && outcome.startsWith('conformant')));
  return isPossible
    ? undefined
    : `run.json states the exit code ${exitCode}, which contradicts the outcome of report.json, ${outcome}.`;
}

/** A run of a fleet has settings; only its processes have variables. */
function named(judged: Judged): Judged {
  const { cause, requirements } = judged;
  return {
    ...judged,
    ...(cause !== undefined && { cause: inSettings(cause) }),
    requirements: requirements.map((one) => ({
      ...one,
      ...(one.verdict === 'could-not-run' && one.seen !== undefined && { seen: inSettings(one.seen) }),
    })),
  };
}

/** A link where both are below the directory of the command, or published together. */
function placeOf(folder: string, output: string): Pick<Found, 'page' | 'folder'> {
  const isBelow = (path: string) => !relative(resolve(path), resolve(folder)).startsWith('..');
  const isPublished = isBelow(output);
  const isNear = isBelow('.') && !relative(resolve('.'), resolve(output)).startsWith('..');
  const path = relative(resolve(output), resolve(folder, PAGE));
  return {
    ...((isPublished || isNear) &&
      existsSync(join(folder, PAGE)) && { page: path.split(sep).map(encodeURIComponent).join('/') }),
    ...(!isPublished && { folder }),
  };
}
