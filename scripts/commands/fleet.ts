/** `mrs fleet`: judges many deployments, and makes one report of all of them. */
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { printOf } from '../../tests/report/output.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { FLEET_FILE, readEntries, selectEntries } from '../fleet/inventory-file.ts';
import { readRunId, runIdOfEnvironment } from '../fleet/run-id.ts';
import { readShard, shardOfEnvironment } from '../fleet/shard.ts';
import { FORMAT_OPTION, QUIET_OPTION } from './deployment-options.ts';
import { addOptions, eachValue, type OptionTable, type OptionValues, wholeNumber } from './options.ts';

const REPORT_DIR = {
  flag: '--report-dir <directory>', // MRS_REPORT_DIR is for the reports of one deployment.
  help: 'directory for the reports',
  default: 'reports/fleet',
} as const;

const RUN_ID = {
  flag: '--run-id <id>',
  variable: 'MRS_RUN_ID',
  parse: readRunId,
  defaultText: 'GITHUB_RUN_ID or CI_PIPELINE_ID',
} as const;

const HISTORY = {
  flag: '--history <directory>',
  help: 'directory with a small file for each run; adds one, and shows what changed since the last',
} as const;

const ONLY = {
  flag: '--only <label|name>',
  help: 'only the deployments with this label or name; repeat the flag for more',
  parse: eachValue,
} as const;

export const FLEET_RUN_OPTIONS = {
  atOnce: {
    flag: '--at-once <number>',
    help: 'number of deployments to judge in parallel, never two on one host',
    defaultText: 'two for each processor',
    parse: wholeNumber(1, 1000),
  },
  shard: {
    flag: '--shard <i/n>',
    variable: 'MRS_SHARD',
    help: 'run only the deployments of one of n machines, as in 2/5',
    defaultText: 'CI_NODE_INDEX of CI_NODE_TOTAL, or JOB_COMPLETION_INDEX of MRS_SHARD_TOTAL',
    parse: readShard,
  },
  only: ONLY,
  runId: { ...RUN_ID, help: 'id of this run of the fleet, the same on all its machines' },
  reportDir: REPORT_DIR,
  resume: {
    flag: '--resume',
    help: 'skip deployments whose report is complete, with the same settings, suite and run id',
  },
  deadline: {
    flag: '--deadline <duration>',
    help: 'time limit for one deployment',
    default: '30m',
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  history: HISTORY,
  quiet: QUIET_OPTION,
  format: { ...FORMAT_OPTION, help: 'what to print: text, or json for the content of fleet.json' },
} as const satisfies OptionTable;

export const FLEET_REPORT_OPTIONS = {
  fleet: {
    flag: '--fleet <file>',
    help: 'also expect a report of each deployment in this fleet file',
  },
  runId: { ...RUN_ID, help: 'count only the reports of this run of the fleet' },
  reportDir: REPORT_DIR,
  history: HISTORY,
  quiet: QUIET_OPTION,
  format: { ...FORMAT_OPTION, help: 'what to print: text, or json for the content of fleet.json' },
} as const satisfies OptionTable;

export const FLEET_LIST_OPTIONS = {
  format: {
    flag: '--format <format>',
    help: 'what to print',
    choices: ['text', 'github-matrix', 'gitlab', 'kubernetes'],
    default: 'text',
  },
  jobs: {
    flag: '--jobs <number>',
    help: 'maximum number of jobs',
    defaultText: 'one for each host, at most 256 (github-matrix), 200 (gitlab) or 1000 (kubernetes)',
    parse: wholeNumber(1, 1000),
  },
  only: ONLY,
} as const satisfies OptionTable;

const FILE_ARGUMENT = ['[file]', 'the fleet file', FLEET_FILE] as const;

export function fleetCommand(): Command {
  const command = new Command('fleet')
    .summary('judge many deployments, and report on all of them')
    .showHelpAfterError('To judge the deployments of a fleet file: mrs fleet run fleet.yaml');
  for (const one of [runCommand(), reportCommand(), listCommand()]) command.addCommand(one);
  return command;
}

function runCommand(): Command {
  const command = new Command('run')
    .summary('judge the deployments of a fleet file')
    .description(
      'Judges each deployment of a fleet file as mrs verify does, and each feed as mrs feed does, in a process of its ' +
        'own that knows only its own secret. Then merges the reports.',
    )
    .argument(...FILE_ARGUMENT)
    .allowExcessArguments(false);
  return addOptions(command, FLEET_RUN_OPTIONS)
    .addHelpText('after', EXIT_CODES)
    .action(
      async (
        file: string,
        { atOnce, shard, only = [], ...options }: OptionValues<typeof FLEET_RUN_OPTIONS>,
      ) => {
        const { runFleet } = await import('../fleet/run/run-fleet.ts');
        process.exitCode = await runFleet({
          file,
          only,
          atOnce: atOnce ?? 2 * availableParallelism(),
          shard: shard ?? shardOfEnvironment(process.env),
          output: options.reportDir,
          runId: options.runId ?? runIdOfEnvironment(process.env),
          resume: options.resume === true,
          deadlineSeconds: options.deadline,
          history: options.history,
          print: printOf(options),
          env: process.env,
        });
      },
    );
}

function reportCommand(): Command {
  const command = new Command('report')
    .summary('merge the reports of several machines')
    .description(
      'Merges the reports that mrs fleet run left in directories, from any number of shards. A deployment without a ' +
        'report is shown as such, and makes the outcome incomplete. A folder with only the report.json of mrs verify ' +
        'or mrs feed counts as the deployment of its name.',
    )
    .argument('<directory...>', 'directories with reports, at any depth');
  return addOptions(command, FLEET_REPORT_OPTIONS)
    .addHelpText('after', EXIT_CODES)
    .action(async (directories: string[], options: OptionValues<typeof FLEET_REPORT_OPTIONS>) => {
      const { reportFleet } = await import('../fleet/report-fleet.ts');
      process.exitCode = reportFleet({
        directories,
        file: options.fleet,
        output: options.reportDir,
        runId: options.runId ?? runIdOfEnvironment(process.env),
        history: options.history,
        print: printOf(options),
      });
    });
}

function listCommand(): Command {
  const command = new Command('list')
    .summary('print the deployments, or the jobs that a CI server makes of them')
    .description(
      'Prints the deployments of a fleet file, or what an engine needs to run them on many machines: a matrix for GitHub ' +
        'Actions, a child pipeline for GitLab, or an indexed Job for Kubernetes. Sends nothing and reads no secret.',
    )
    .argument(...FILE_ARGUMENT)
    .allowExcessArguments(false);
  return addOptions(command, FLEET_LIST_OPTIONS).action(
    async (file: string, { format, jobs, only = [] }: OptionValues<typeof FLEET_LIST_OPTIONS>) => {
      const { listFleet } = await import('../fleet/list-fleet.ts');
      const entries = selectEntries(readEntries(file), only);
      console.log(listFleet(entries, format, { file, jobs, only }));
    },
  );
}

const EXIT_CODES = `
Exit codes: 0 all conformant, 1 a deployment is nonconformant, 2 error (the fleet
file, an option, or a run that failed), 3 incomplete (a report is missing, or a
requirement could not be run). A baseline of a deployment counts as in mrs verify.`;
