/** The secret of a client that is listened for: one that was given, or one that is drawn into a file. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSecretFile } from '../../../tests/support/secret-file.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';

export interface ListenSecret {
  value: string;
  /** Where it can be read; absent where it is only in the environment. */
  file?: string;
}

/** Takes MRS_CLIENT_SECRET or MRS_CLIENT_SECRET_FILE of `env`; else writes a new one into `folder`, readable only by its owner. */
export function listenSecret(env: NodeJS.ProcessEnv, folder: string): ListenSecret {
  const { MRS_CLIENT_SECRET: value, MRS_CLIENT_SECRET_FILE: file } = env;
  if (value && file)
    throw new UsageError('MRS_CLIENT_SECRET and MRS_CLIENT_SECRET_FILE are both set. Unset one of them.');
  if (value) return { value };
  if (file) return { value: readSecretFile(file), file };
  return draw(join(folder, 'secret'), ODD);
}

/** A form has to encode it, which is examined. */
const ODD = '+&%=';

/** A new one in a file that no other user may read. */
export function draw(file: string, suffix = ''): Required<ListenSecret> {
  const value = randomBytes(24).toString('base64url') + suffix;
  writeFileSync(file, value, { mode: 0o600, flag: 'wx' });
  return { value, file };
}
