/** The key that replicas of the mock share: from a file, or from the environment. */
import { readFileSync, statSync } from 'node:fs';
import { MAKE_KEY } from '../../mocks/state/token-key.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Undefined if none is given. Throws UsageError for a file that cannot be read. The mock refuses a key that is too short. */
export function givenTokenKey(file: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const value = env.MRS_TOKEN_KEY || undefined;
  if (file === undefined) return value;
  if (value !== undefined)
    throw new UsageError(
      'A token key is given twice, by MRS_TOKEN_KEY and by --token-key (MRS_TOKEN_KEY_FILE). Leave one of them out.',
    );
  return contentOf(file).trim();
}

function contentOf(file: string): string {
  try {
    if (statSync(file).isCharacterDevice()) throw Object.assign(new Error(), { code: 'it has no end' });
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The token key file "${file}" cannot be read (${code}). Name a file you can read, or make one: ${MAKE_KEY}`,
    );
  }
}
