/** What the mock has to know of a request before it can select an answer: violations, token and client. */
import type { IncomingMessage } from 'node:http';
import { answers, type OperationId } from '../contract/answers.ts';
import type { Contract } from '../contract/contract.ts';
import type { Engine, Violation } from '../engine/prism-engine.ts';
import type { Client } from '../state/clients.ts';
import type { State } from '../state/state.ts';
import type { IssuedToken, Tokens } from '../state/tokens.ts';
import { readBearer } from '../wire/bearer.ts';
import { readBody } from '../wire/body.ts';
import { andThen, type MaybePromise } from '../wire/maybe-promise.ts';
import { readForm } from '../wire/token-form.ts';
import type { Call, TokenCall } from './select-answer.ts';

export interface ResolvedRequest {
  call: Call;
  client: Client | undefined;
  /** The token that the request carries, or the newest one of the client that asks for a token. */
  issued: IssuedToken | undefined;
  /** Names of the form fields. */
  fields: readonly string[] | undefined;
  /** The bearer token as it was sent. */
  bearer: string | undefined;
}

export interface ResolverParts {
  contract: Contract;
  engine: Engine;
  state: State;
  /** The tokens of the state, or a deployment's wrapper around them. */
  tokens: Tokens;
}

/** Rejects if the client disconnects before its body has arrived. */
export type Resolver = (request: IncomingMessage, operation: OperationId) => MaybePromise<ResolvedRequest>;

/** A body longer than `bodyBytes` is not read. */
export function createResolver(
  { contract, engine, state, tokens }: ResolverParts,
  editForm: (text: string) => string,
  bodyBytes: number,
): Resolver {
  const isOpen = !contract.needsToken('readData');
  const ignoresAccept = !contract.responseRef(answers.dataNotAcceptable);

  async function tokenRequest(request: IncomingMessage): Promise<ResolvedRequest> {
    const { accept, 'content-type': contentType } = request.headers;
    const sent = await readBody(request, bodyBytes);
    if (sent === undefined) return withoutClient(TOO_LARGE);
    const body = editForm(sent);
    const violations = await engine.validate('obtainToken', { accept, contentType, body });
    const { values, complete, names: fields } = readForm(body);
    const client = state.authenticate(values.client_id, values.client_secret);
    return {
      call: { kind: 'token', operation: 'obtainToken', tooLarge: false, violations, complete, client },
      client,
      issued: client && tokens.newestOf(client),
      fields,
      bearer: undefined,
    };
  }

  function dataRequest({ headers: { accept, authorization } }: IncomingMessage) {
    const validated = ignoresAccept ? [] : engine.validate('readData', { accept });
    return andThen(validated, (violations): ResolvedRequest => {
      if (isOpen) return openRequest(violations);
      const bearer = readBearer(authorization);
      if (bearer.kind !== 'token')
        return withoutClient({ kind: 'data', operation: 'readData', token: bearer.kind, violations });
      const { status: token, issued } = tokens.find(bearer.token);
      const unscoped = issued?.client.scopes?.length === 0;
      return {
        call: { kind: 'data', operation: 'readData', token, unscoped, violations },
        client: issued?.client,
        issued,
        fields: undefined,
        bearer: bearer.token,
      };
    });
  }

  /** Readers of an open deployment do not identify themselves, so they share the script of the mock's first client. */
  const openRequest = (violations: readonly Violation[]): ResolvedRequest => ({
    ...withoutClient({ kind: 'data', operation: 'readData', token: 'valid', violations }),
    client: state.clients.list()[0],
  });

  const healthRequest = ({ headers: { accept } }: IncomingMessage) =>
    andThen(engine.validate('checkHealth', { accept }), (violations) =>
      withoutClient({ kind: 'health', operation: 'checkHealth', violations }),
    );

  return (request, operation) => {
    if (operation === 'obtainToken') return tokenRequest(request);
    return operation === 'readData' ? dataRequest(request) : healthRequest(request);
  };
}

const withoutClient = (call: Call): ResolvedRequest => ({
  call,
  client: undefined,
  issued: undefined,
  fields: undefined,
  bearer: undefined,
});

const TOO_LARGE: TokenCall = {
  kind: 'token',
  operation: 'obtainToken',
  tooLarge: true,
  violations: [],
  complete: false,
  client: undefined,
};
