/**
 * What the processes of one run hand each other: a private folder. Its name travels in a variable that is no setting;
 * it counts only where the process that set it is the parent.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Print } from '../../report/output.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import type { DraftPaths } from '../draft/observation.ts';
import { type Profile, profileIn } from '../support/declared.ts';

export interface HandOver {
  /** The contract with the profile of the run merged into it; absent where nothing is declared. */
  contract?: Record<string, unknown> | undefined;
  /** Where a draft of a profile is to be left; absent where none is. */
  draft?: DraftPaths | undefined;
  /** The draft is what the run is for: no report is printed. */
  observe?: boolean | undefined;
  /** How the report is printed; as text where nothing else is asked for. */
  print?: Print | undefined;
  /** No deployment was named: the run judges the mock of this package. */
  bundledMock?: boolean | undefined;
  /** Whether the run removes the folder at its end, since no other process will. */
  isOwn?: boolean | undefined;
}

const VARIABLE = '_MRS_RUN_FOLDER';

/** For the evidence, and for what Playwright compiles; a full disk would be a fault in the middle of a run. */
const NEEDED_BYTES = 32 * 1024 * 1024;

/** A new folder, which holds `handOver`. Throws UsageError if the temporary directory cannot be used. */
export function createRunFolder(handOver: HandOver): string {
  const folder = createTemporaryFolder('mrs-contract-', NEEDED_BYTES);
  writeFileSync(join(folder, 'run.json'), JSON.stringify(handOver));
  return folder;
}

/**
 * The variables of a child process that works on the run in `folder`. What Playwright compiles is kept there as well:
 * otherwise it goes to a folder with a well-known name that all users share. JavaScript is not compiled at all: in a
 * clone, Playwright would spend a third of each run on files that Node.js reads as they are.
 */
export const runVariables = (folder: string): NodeJS.ProcessEnv => ({
  [VARIABLE]: folder,
  PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(folder, 'compiled'),
  HOME: homeOr(folder),
  ...(IS_JAVASCRIPT && { PW_DISABLE_TS_ESM: '1' }),
});

/** Playwright breaks down where the user has no home directory, which is so for any user id in some containers. */
function homeOr(folder: string): string {
  try {
    return homedir();
  } catch {
    return folder;
  }
}

const IS_JAVASCRIPT = extname(fileURLToPath(import.meta.url)) === '.js';

/** The folder of this run; undefined where no parent process has made one. */
export const runFolder = (): string | undefined => (process.send ? process.env[VARIABLE] : undefined);

/** From now on this process and its children work on the run in `folder`. */
export function enterRun(folder: string): void {
  process.env[VARIABLE] = folder;
}

const fileIn = (name: string) => join(process.env[VARIABLE] ?? '', name);

export const readHandOver = (): HandOver => JSON.parse(readFileSync(fileIn('run.json'), 'utf8'));

/** What the deployment under test declares; undefined where that is nothing. */
export function profileOfRun(): Profile | undefined {
  const { contract } = readHandOver();
  return contract && profileIn(contract);
}

/** Where the evidence of the run is; the file is missing where the run broke down before. */
export const evidenceFile = (): string => fileIn('evidence.json');

export const removeRunFolder = (folder = process.env[VARIABLE]): void => {
  if (folder) rmSync(folder, { recursive: true, force: true });
};
