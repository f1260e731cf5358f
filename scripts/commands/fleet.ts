/** `mrs fleet`: judges many deployments, and makes one report of all of them. */
import { Command } from 'commander';
import { printOf } from '../../tests/report/terminal.ts';
import { eachValue, type OptionTable, type OptionValues } from '../../tests/support/option-table.ts';
import { timeLimit } from '../../tests/support/options.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { FLEET_FILE } from '../fleet/fleet-file.ts';
import { addOptions, FORMAT_OPTION, QUIET_OPTION } from './options.ts';

const SHARED = {
  reportDir: {
    flag: '--report-dir <directory>', // MRS_REPORT_DIR is for the reports of one deployment.
    help: 'directory for the reports',
    default: 'reports/fleet',
  },
  history: {
    flag: '--history <file>',
    help: 'file with a line for each run; adds one, and shows what changed since the last',
  },
  failOn: {
    flag: '--fail-on <what>',
    help: 'what ends with exit code 1: any violation, or only one that the last accepted state in the history did not have',
    choices: ['nonconformance', 'regression'],
    default: 'nonconformance',
  },
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
} as const satisfies OptionTable;

export const FLEET_RUN_OPTIONS = {
  shard: {
    flag: '--shard <i/n>',
    help: 'judge only the deployments of one of n machines, as in 2/5',
    parse: readShard,
  },
  only: {
    flag: '--only <label|name>',
    help: 'only the deployments with this label or name; repeat the flag for more',
    parse: eachValue,
  },
  deadline: {
    flag: '--deadline <duration>',
    help: 'time limit for one deployment',
    default: '30m',
    parse: timeLimit('1s', '24d'),
  },
  ...SHARED,
} as const satisfies OptionTable;

export const FLEET_REPORT_OPTIONS = {
  fleet: {
    flag: '--fleet <file>',
    help: 'also expect a report of each deployment in this fleet file',
  },
  ...SHARED,
} as const satisfies OptionTable;

export function fleetCommand(): Command {
  const command = new Command('fleet').showHelpAfterError(
    'To judge the deployments of a fleet file: mrs fleet run fleet.yaml',
  );
  for (const one of [runCommand(), reportCommand()]) command.addCommand(one);
  return command;
}

function runCommand(): Command {
  return addOptions(new Command('run'), FLEET_RUN_OPTIONS)
    .summary('judge the deployments of a fleet file')
    .description(
      'Judges each deployment of a fleet file as mrs verify does, and each feed as mrs feed does, side by side, and ' +
        'makes one report of all of them.',
    )
    .argument('[file]', 'the fleet file', FLEET_FILE)
    .allowExcessArguments(false)
    .addHelpText('after', EXIT_CODES)
    .action(async (file: string, options: OptionValues<typeof FLEET_RUN_OPTIONS>) => {
      const { runFleet } = await import('../fleet/run-fleet.ts');
      process.exitCode = await runFleet(file, { ...options, ...published(options) });
    });
}

function reportCommand(): Command {
  return addOptions(new Command('report'), FLEET_REPORT_OPTIONS)
    .summary('make one report of many')
    .description(
      'Makes one report of all reports below directories, such as those that several machines left; the folder of ' +
        'a report names its deployment. A deployment of --fleet without a report makes the outcome incomplete.',
    )
    .argument('<directory...>', 'directories with reports, at any depth')
    .addHelpText('after', EXIT_CODES)
    .action(async (directories: string[], options: OptionValues<typeof FLEET_REPORT_OPTIONS>) => {
      const { reportFleet } = await import('../fleet/fleet-report.ts');
      process.exitCode = reportFleet(directories, { ...options, ...published(options) });
    });
}

function published(options: OptionValues<typeof SHARED>) {
  const { reportDir: directory, history, failOn: failsOn } = options;
  if (failsOn === 'regression' && history === undefined)
    throw new UsageError('--fail-on regression compares with the last run. Give its file by --history.');
  return { directory, failsOn, print: printOf(options) };
}

/** Reads `2/5`. Throws UsageError. */
function readShard(text: string, name: string): { index: number; total: number } {
  const [, index = 0, total = 0] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= total) return { index, total };
  throw new UsageError(`${name} is "${text}". Write it as 2/5: the second of five shards.`);
}

const EXIT_CODES = `
Exit codes: 0 all conformant, 1 a deployment is nonconformant, 2 error (the
fleet file, an option, or a run that failed), 3 incomplete (a report is missing,
or a requirement could not be run). A baseline counts as in mrs verify.`;
