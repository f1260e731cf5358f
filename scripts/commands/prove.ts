/** `mrs prove`: shows that the suite finds each defect, for its own reason, and accepts what is permitted. */
import { existsSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { wrap } from '../../tests/report/text.ts';
import { eachValue, type OptionTable, type OptionValues } from '../../tests/support/option-table.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { sampleOfSubjects, subjects, subjectsNamed } from '../prove/subjects.ts';
import { addOptions } from './options.ts';

export const PROVE_OPTIONS = {
  only: {
    flag: '--only <name>',
    help: 'run only this defect, variant, client, reader or feed; repeat the flag for more',
    parse: eachValue,
  },
  sample: { flag: '--sample', help: 'run only a fixed sample, in which each requirement has a defect' },
  verdicts: {
    flag: '--verdicts <file>',
    help: 'compare each verdict with this file, and fail where one differs',
  },
  writeVerdicts: {
    flag: '--write-verdicts <file>',
    help: 'write each verdict into this file; a part of the proof replaces only its own',
  },
} as const satisfies OptionTable;

export function proveCommand(): Command {
  const command = new Command('prove')
    .description(
      'Judges mocks that each violate the specification in one way, and mocks that differ only where the ' +
        'specification is open. Each defect must be found for the stated reason, each variant must be conformant. ' +
        'Does the same with clients, with readers of feeds and with feeds.',
    )
    .allowExcessArguments(false);
  return addOptions(command, PROVE_OPTIONS)
    .addHelpText('after', '\nExit codes: 0 the proof holds, 1 it does not, 2 it could not be run.')
    .action(run);
}

async function run(options: OptionValues<typeof PROVE_OPTIONS>): Promise<void> {
  const { only = [], sample = false, verdicts: stored, writeVerdicts: written } = options;
  if (sample && only.length > 0)
    throw new UsageError('--sample is fixed, and --only names something else. Leave one of them out.');
  const selected = sample ? sampleOfSubjects() : subjectsNamed(only);
  const { conclude, differences, judgeAll, readVerdicts } = await import('../prove/prove.ts');
  const isWhole = selected === subjects;
  const expected = stored === undefined ? undefined : readVerdicts(stored);
  // Those that are not judged now stay as they are.
  const rest = written !== undefined && !isWhole && existsSync(written) ? readVerdicts(written) : [];
  const { text, exitCode, verdicts } = conclude(selected, await judgeAll(selected), only.length > 0);
  console.log(text);
  const changed = expected ? differences(expected, verdicts, isWhole) : [];
  for (const sentence of changed) console.log(`\n${wrap(sentence, 80).join('\n')}`);
  if (expected)
    console.log(`verdicts: ${changed.length === 0 ? 'as in the file' : `${changed.length} differ`}`);
  process.exitCode = Math.max(exitCode, changed.length > 0 ? 1 : 0);
  if (written !== undefined && exitCode !== 0)
    throw new UsageError('The proof does not hold: no verdict is written. Correct what is reported above.');
  // A line for each name, sorted, so that two versions of the file can be compared line by line.
  const lines = [...rest, ...verdicts].sort(([a], [b]) => (a < b ? -1 : 1));
  if (written !== undefined)
    writeFileSync(written, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
}
