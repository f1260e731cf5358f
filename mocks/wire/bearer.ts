/** The content of the `Authorization` header. */
export type Bearer = { kind: 'missing' } | { kind: 'malformed' } | { kind: 'token'; token: string };

// The scheme is case-insensitive (RFC 9110 section 11.1), and a b64token follows (RFC 6750 section 2.1).
const BEARER = /^bearer +([\w.~+/-]+=*)$/i;

/** Reads the value of `Authorization`; `undefined` if the request has no such header. */
export function readBearer(authorization: string | undefined): Bearer {
  if (authorization === undefined) return { kind: 'missing' };
  const token = BEARER.exec(authorization)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}
