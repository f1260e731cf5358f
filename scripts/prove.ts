/** `mrs prove`: shows that the suite finds each defect, for its own reason, and accepts what is permitted. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { listOfDeployments } from './list-deployments.ts';
import { resultFile, type Selection, selectDeployments } from './prove-selection.ts';

interface ProveOptions {
  only: string[];
  list?: true;
}

export function proveCommand(): Command {
  return new Command('prove')
    .summary('try the suite on deployments with known defects')
    .description(
      'Runs the suite against mocks that are wrong in one way each, and against mocks that differ ' +
        'only where the specification is open. Each defect must be found, for the stated reason and ' +
        'with nothing else; each variant must come out conformant. It takes about a minute.',
    )
    .option(
      '--only <name>',
      'one defect or variant; repeatable',
      (name, before: string[]) => [...before, name],
      [],
    )
    .option('--list', 'print the names, and what each does')
    .addHelpText('after', '\nExit codes: 0 the proof holds, 1 it does not, 2 it could not be carried out.')
    .allowExcessArguments(false)
    .action(async ({ only, list }: ProveOptions) => {
      const selection = selectDeployments(only);
      if (list) console.log(listOfDeployments(selection.defects, selection.variants));
      else process.exitCode = await prove(selection, only);
    });
}

async function prove(selection: Selection, only: string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'mrs-proof-'));
  try {
    const { observeAll } = await import('./prove-observe.ts'); // It brings Prism along, which takes a second.
    await observeAll(directory, selection);
    const env = { ...process.env, MRS_PROOF_DIR: directory, MRS_PROOF_ONLY: JSON.stringify(only) };
    const code = await judge(env);
    // Playwright exits with 1 when it breaks down; a proof fails only where its result says so.
    return code !== null && existsSync(resultFile(directory)) ? code : 2;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function judge(env: NodeJS.ProcessEnv): Promise<number | null> {
  const playwright = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const config = fileURLToPath(
    new URL(`./prove.config${extname(fileURLToPath(import.meta.url))}`, import.meta.url),
  );
  const run = spawn(process.execPath, [playwright, 'test', '--config', config], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal));
  return new Promise((resolve) => run.on('close', resolve));
}
