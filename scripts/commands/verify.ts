/** `mrs verify` judges a deployment; `mrs observe` drafts a profile of it. */
import { existsSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { printOf } from '../../tests/report/output.ts';
import type { DraftPaths } from '../../tests/server/draft/questions.ts';
import { TARGET_DEFAULTS } from '../../tests/server/probe/target.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { checkTarget, printPlan, profileOf } from '../verify/gather-evidence.ts';
import { observe, verify } from '../verify/verify.ts';
import { DEPLOYMENT_OPTIONS } from './deployment-options.ts';
import {
  addOptions,
  BASELINE_OPTION,
  environmentOf,
  FORMAT_OPTION,
  type OptionTable,
  type OptionValues,
  QUIET_OPTION,
  REPORT_DIR_OPTION,
} from './options.ts';

export const VERIFY_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  reportDir: { ...REPORT_DIR_OPTION, defaultText: TARGET_DEFAULTS.reportDir },
  baseline: BASELINE_OPTION,
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
      const profile = await profileOf(env.MRS_PROFILE);
      if (options.dryRun) return await printPlan(env, profile);
      checkTarget(env, profile);
      if (env.MRS_BASELINE)
        (await import('../../tests/server/report/baseline.ts')).readBaseline(env.MRS_BASELINE);
      process.exitCode = await verify(env, profile, printOf(options));
    });
}

const DEFAULT_DRAFT = 'draft.overlay.yaml';

export const OBSERVE_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  draftProfile: {
    flag: '--draft-profile <file>',
    variable: 'MRS_DRAFT_PROFILE',
    help: 'file for the draft profile',
    defaultText: DEFAULT_DRAFT,
  },
} as const satisfies OptionTable;

export function observeCommand(): Command {
  return addOptions(new Command('observe'), OBSERVE_OPTIONS)
    .description(
      'Sends the requests of mrs verify and drafts a profile of how the deployment behaves where the ' +
        'specification is open, with questions to its operator about what the requests do not show. ' +
        'Violations of the specification are reported, and never drafted.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 a draft was written, 2 error (configuration, or the suite itself),\n' +
        '3 not enough was seen.',
    )
    .allowExcessArguments(false)
    .action(async (options: OptionValues<typeof OBSERVE_OPTIONS>) => {
      const env = environmentOf(OBSERVE_OPTIONS, options, process.env);
      const draft = draftPaths(env.MRS_DRAFT_PROFILE || DEFAULT_DRAFT, env.MRS_PROFILE);
      const profile = await profileOf(env.MRS_PROFILE);
      checkTarget(env, profile);
      const code = await observe(env, profile, draft);
      // A fault of the draft would be one of this program: it is reported here, and not by the next command.
      if (code === exitCodes.conformant) loadContract(await loadProfile(resolve(draft.draft)));
      process.exitCode = code;
    });
}

/** Throws UsageError for a name that no profile can have, and for files that exist: a user may have edited them. */
function draftPaths(draft: string, profile: string | undefined): DraftPaths {
  const questions = join(dirname(draft), 'questions.md');
  if (!/^[a-z0-9][a-z0-9-]{0,63}\.overlay\.yaml$/.test(basename(draft)))
    throw new UsageError(
      `--draft-profile is "${draft}". Name a file as in mine.overlay.yaml: small letters, digits and hyphens.`,
    );
  for (const file of [draft, questions])
    if (existsSync(file))
      throw new UsageError(
        `${file} already exists, and may have been edited. Move it, or draft in another folder.`,
      );
  return { draft, questions, buildsOn: buildsOnOf(draft, profile) };
}

/** A file is named from where the draft is. */
function buildsOnOf(draft: string, profile: string | undefined): string | undefined {
  if (profile === undefined || profile === SPECIFICATION) return undefined;
  if (!/[./\\]/.test(profile)) return profile;
  const path = relative(dirname(draft), profile);
  return path.startsWith('.') ? path : `./${path}`;
}
