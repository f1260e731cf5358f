/** `mrs baseline write`: accepts the deviations of a report, for people to put their reasons into. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { reportDir } from '../../tests/server/probe/target.ts';
import { renderBaseline } from '../../tests/server/report/baseline.ts';
import { readReport } from '../../tests/server/report/read-report.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

interface WriteOptions {
  report: string;
  owner: string;
  until: string;
}

export function baselineCommand(): Command {
  return new Command('baseline').summary('accept known deviations, for a time').addCommand(
    new Command('write')
      .description(
        'Writes a baseline that accepts every deviation of a report, with what was seen as the reason. ' +
          'Put better reasons into it, and give it to mrs verify --baseline.',
      )
      .argument('<file>', 'the baseline, which must not exist yet')
      .requiredOption('--owner <name>', 'who answers for the deviations')
      .requiredOption('--until <day>', 'the last day on which they are accepted, YYYY-MM-DD')
      .option('--report <file>', 'the report', join(reportDir(process.env), 'report.json'))
      .action(write),
  );
}

function write(file: string, { report, owner, until }: WriteOptions): void {
  if (!isDay(until)) throw new UsageError(`--until is "${until}", which is no day. Write it as YYYY-MM-DD.`);
  if (owner === '') throw new UsageError('--owner is empty. Name who answers for the deviations.');
  if (existsSync(file))
    throw new UsageError(`${file} exists. Name another, so that no reason in it is lost.`);
  const text = renderBaseline(readReport(report), owner, until);
  try {
    writeFileSync(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file} cannot be written (${code}). Name a file in a directory that you can write to.`,
    );
  }
  console.log(`${file} accepts what the report found, until ${until}. Put your reasons into it.`);
}

/** Date.parse takes the 30th of February for a day in March. */
function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}
