/** Where a mock can be made to do otherwise than the contract says, on purpose: see deployment.ts. */
import type { IncomingMessage } from 'node:http';
import type { Answer } from '../contract/answers.ts';
import type { Reply } from '../wire/reply.ts';
import { type Call, expectedAnswer } from './select-answer.ts';

export interface Hooks {
  /** The form of a token request as it is taken, from the form as it came. */
  form(text: string): string;
  /** Which answer a call is owed. */
  owed(call: Call): Answer;
  /** The reply as it goes out. */
  finish(reply: Reply, asked: Asked): Reply | Promise<Reply>;
}

/** What a reply is to. Without `owed`, no operation was asked for. */
export interface Asked {
  request: IncomingMessage;
  owed?: Answer;
}

/** Those of a mock that does as the contract says. */
export const plainHooks: Hooks = { form: (text) => text, owed: expectedAnswer, finish: (reply) => reply };
