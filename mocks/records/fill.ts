/** Puts the current records where the contract has an example of them. */
import type { Negotiated, Reply } from '../wire/reply.ts';

/** Where the body of the data comes from: a schedule or a file. */
export interface Records {
  /** The body of the data at a moment, in milliseconds since the epoch. The same buffer while the body is the same. */
  body(nowMs: number): Buffer;
}

/** Returns other replies unchanged, and the same reply for the same body. */
export type Fill = (reply: Reply, nowMs: () => number) => Reply;

export function createFill(records: Records | undefined, example: Negotiated): Fill {
  if (!records) return (reply) => reply;
  const made = new WeakMap<Buffer, Reply>();
  return (reply, nowMs) => {
    if (reply.bytes !== example.bytes) return reply;
    const bytes = records.body(nowMs());
    const filled = (of: Reply): Reply => ({
      status: of.status,
      bytes,
      headers: { ...of.headers, 'content-length': String(bytes.length) },
    });
    if (reply !== example) return filled(reply);
    const known = made.get(bytes) ?? filled(example);
    made.set(bytes, known);
    return known;
  };
}
