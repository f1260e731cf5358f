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
import { draftPlace } from './draft-paths.ts';

/** What is said of a deployment on the command line. */
export interface DeploymentOptions {
  draftProfile?: string;
  questions?: string;
  baseUrl?: string;
  profile?: string;
  clientId?: string;
  clientSecretFile?: string;
  tokenLifetime?: string;
  healthPaths?: string;
  maxWait?: string;
  tokenVault?: string;
  timeout?: string;
  bodyLimit?: string;
  baseline?: string;
  reportDir?: string;
  safe?: true;
  allowHttp?: true;
  allowUploads?: true;
  dryRun?: true;
}

export function verifyCommand(): Command {
  const command = new Command('verify')
    .summary('judge a deployment, clause by clause')
    .description(
      'Judges the deployment at MRS_BASE_URL by the Mitigation Request Service Interface ' +
        'Specification, clause by clause. Without MRS_BASE_URL it starts the mock and judges that. ' +
        'A secret is taken from the environment or from a file, never from an option.',
    )
    .allowExcessArguments(false);
  return deploymentOptions(command)
    .option('--baseline <file>', 'deviations that are accepted for a time; also MRS_BASELINE')
    .option('--dry-run', 'print the requests that a run would send, and send none')
    .addHelpText(
      'after',
      '\nMRS_EXPIRED_TOKEN: a token that has expired, for a lifetime too long to wait for.\n' +
        'MRS_MOCK_CONTROL_KEY: the key of mrs mock, whose clock is then moved instead.\n' +
        '\nExit codes: 0 conformant, 1 nonconformant, 2 error (configuration, or the suite\n' +
        'itself), 3 incomplete (a requirement could not be run).',
    )
    .action(async (options: DeploymentOptions) => {
      const scratch = mkdtempSync(join(tmpdir(), 'mrs-contract-'));
      try {
        const given = environment(options);
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

/** The options by which a command is told of a deployment, and how to treat it. */
export function deploymentOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'the deployment; also MRS_BASE_URL')
    .option('--client-id <id>', 'the client; also MRS_CLIENT_ID')
    .option('--client-secret-file <file>', 'a file that holds the secret; otherwise MRS_CLIENT_SECRET')
    .option('--profile <name|file>', 'what the deployment declares; mrs profile list; also MRS_PROFILE')
    .option('--token-lifetime <duration>', 'the agreed lifetime, 90 or 15m; also MRS_TOKEN_LIFETIME')
    .option('--health-paths <paths>', 'comma between, as /live,POST /ready; also MRS_HEALTH_PATHS')
    .option('--max-wait <duration>', 'the longest lifetime to wait for (120); also MRS_MAX_WAIT')
    .option('--token-vault <file>', 'keeps a token for a later run, encrypted; also MRS_TOKEN_VAULT')
    .option('--timeout <duration>', 'for one exchange (10); also MRS_TIMEOUT')
    .option('--body-limit <MiB>', 'of one answer, decoded (32); also MRS_BODY_LIMIT')
    .option('--report-dir <directory>', 'where reports go (reports); also MRS_REPORT_DIR')
    .option('--draft-profile <file>', 'drafts a profile of what is seen; also MRS_DRAFT_PROFILE')
    .option('--questions <file>', 'to the operator (questions.md beside it); also MRS_QUESTIONS')
    .option('--safe', 'send no wrong secret for the real client; also MRS_SAFE=1')
    .option('--allow-http', 'send the secret over plain http beyond loopback; also MRS_ALLOW_HTTP=1')
    .option('--allow-uploads', 'send files where a profile takes some; also MRS_ALLOW_UPLOADS=1');
}

/** The variables that the suite reads: those of this process, with the options on top. */
export function environment(options: DeploymentOptions): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...(options.baseUrl !== undefined && { MRS_BASE_URL: options.baseUrl }),
    ...(options.clientId !== undefined && { MRS_CLIENT_ID: options.clientId }),
    ...(options.clientSecretFile !== undefined && {
      MRS_CLIENT_SECRET_FILE: options.clientSecretFile,
    }),
    ...(options.profile !== undefined && { MRS_PROFILE: options.profile }),
    ...(options.draftProfile !== undefined && { MRS_DRAFT_PROFILE: options.draftProfile }),
    ...(options.questions !== undefined && { MRS_QUESTIONS: options.questions }),
    ...(options.allowUploads && { MRS_ALLOW_UPLOADS: '1' }),
    ...(options.tokenLifetime !== undefined && { MRS_TOKEN_LIFETIME: options.tokenLifetime }),
    ...(options.healthPaths !== undefined && { MRS_HEALTH_PATHS: options.healthPaths }),
    ...(options.maxWait !== undefined && { MRS_MAX_WAIT: options.maxWait }),
    ...(options.tokenVault !== undefined && { MRS_TOKEN_VAULT: options.tokenVault }),
    ...(options.timeout !== undefined && { MRS_TIMEOUT: options.timeout }),
    ...(options.reportDir !== undefined && { MRS_REPORT_DIR: options.reportDir }),
    ...(options.bodyLimit !== undefined && { MRS_BODY_LIMIT: options.bodyLimit }),
    ...(options.baseline !== undefined && { MRS_BASELINE: options.baseline }),
    ...(options.safe && { MRS_SAFE: '1' }),
    ...(options.allowHttp && { MRS_ALLOW_HTTP: '1' }),
  };
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
