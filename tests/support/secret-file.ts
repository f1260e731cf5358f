/** The file that holds the client secret (MRS_CLIENT_SECRET_FILE, --client-secret-file). */
import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** The secret, without the line end after it. Throws UsageError for a file that cannot be read, or is empty. */
export function readSecretFile(file: string): string {
  const secret = contentOf(file).replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new UsageError(`The client secret file "${file}" is empty. Write the secret into it.`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The client secret file "${file}" cannot be read (${code}). Name a file you can read.`,
    );
  }
}
