/** Where a deployment can make the mock deviate from the contract on purpose: see deployments/behaviour.ts. */
import type { IncomingMessage } from 'node:http';
import { type Call, expectedAnswer } from '../condition.ts';
import type { Answer } from '../contract/answers.ts';
import type { Reply } from '../http.ts';

export interface Hooks {
  /** Edits the body of a token request before it is validated. */
  editForm(text: string): string;
  /** Selects the answer to a request. */
  selectAnswer(call: Call): Answer;
  /** Edits the reply before it is sent; undefined: it is sent as it is. */
  finish: ((reply: Reply, context: ReplyContext) => Reply | Promise<Reply>) | undefined;
}

/** What a reply responds to. */
export interface ReplyContext {
  request: IncomingMessage;
  /** Undefined if the request matched no operation. */
  expected: Answer | undefined;
}

/** The hooks of a mock that follows the contract. */
export const plainHooks: Hooks = {
  editForm: (text) => text,
  selectAnswer: expectedAnswer,
  finish: undefined,
};
