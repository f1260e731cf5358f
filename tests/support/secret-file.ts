/** A file that holds a secret, as that of the client (MRS_CLIENT_SECRET_FILE, --client-secret-file). */
import { readBounded, SECRET_BYTES } from './bounded-file.ts';
import { UsageError } from './usage-error.ts';

/**
 * The secret, without the line end after it. Throws UsageError for a file that cannot be read, or is empty; `what` names
 * the secret.
 */
export function readSecretFile(file: string, what = 'client secret'): string {
  const secret = contentOf(file, what).replace(/\r?\n$/, '');
  if (secret !== '') return secret;
  throw new UsageError(`The ${what} file "${file}" is empty. Write the secret into it.`);
}

function contentOf(file: string, what: string): string {
  try {
    return readBounded(file, SECRET_BYTES, { followsLink: true }).toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The ${what} file "${file}" cannot be read (${code}). Name a file you can read.`);
  }
}
