/** Content codings of an answer. */
import { codingsIn, decoderOf } from '../../../traffic/content-coding.ts';
import { Failure } from './failure.ts';

const MOST_CODINGS = 2;

/** In the order in which the lines of Content-Encoding list them. Throws Failure for one that is not accepted. */
export function acceptedCodings(lines: readonly string[]): string[] {
  const codings = codingsIn(lines);
  const unknown = codings.find((name) => !decoderOf(name));
  if (unknown === undefined && codings.length <= MOST_CODINGS) return codings;
  throw new Failure(
    `sent a content coding that is not accepted: ${(unknown ?? codings.join(', ')).slice(0, 100)}`,
  );
}

/** `body` with `codings` removed. Throws Failure where that, or a step on the way, takes more than `limit` bytes. */
export async function decode(body: Buffer, codings: readonly string[], limit: number): Promise<Buffer> {
  if (body.length === 0) return body; // No content is complete, whatever codings are named.
  try {
    let decoded = body;
    for (const coding of codings.toReversed())
      decoded = (await decoderOf(coding)?.decode(decoded, { maxOutputLength: limit })) ?? decoded;
    return decoded;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit);
    throw new Failure(
      code === 'Z_BUF_ERROR'
        ? 'sent a body that ends before its content coding does'
        : 'sent a body that does not decode by its content coding',
    );
  }
}

export const tooLarge = (limit: number): Failure =>
  new Failure(`sent a body of more than ${limit / 1024} KiB`);
