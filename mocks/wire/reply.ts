/** What is sent to the client, and the replies that no contract documents. */

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

/** A reply from the contract, ready to send. */
export interface Negotiated extends Reply {
  /** The contract's own example object: clone it before changing it. */
  readonly body: unknown;
}

/** The reply when the mock itself fails. The cause is for the mock's operator only. */
export const fault = (): Reply =>
  failure(
    500,
    'server_error',
    'The mock failed because of an internal error. Its operator can see the cause.',
  );

/** The token endpoint's success, with the token. It must not be cached (RFC 6749 section 5.1). */
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
