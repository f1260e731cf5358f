/**
 * Tokens that earlier runs saw accepted, kept until they have expired: a later run replays one, instead of waiting.
 * The file holds them encrypted under the client secret, so that the file is useless without the secret.
 */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { accessSync, constants, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readBounded, TEXT_BYTES } from '../../support/bounded-file.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { Target } from './target.ts';

export interface KeptToken {
  token: string;
  /** When it was obtained, in milliseconds since the epoch. */
  obtainedAt: number;
  lifetimeSeconds: number;
}

export interface Vault {
  /** The token that this client of this deployment left here, if there is one. */
  read(): KeptToken | undefined;
  write(kept: KeptToken): void;
}

interface Sealed {
  version: 1;
  salt: string;
  nonce: string;
  tag: string;
  text: string;
}

const ALGORITHM = 'aes-256-gcm';
/** A shorter tag would be one that is easier to guess. */
const TAG = { authTagLength: 16 };

/** `file` need not exist. Throws UsageError if it is something else than a vault, or cannot be read. */
export function openVault(file: string, target: Target): Vault {
  const { baseUrl, clientId, clientSecret } = target;
  if (!isWritable(dirname(file)))
    throw new UsageError(
      `The token vault ${file} is in no directory that can be written to. Name another file.`,
    );
  // A vault that another deployment or client wrote does not open.
  const owner = Buffer.from(JSON.stringify([baseUrl, clientId]));
  const keyFor = (salt: Buffer) => scryptSync(clientSecret, salt, 32);

  return {
    read() {
      const sealed = readSealed(file);
      if (!sealed) return undefined;
      const bytes = (name: 'salt' | 'nonce' | 'tag' | 'text') => Buffer.from(sealed[name], 'base64');
      try {
        const decipher = createDecipheriv(ALGORITHM, keyFor(bytes('salt')), bytes('nonce'), TAG);
        decipher.setAAD(owner).setAuthTag(bytes('tag'));
        return JSON.parse(Buffer.concat([decipher.update(bytes('text')), decipher.final()]).toString());
      } catch {
        throw new UsageError(
          `The token vault ${file} was written for another deployment, client or secret. Name another file.`,
        );
      }
    },
    write(kept) {
      const [salt, nonce] = [randomBytes(16), randomBytes(12)];
      const cipher = createCipheriv(ALGORITHM, keyFor(salt), nonce, TAG).setAAD(owner);
      const text = Buffer.concat([cipher.update(JSON.stringify(kept)), cipher.final()]);
      const parts = { salt, nonce, tag: cipher.getAuthTag(), text };
      const encoded = Object.entries(parts).map(([name, bytes]) => [name, bytes.toString('base64')]);
      // Written to a temporary file and renamed, so that a run that is killed leaves the old vault or the new one.
      const draft = `${file}.${randomBytes(6).toString('hex')}`;
      const sealed = JSON.stringify({ version: 1, ...Object.fromEntries(encoded) });
      try {
        writeFileSync(draft, sealed, { mode: 0o600, flag: 'wx' }); // Never through a link that another user left there.
        renameSync(draft, file);
      } catch (error) {
        rmSync(draft, { force: true });
        const { code } = error as NodeJS.ErrnoException;
        throw new UsageError(
          `The token vault ${file} cannot be written (${code}). Name another file, in a directory with free space.`,
        );
      }
    },
  };
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function readSealed(file: string): Sealed | undefined {
  try {
    const sealed = JSON.parse(readBounded(file, TEXT_BYTES, { followsLink: true }).toString());
    if (sealed?.version === 1) return sealed;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code)
      throw new UsageError(`The token vault ${file} cannot be read (${code}). Name a file you can read.`);
  }
  throw new UsageError(`${file} is not a token vault. Name another file; a missing file is created.`);
}
