/** Turns the selected answer into a reply: the contract's example with a token or the records. */
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Engine } from '../engine/prism-engine.ts';
import { createFill, type Records } from '../records/fill.ts';
import type { Client } from '../state/clients.ts';
import { withinCalendar } from '../state/clock.ts';
import type { TriggeredSteps } from '../state/script.ts';
import type { State } from '../state/state.ts';
import type { IssuedToken, Tokens } from '../state/tokens.ts';
import { type Reply, withToken } from '../wire/reply.ts';
import type { ResolvedRequest } from './resolve-request.ts';

export interface ReplyParts {
  engine: Engine;
  state: State;
  tokens: Tokens;
  /** Absent if the data is the contract's example. */
  records?: Records;
}

/** The result of a request. */
export interface Outcome {
  reply: Reply;
  /** Name of the contract's example, or what else was answered: `script`, `preflight`, `no-path` or `no-method`. */
  reason: string;
  operation: OperationId | undefined;
  /** The answer that the contract requires; a script may have replaced it. */
  expected: Answer | undefined;
  client: Client | undefined;
  /** The token that the request carried, or that was issued. */
  issued: IssuedToken | undefined;
  /** The steps of the client's script that the request triggered. */
  triggered: TriggeredSteps | undefined;
  /** Names of the form fields. */
  fields: readonly string[] | undefined;
}

export interface ReplyBuilder {
  /** Replies with `answer`. A token request gets a new token, or `reuse` if that was the last one it got. */
  build(resolved: ResolvedRequest, answer: Answer, reuse?: IssuedToken): Outcome;
  /** Puts the current records into a reply that holds the contract's example of them. */
  fill(reply: Reply, client: Client | undefined): Reply;
}

export function createReplyBuilder({ engine, state, tokens, records }: ReplyParts): ReplyBuilder {
  const fillAt = createFill(records, engine.negotiated(answers.served));
  /** The token that each client was last given, as a deployment may have encoded it. */
  const lastTokens = new WeakMap<Client, { value: string; token: string }>();

  /** Puts the current records into a reply, for the time that its Date header shows. */
  const fill = (reply: Reply, client: Client | undefined): Reply =>
    fillAt(reply, () => withinCalendar(state.timeOf(client) + (client?.skewMs ?? 0)));

  function issueToken(
    outcome: Outcome,
    client: Client,
    answer: Answer,
    reuse: IssuedToken | undefined,
  ): void {
    const last = lastTokens.get(client);
    const token =
      last && reuse?.value === last.value
        ? last.token
        : tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) });
    outcome.reply = withToken(engine.negotiated(answer), token);
    outcome.issued = tokens.newestOf(client);
    if (outcome.issued) lastTokens.set(client, { value: outcome.issued.value, token });
  }

  return {
    fill,
    build({ call, client, issued, fields }, answer, reuse) {
      const outcome: Outcome = {
        reply: fill(engine.negotiated(answer), client),
        reason: answer.example,
        operation: call.operation,
        expected: answer,
        client,
        issued,
        triggered: undefined,
        fields,
      };
      if (answer === answers.issued && client) issueToken(outcome, client, answer, reuse);
      return outcome;
    },
  };
}
