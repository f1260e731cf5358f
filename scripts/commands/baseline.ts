/** `mrs baseline write`: accepts the deviations of a report, for people to put their reasons into. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { readReport } from '../../tests/report/report.ts';
import { reportDir } from '../../tests/server/probe/target.ts';
import { renderBaseline } from '../../tests/server/report/baseline.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { addOptions, type OptionTable, type OptionValues } from './options.ts';

export const BASELINE_OPTIONS = {
  owner: {
    flag: '--owner <name>',
    help: 'name of the person who answers for the deviations',
    isRequired: true,
  },
  until: {
    flag: '--until <day>',
    help: 'last day on which they are accepted, as YYYY-MM-DD',
    isRequired: true,
  },
  report: {
    flag: '--report <file>',
    help: 'report.json with the deviations',
    defaultText: 'the one in MRS_REPORT_DIR or reports/verify',
  },
} as const satisfies OptionTable;

export function baselineCommand(): Command {
  const command = new Command('write')
    .description(
      'Writes a baseline that accepts each deviation of a report until a given day, with the finding as the reason. ' +
        'Replace the reasons with better ones, then pass the file to mrs verify --baseline.',
    )
    .argument('<file>', 'the baseline to write, in YAML; it must not exist yet')
    .action(write);
  return new Command('baseline').addCommand(addOptions(command, BASELINE_OPTIONS));
}

function write(file: string, { owner, until, ...options }: OptionValues<typeof BASELINE_OPTIONS>): void {
  const report = options.report ?? join(reportDir(process.env), 'report.json');
  if (!isDay(until) || until < new Date().toISOString().slice(0, 10))
    throw new UsageError(`--until is "${until}". Name a day that is not over, as YYYY-MM-DD.`);
  const text = renderBaseline(readReport(report), owner, until);
  if (text === undefined) {
    console.log(`${report} has nothing to accept. No file was written.`);
    return;
  }
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be written (${code}). Name a file that does not exist yet.`);
  }
  console.log(`${file} accepts what the report found, until ${until}. Put your reasons into it.`);
}

/** Date.parse takes the 30th of February for a day in March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
