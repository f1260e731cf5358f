/** The replies of the control API. */
import { failure, json, type Reply } from '../wire/reply.ts';

/** A JSON reply: what was requested, or the state after a change. */
export const jsonReply = (body: object, status = 200): Reply =>
  json(status, body, { 'content-type': 'application/json', 'cache-control': 'no-store' });

/** The reply after a change that has no content to show. */
export const noContent: Reply = { status: 204, headers: {}, bytes: Buffer.alloc(0) };

/** Thrown if a request cannot be fulfilled; `sentence` says why, and what to do. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, error: string, sentence: string) {
    super(sentence);
    this.reply = failure(status, error, sentence);
  }
}
