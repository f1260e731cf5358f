/** `mrs verify`: runs the conformance suite, by Playwright in a process of its own. */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { clearReports } from '../../tests/report/report-directory.ts';
import { readTarget, reportDir } from '../../tests/server/probe/target.ts';
import { readProfile } from '../../tests/server/support/declared.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { ASKS_FOR_MOCK, readEmbedded, startEmbeddedMock } from '../verify/embedded-mock.ts';
import { handOnProfile } from '../verify/profile-contract.ts';
import { DEPLOYMENT_OPTIONS } from './deployment-options.ts';
import { draftPlace } from './draft-paths.ts';
import { addOptions, environmentOf, type OptionTable, type OptionValues } from './options.ts';

export const VERIFY_OPTIONS = {
  ...DEPLOYMENT_OPTIONS,
  baseline: {
    flag: '--baseline <file>',
    variable: 'MRS_BASELINE',
    help: 'file with known deviations that are accepted for a limited time',
  },
  dryRun: { flag: '--dry-run', help: 'list the requests of a run, and send none' },
} as const satisfies OptionTable;

export function verifyCommand(): Command {
  const command = new Command('verify')
    .summary('judge a deployment, clause by clause')
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
      const scratch = mkdtempSync(join(tmpdir(), 'mrs-contract-'));
      try {
        const given = environmentOf(VERIFY_OPTIONS, options, process.env);
        const env: NodeJS.ProcessEnv = {
          ...given,
          ...(await handOnProfile(given.MRS_PROFILE, scratch)),
          ...(given.MRS_DRAFT_PROFILE && draftPlace(given.MRS_DRAFT_PROFILE, given)),
        };
        if (options.dryRun) return await rehearse(env);
        checkTarget(env);
        if (env.MRS_BASELINE)
          (await import('../../tests/server/report/baseline.ts')).readBaseline(env.MRS_BASELINE);
        process.exitCode = await runSuite(env, scratch);
      } finally {
        rmSync(scratch, { recursive: true, force: true });
      }
    });
}

/** Here a mistake is told before anything is sent. Throws UsageError. */
export function checkTarget(env: NodeJS.ProcessEnv): void {
  clearReports(reportDir(env));
  if ('MRS_BASE_URL' in env) readTarget(env, readProfile(env.MRS_CONTRACT));
  else readEmbedded(env);
}

async function rehearse(env: NodeJS.ProcessEnv): Promise<void> {
  const { tellPlan } = await import('../../tests/server/probe/dry-run.ts');
  const profile = readProfile(env.MRS_CONTRACT);
  if ('MRS_BASE_URL' in env) return console.log(await tellPlan(readTarget(env, profile), profile));
  const mock = await startEmbeddedMock(env);
  console.log(await tellPlan(readTarget({ ...env, ...mock.variables }, profile), profile));
  await mock.close();
}

/**
 * The exit code is what the run itself left as its own, at its end. Playwright exits with 1 when it breaks down, and
 * a deployment is nonconformant only where a run that came to its end says so.
 */
export async function runSuite(env: NodeJS.ProcessEnv, scratch: string): Promise<number> {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const config = fileURLToPath(
    new URL(`../../playwright.config${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
  );
  const run = spawn(process.execPath, [playwright, 'test', '--config', config], {
    env: { ...env, MRS_SCRATCH: scratch },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'], // The run ends when this process is gone.
  });
  // Prism takes a second to load, which Playwright takes too.
  const mock = 'MRS_BASE_URL' in env ? undefined : startEmbeddedMock(env);
  mock?.catch(() => run.kill());
  run.on('message', (asked) => {
    if (asked === ASKS_FOR_MOCK) mock?.then(({ variables }) => run.send(variables)).catch(() => {});
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => run.kill(signal));
  const code = await new Promise<number | null>((resolve) =>
    run.on('close', resolve).on('error', () => resolve(null)),
  );
  await (await mock)?.close();
  const own = join(scratch, 'exit-code');
  if (existsSync(own)) return Number(readFileSync(own, 'utf8'));
  console.error(
    `The run broke down before its end (${code === null ? 'it was killed' : `exit code ${code}`}).`,
  );
  return exitCodes.error;
}
