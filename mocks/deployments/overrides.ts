/** The kinds of overrides, by the part of the mock that they replace. */
import type { IncomingMessage } from 'node:http';
import type { Client } from '../clients.ts';
import type { Answer, OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/document.ts';
import type { Reply } from '../http.ts';
import type { ReplyContext } from '../pipeline/hooks.ts';
import type { Tokens } from '../tokens.ts';
import type { Override } from './deployment.ts';
import type { Change } from './reply-edits.ts';

/** Applies one override after another: a later one changes what an earlier one has made. */
export const combine =
  (...overrides: readonly Override[]): Override =>
  (parts) => {
    let combined = parts;
    for (const override of overrides) combined = { ...combined, ...override(combined) };
    return combined;
  };

/** Answers with `other` where the contract requires `answer`. */
export const substituteAnswer =
  (answer: Answer, other: Answer): Override =>
  ({ selectAnswer }) => ({
    selectAnswer(call) {
      const expected = selectAnswer(call);
      return expected === answer ? other : expected;
    },
  });

/** Selects calls of one kind by their number in this mock, from 1. */
export type Nth = (nth: number) => boolean;

/** The same for some of the calls. */
export const substituteSome =
  (answer: Answer, other: Answer, when: Nth): Override =>
  ({ selectAnswer }) => {
    let nth = 0;
    return {
      selectAnswer(call) {
        const expected = selectAnswer(call);
        return expected === answer && when(++nth) ? other : expected;
      },
    };
  };

/** Changes every reply. */
export const mapReply =
  (change: (reply: Reply, context: ReplyContext) => Reply | Promise<Reply>): Override =>
  ({ finish }) => ({
    finish: async (reply, context) => change(finish ? await finish(reply, context) : reply, context),
  });

/** Changes the reply if the contract requires one of these answers. */
export const mapReplyTo = (to: Answer | readonly Answer[], change: Change): Override => {
  const answers = [to].flat();
  return mapReply((reply, { expected }) => (expected && answers.includes(expected) ? change(reply) : reply));
};

/** The same for some of the replies. */
export const mapSomeRepliesTo =
  (to: Answer | readonly Answer[], change: Change, when: Nth): Override =>
  (parts) => {
    let nth = 0;
    return mapReplyTo(to, (reply) => (when(++nth) ? change(reply) : reply))(parts);
  };

/** Changes the reply to requests for one operation that satisfy `when`. */
export const mapOperation = (
  operation: OperationId,
  change: Change,
  when: (request: IncomingMessage) => boolean = () => true,
): Override =>
  mapReply((reply, { expected, request }) =>
    expected?.operation === operation && when(request) ? change(reply) : reply,
  );

/** Changes the form of a token request before it is validated; `client` is the mock's first client. */
export const mapForm =
  (change: (form: URLSearchParams, client: Client) => void): Override =>
  ({ state, editForm }) => ({
    editForm(text) {
      const fields = new URLSearchParams(editForm(text));
      const [client] = state.clients.list();
      if (client) change(fields, client);
      return fields.toString();
    },
  });

/** Replaces functions that issue and find tokens. */
export const wrapTokens =
  (change: (tokens: Tokens, now: () => number) => Partial<Tokens>): Override =>
  ({ tokens, state }) => ({ tokens: { ...tokens, ...change(tokens, state.clock.now) } });

/** Whether a token is valid, decided each time by how long it has been over, in its client's own time. */
export const agedTokens = (
  isValid: (sinceExpiryMs: number, lifetimeMs: number, nth: number) => boolean,
): Override =>
  wrapTokens((tokens, now) => {
    let nth = 0;
    return {
      find(token) {
        const found = tokens.find(token);
        const { issued } = found;
        if (!issued || found.status === 'unknown') return found;
        const since = now() + issued.client.aheadMs + issued.client.skewMs - issued.expiresAt;
        const valid = isValid(since, issued.expiresAt - issued.issuedAt, ++nth);
        return { ...found, status: valid ? 'valid' : 'expired' };
      },
    };
  });

/** Encodes each issued token with `encode`; `decode` gets it back. */
export const encodeToken = (
  encode: (issued: string) => string,
  decode: (token: string) => string,
): Override =>
  wrapTokens((tokens) => ({
    issue: (options) => encode(tokens.issue(options)),
    find: (token) => (encode(decode(token)) === token ? tokens.find(decode(token)) : { status: 'unknown' }),
  }));

/** Changes the methods and paths of an operation. */
export const moveOperation =
  (id: OperationId, change: (operation: Operation) => Operation | Operation[]): Override =>
  ({ contract }) => ({
    contract: {
      ...contract,
      operations: contract.operations.flatMap((one) => (one.id === id ? change(one) : one)),
    },
  });
