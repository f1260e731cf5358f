/** The kinds of overrides, by what they decorate. */
import type { IncomingMessage } from 'node:http';
import type { Answer, OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/operation.ts';
import type { Asked } from '../pipeline/hooks.ts';
import type { Client } from '../state/clients.ts';
import type { Tokens } from '../state/tokens.ts';
import type { Reply } from '../wire/reply.ts';
import type { Override } from './deployment.ts';
import type { Change } from './reply-edits.ts';

/** What is owed `answer` gets `other`. */
export const substituteAnswer =
  (answer: Answer, other: Answer): Override =>
  ({ owed }) => ({
    owed(call) {
      const own = owed(call);
      return own === answer ? other : own;
    },
  });

/** Changes every reply. */
export const mapReply =
  (change: (reply: Reply, asked: Asked) => Reply | Promise<Reply>): Override =>
  ({ finish }) => ({
    finish: async (reply, asked) => change(await finish(reply, asked), asked),
  });

/** Changes the reply to what is owed one of these answers. */
export const mapReplyTo = (to: Answer | readonly Answer[], change: Change): Override => {
  const answers = [to].flat();
  return mapReply((reply, { owed }) => (owed && answers.includes(owed) ? change(reply) : reply));
};

/** Changes the reply to the requests for one operation that are so. */
export const mapOperation = (
  operation: OperationId,
  change: Change,
  when: (request: IncomingMessage) => boolean = () => true,
): Override =>
  mapReply((reply, { owed, request }) =>
    owed?.operation === operation && when(request) ? change(reply) : reply,
  );

/** Changes the form of a token request before it is judged; `client` is the first of the mock. */
export const editForm =
  (change: (form: URLSearchParams, client: Client) => void): Override =>
  ({ state, form }) => ({
    form(text) {
      const fields = new URLSearchParams(form(text));
      const [client] = state.clients.list();
      if (client) change(fields, client);
      return fields.toString();
    },
  });

/** Decorates how tokens are issued and recognised. */
export const wrapTokens =
  (change: (tokens: Tokens) => Partial<Tokens>): Override =>
  ({ tokens }) => ({ tokens: { ...tokens, ...change(tokens) } });

/** Gives tokens another shape, out of which `core` takes what the mock issued. */
export const encodeToken = (shape: (issued: string) => string, core: (token: string) => string): Override =>
  wrapTokens((tokens) => ({
    issue: (order) => shape(tokens.issue(order)),
    find: (token) => (shape(core(token)) === token ? tokens.find(core(token)) : { standing: 'unknown' }),
  }));

/** Changes at which methods and paths an operation is. */
export const moveOperation =
  (id: OperationId, change: (operation: Operation) => Operation | Operation[]): Override =>
  ({ contract }) => ({
    contract: {
      ...contract,
      operations: contract.operations.flatMap((one) => (one.id === id ? change(one) : one)),
    },
  });
