/** Runs the suite, by Playwright in a process of its own, against the deployment that the variables name. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clearReports } from '../../tests/report/report-directory.ts';
import { readTarget, reportDir } from '../../tests/server/probe/target.ts';
import {
  createRunFolder,
  type HandOver,
  removeRunFolder,
  runVariables,
} from '../../tests/server/run/hand-over.ts';
import { profileIn } from '../../tests/server/support/declared.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { ASKS_FOR_MOCK, readEmbedded, startEmbeddedMock } from './embedded-mock.ts';

/** Throws UsageError for a mistake in `env`, before anything is sent. */
export function checkTarget(env: NodeJS.ProcessEnv, contract: HandOver['contract']): void {
  if ('MRS_BASE_URL' in env) readTarget(env, contract && profileIn(contract));
  else readEmbedded(env);
}

/**
 * Removes the reports of an earlier run. The exit code is the one that the run reports at its end: Playwright exits with 1
 * when it breaks down, and a deployment is nonconformant only where a run that came to its end says so.
 */
export async function runSuite(env: NodeJS.ProcessEnv, handOver: HandOver): Promise<number> {
  clearReports(reportDir(env));
  const folder = createRunFolder({ ...handOver, bundledMock: !('MRS_BASE_URL' in env) });
  try {
    return await runIn(folder, env);
  } finally {
    removeRunFolder(folder);
  }
}

async function runIn(folder: string, env: NodeJS.ProcessEnv): Promise<number> {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const config = fileURLToPath(
    new URL(`../../playwright.config${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
  );
  const run = spawn(process.execPath, [playwright, 'test', '--config', config], {
    env: { ...env, ...runVariables(folder) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'], // The run ends when this process is gone.
  });
  // Prism takes a second to load, which Playwright takes too.
  const mock = 'MRS_BASE_URL' in env ? undefined : startEmbeddedMock(env);
  mock?.catch(() => run.kill());
  let reported: number | undefined;
  run.on('message', (message: unknown) => {
    if (message === ASKS_FOR_MOCK) mock?.then(({ variables }) => run.send(variables)).catch(() => {});
    else reported = (message as { exitCode?: number }).exitCode;
  });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, () => run.kill(signal));
  const code = await new Promise<number | null>((resolve) =>
    run.on('close', resolve).on('error', () => resolve(null)),
  );
  await (await mock)?.close();
  if (reported !== undefined) return reported;
  const how = code === null ? 'it was killed' : `exit code ${code}`;
  console.error(`The run ended before it was finished (${how}).`);
  return exitCodes.error;
}
