/** `mrs verify`: judges a deployment, or the evidence of an earlier run. */
import { Command } from 'commander';
import { printOf } from '../../tests/report/output.ts';
import { checkTarget, printPlan, profileOf } from '../verify/gather-evidence.ts';
import { judgeEvidence, verify } from '../verify/verify.ts';
import { DEPLOYMENT_OPTIONS, FORMAT_OPTION, QUIET_OPTION } from './deployment-options.ts';
import { draftPaths } from './draft-paths.ts';
import { addOptions, environmentOf, type OptionTable, type OptionValues } from './options.ts';

export const VERIFY_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  baseline: {
    flag: '--baseline <file>',
    variable: 'MRS_BASELINE',
    help: 'file with known deviations that are accepted for a limited time',
  },
  evidence: {
    flag: '--evidence <file>',
    help: 'judge the evidence.har of an earlier run, and send no request',
  },
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
  dryRun: { flag: '--dry-run', help: 'list the requests of a run, and send none' },
} as const satisfies OptionTable;

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description(
      'Judges a deployment by the Mitigation Request Service Interface Specification, clause by clause. ' +
        'Without a URL, it starts the mock and judges that. Each option has an environment variable (in ' +
        'brackets); the option takes precedence. Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
    )
    .allowExcessArguments(false);
  return addOptions(command, VERIFY_OPTIONS)
    .addHelpText(
      'after',
      '\nExit codes: 0 conformant, 1 nonconformant, 2 error (configuration, or the suite\n' +
        'itself), 3 incomplete (a requirement could not be run).',
    )
    .action(async (options: OptionValues<typeof VERIFY_OPTIONS>) => {
      const env = environmentOf(VERIFY_OPTIONS, options, process.env);
      if (options.evidence !== undefined) {
        const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli';
        process.exitCode = judgeEvidence(
          options.evidence,
          Object.keys(options).filter(isGiven),
          env,
          printOf(options),
        );
        return;
      }
      const profile = await profileOf(env.MRS_PROFILE);
      if (options.dryRun) return await printPlan(env, profile);
      const draft = env.MRS_DRAFT_PROFILE ? draftPaths(env.MRS_DRAFT_PROFILE, env) : undefined;
      checkTarget(env, profile);
      if (env.MRS_BASELINE)
        (await import('../../tests/server/report/baseline.ts')).readBaseline(env.MRS_BASELINE);
      process.exitCode = await verify(env, { profile, draft, print: printOf(options) });
    });
}
