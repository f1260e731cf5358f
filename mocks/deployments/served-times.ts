/** Changes of the data that depend on the token: which one it is, and how often it has opened the data. */
import { answers } from '../contract/answers.ts';
import { readBearer } from '../http.ts';
import type { Override } from './deployment.ts';
import { combine, mapReply, wrapTokens } from './overrides.ts';
import type { Change } from './reply-edits.ts';

/** Both count from 1: the tokens that were issued, and the reads with this token. */
export type When = (token: number, read: number) => boolean;

/** Changes the data where `when` says so. */
export const mapServed =
  (when: When, change: Change): Override =>
  (parts) => {
    const numbers = new Map<string, number>();
    const reads = new Map<string, number>();
    return combine(
      wrapTokens((tokens) => ({
        issue(options) {
          const token = tokens.issue(options);
          numbers.set(token, numbers.size + 1);
          return token;
        },
      })),
      mapReply((reply, { expected, request }) => {
        const bearer = readBearer(request.headers.authorization);
        if (expected !== answers.served || bearer.kind !== 'token') return reply;
        const read = (reads.get(bearer.token) ?? 0) + 1;
        reads.set(bearer.token, read);
        return when(numbers.get(bearer.token) ?? 0, read) ? change(reply) : reply;
      }),
    )(parts);
  };
