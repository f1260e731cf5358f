/** `mrs prove`: shows that the suite finds each defect, for its own reason, and accepts what is permitted. */
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { wrap } from '../../tests/report/text.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { listOf, selectNamed, selectSample } from '../prove/selection.ts';
import { differences, readVerdicts, writeVerdicts } from '../prove/verdicts.ts';
import { addOptions, eachValue, type OptionTable, type OptionValues } from './options.ts';

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
  list: { flag: '--list', help: 'list the defects, variants, clients, readers and feeds, and exit' },
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
    .action(async ({ only = [], sample, list, ...files }: OptionValues<typeof PROVE_OPTIONS>) => {
      if (sample && only.length > 0)
        throw new UsageError('--sample is fixed, and --only names something else. Leave one of them out.');
      const selection = sample ? selectSample() : selectNamed(only);
      if (list) return console.log(listOf(selection));
      const { verdicts, writeVerdicts: written } = files;
      const expected = verdicts === undefined ? undefined : readVerdicts(verdicts);
      const isWhole = selection.scope === 'whole';
      // Those that are not judged now stay as they are.
      const rest = written !== undefined && !isWhole && existsSync(written) ? readVerdicts(written) : [];
      const { prove } = await import('../prove/prove.ts');
      const { exitCode, verdicts: seen } = await prove(selection);
      const changed = expected ? differences(expected, seen, isWhole) : [];
      for (const sentence of changed) console.log(`\n${wrap(sentence, 80).join('\n')}`);
      if (expected)
        console.log(`verdicts: ${changed.length === 0 ? 'as in the file' : `${changed.length} differ`}`);
      process.exitCode = Math.max(exitCode, changed.length > 0 ? 1 : 0);
      if (written !== undefined && exitCode !== 0)
        console.error(
          'mrs: The proof does not hold: no verdict is written. Correct what is reported above, and run again.',
        );
      else if (written !== undefined) writeVerdicts(written, new Map([...rest, ...seen]));
    });
}
