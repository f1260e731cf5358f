/** What goes back to the client, whole; and the three replies that no contract documents. */
import type { Negotiated } from '../engine/prism-engine.ts';
import type { Route } from '../pipeline/routes.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** The reply to a request that asks for no operation. */
export function noOperation(route: Exclude<Route, { kind: 'operation' }>): Reply {
  return route.kind === 'no-path'
    ? failure(404, 'not_found', `There is nothing at ${route.path}. ${whereElse(route)}`)
    : failure(
        405,
        'method_not_allowed',
        `${route.path} does not answer ${route.method}, but ${route.allow}.`,
        {
          allow: route.allow,
        },
      );
}

const whereElse = ({ path, nearest }: Extract<Route, { kind: 'no-path' }>): string =>
  path.includes('/__mock')
    ? 'The control of the mock, if it has one, is at /__mock, before every base path.'
    : `The nearest path is ${nearest}.`;

/** The reply when the mock itself fails. What went wrong is for the mock's operator, not for the wire. */
export const fault = (): Reply =>
  failure(
    500,
    'server_error',
    'The mock failed to answer. The fault is its own, and its operator can see it.',
  );

/** The token endpoint's success, with a token in it; it must not be stored (RFC 6749 section 5.1). */
export function withToken({ status, headers, body }: Negotiated, token: string): Reply {
  return json(
    status,
    { ...structuredClone(body as object), token },
    { ...headers, 'cache-control': 'no-store' },
  );
}

/** A refusal, in the shape of the contract's error answers. */
export const failure = (
  status: number,
  error: string,
  sentence: string,
  headers: Record<string, string> = {},
): Reply =>
  json(status, { error, error_description: sentence }, { 'content-type': 'application/json', ...headers });

export function json(status: number, body: object, headers: Record<string, string>): Reply {
  const bytes = Buffer.from(JSON.stringify(body));
  return { status, bytes, headers: { ...headers, 'content-length': String(bytes.length) } };
}
