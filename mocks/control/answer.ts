/** What the control answers. */
import { failure, json, type Reply } from '../wire/reply.ts';

/** What was asked for, or what is so after what was done. */
export const told = (body: object, status = 200): Reply =>
  json(status, body, { 'content-type': 'application/json', 'cache-control': 'no-store' });

/** It was done, and there is nothing to tell. */
export const done: Reply = { status: 204, headers: {}, bytes: Buffer.alloc(0) };

/** Thrown where nothing can be done; `sentence` says why, and what to do. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(status: number, error: string, sentence: string) {
    super(sentence);
    this.reply = failure(status, error, sentence);
  }
}
