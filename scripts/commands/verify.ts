/** `mrs verify` judges a deployment; `mrs observe` drafts a profile of it. */

import { existsSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { asWritten, clearReports, publish, writeText } from '../../tests/report/publish.ts';
import { type Print, printOf } from '../../tests/report/terminal.ts';
import { draftInWords, draftProfile, writeDraft } from '../../tests/server/draft/draft.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import type { GivenDeployment } from '../../tests/server/probe/target.ts';
import type { Profile } from '../../tests/server/profile.ts';
import { type Accepted, applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { type RunEnd, reportOf } from '../../tests/server/report/report.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import { interruption } from '../../tests/support/clock.ts';
import { replaceFile } from '../../tests/support/files.ts';
import type { OptionTable } from '../../tests/support/option-table.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import {
  checkTarget,
  gatherEvidence,
  printPlan,
  profileOf,
  withoutSecrets,
} from '../verify/gather-evidence.ts';
import {
  addOptions,
  BASELINE_OPTION,
  FORMAT_OPTION,
  givenTo,
  QUIET_OPTION,
  REPORT_DIR_OPTION,
} from './options.ts';

export const VERIFY_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  reportDir: { ...REPORT_DIR_OPTION, default: 'reports/verify' },
  baseline: BASELINE_OPTION,
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
  commands: { flag: '--commands', help: 'print the commands that send the requests of failures again' },
  dryRun: { flag: '--dry-run', help: 'list the requests of a run, and send none' },
} as const satisfies OptionTable;

export function verifyCommand(): Command {
  const command = new Command('verify')
    .description(
      'Judges a deployment by the Mitigation Request Service Interface Specification, clause by clause. ' +
        'Without a URL, it judges the bundled mock; in CI, only with --mock. Most options have an environment ' +
        'variable (in brackets); the option takes precedence. Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
    )
    .allowExcessArguments(false);
  return addOptions(command, VERIFY_OPTIONS)
    .addHelpText(
      'after',
      '\nExit codes: 0 conformant, 1 nonconformant, 2 error (configuration, or the suite\n' +
        'itself), 3 incomplete (a requirement could not be run).',
    )
    .action(async (_, command: Command) => {
      const given = givenTo<typeof VERIFY_OPTIONS>(command);
      const { reportDir, dryRun, baseline: known, ...options } = given.values;
      if (!dryRun) clearReports(reportDir);
      const profile = await profileOf(options.profile);
      const baseline = known === undefined ? undefined : readBaseline(known);
      if (dryRun) return await printPlan(given, profile);
      checkTarget(given, profile);
      process.exitCode = await verify(given, profile, baseline, {
        directory: reportDir,
        print: printOf(options),
      });
    });
}

export const OBSERVE_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  draftProfile: {
    flag: '--draft-profile <file>',
    variable: 'MRS_DRAFT_PROFILE',
    help: 'file for the draft profile',
    default: 'draft.overlay.yaml',
    isForMock: true,
  },
} as const satisfies OptionTable;

export function observeCommand(): Command {
  return addOptions(new Command('observe'), OBSERVE_OPTIONS)
    .description(
      'Sends the requests of mrs verify and drafts a profile of how the deployment behaves where the ' +
        'specification is open. It prints questions to the operator about what the requests do not show. ' +
        'Violations of the specification are reported, and never drafted.',
    )
    .addHelpText(
      'after',
      '\nExit codes: 0 a draft was written, 2 error (configuration, or the suite itself),\n' +
        '3 not enough was seen.',
    )
    .allowExcessArguments(false)
    .action(async (_, command: Command) => {
      const given = givenTo<typeof OBSERVE_OPTIONS>(command);
      const { draftProfile: draft } = given.values;
      checkDraft(draft);
      const profile = await profileOf(given.values.profile);
      checkTarget(given, profile);
      const code = await observe(given, profile, draft);
      // A fault of the draft would be one of this program: it is reported here, and not by the next command.
      if (code === exitCodes.conformant) loadContract(await loadProfile(resolve(draft)));
      process.exitCode = code;
    });
}

/** Throws UsageError for a name that no profile can have, and for a file that exists: a user may have edited it. */
function checkDraft(draft: string): void {
  if (!/^[a-z0-9][a-z0-9-]{0,63}\.overlay\.yaml$/.test(basename(draft)))
    throw new UsageError(
      `--draft-profile is "${draft}". Name a file as in mine.overlay.yaml: small letters, digits and hyphens.`,
    );
  if (existsSync(draft))
    throw new UsageError(`${draft} already exists, and may have been edited. Move it, or name another file.`);
}

/** The profile of the run, as the draft can name it: a file is named from where the draft is. */
function profileFrom(draft: string, profile: string | undefined): string | undefined {
  if (!profile || profile === SPECIFICATION) return undefined;
  return /[./\\]/.test(profile) ? relative(dirname(draft), profile).replace(/^(?!\.)/, './') : profile;
}

// What both do.

/**
 * Writes the reports of a run, also of one that a signal ends early. `profile`: what the deployment declares, if anything.
 * Returns the exit code: that of the outcome, or 2 for any fault of the run itself. Throws UsageError for a mistake in the options.
 */
async function verify(
  given: GivenDeployment,
  profile: Profile | undefined,
  baseline: readonly Accepted[] | undefined,
  to: { directory: string; print: Print },
): Promise<number> {
  return run(given, profile, to.print, (end, secrets) => {
    const evidence = { name: 'evidence.har', content: fileOf(end.evidence, end.profile) } as const;
    return publish(applyBaseline(reportOf(end), baseline), { ...to, secrets, evidence });
  });
}

/** The same requests; writes a draft of a profile. Returns 0 if it was written, 3 if too little was seen, or 2. */
const observe = (given: GivenDeployment, profile: Profile | undefined, file: string): Promise<number> =>
  run(given, profile, 'text', (end, secrets) => {
    const report = reportOf(end);
    if (report.outcome === 'error') return nothingJudged(report.problems.join(' '), 'text', secrets);
    const { evidence, profile: own } = end;
    const draft = draftProfile({ evidence, profile: own, buildsOn: profileFrom(file, given.values.profile) });
    const isEnough = draft.tooLittle === undefined;
    const text = secrets.seal(isEnough ? writeDraft(draft) : '');
    const problems = isEnough ? writeText(replaceFile, file, text) : [];
    console.log(asWritten(secrets.seal(draftInWords(draft, report, evidence, file, own))));
    for (const problem of problems) console.error(`mrs: ${problem}`);
    if (problems.length > 0) return exitCodes.error;
    return isEnough ? exitCodes.conformant : exitCodes.incomplete;
  });

/** `leave` writes and prints what the run showed, and returns the exit code. */
async function run(
  given: GivenDeployment,
  profile: Profile | undefined,
  print: Print,
  leave: (end: RunEnd, secrets: Secrets) => number,
): Promise<number> {
  const secrets = createSecrets();
  try {
    const evidence = await gatherEvidence(given, profile, { secrets, print, signal: interruption() });
    const redacted = withoutSecrets(profile, secrets);
    return leave({ evidence, profile: redacted, ...judgeAll(evidence, redacted) }, secrets);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return nothingJudged(String((error as Error).message), print, secrets);
  }
}

function nothingJudged(why: string, print: Print, secrets: Secrets): number {
  console.error(secrets.redact(why).slice(0, 500));
  if (print !== 'json') console.log('outcome: error (nothing was judged)');
  return exitCodes.error;
}
