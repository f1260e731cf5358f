/** The key that replicas of the mock share: from a file, or from the environment. */
import { MAKE_KEY } from '../../mocks/state/token-key.ts';
import { readBounded, SECRET_BYTES } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Undefined if none is given. Throws UsageError for a file that cannot be read. The mock refuses a key that is too short. */
export function givenTokenKey(file: string | undefined, env: NodeJS.ProcessEnv): Uint8Array | undefined {
  const value = env.MRS_TOKEN_KEY || undefined;
  if (file === undefined) return value === undefined ? undefined : bytesOf(value);
  if (value !== undefined)
    throw new UsageError(
      'A token key is given twice, by MRS_TOKEN_KEY and by --token-key (MRS_TOKEN_KEY_FILE). Leave one of them out.',
    );
  return withoutSpaceAtEnd(contentOf(file));
}

/** Node.js decodes variables, and makes one character of all bytes that are not UTF-8: different keys would be the same. */
function bytesOf(value: string): Uint8Array {
  if (!value.includes('\uFFFD')) return Buffer.from(value);
  throw new UsageError(
    `MRS_TOKEN_KEY is not valid UTF-8. Put the key into a file and name that with --token-key, or make one: ${MAKE_KEY}`,
  );
}

function contentOf(file: string): Buffer {
  try {
    return readBounded(file, SECRET_BYTES, { followsLink: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The token key file "${file}" cannot be read (${code}). Name a file you can read, or make one: ${MAKE_KEY}`,
    );
  }
}

/** Without the ASCII white space at the end, such as the line end that an editor adds. */
function withoutSpaceAtEnd(bytes: Buffer): Buffer {
  const last = bytes.findLastIndex((byte) => byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d));
  return bytes.subarray(0, last + 1);
}
