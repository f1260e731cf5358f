/** What goes back to the client, whole; and the three replies that no contract documents. */

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
