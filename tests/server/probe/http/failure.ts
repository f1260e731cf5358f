/** Why no complete answer came, as the rest of a sentence that begins with "the deployment". */

/** Its message is such a rest. */
export class Failure extends Error {}

export function failureOf(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const { code = '', errno, rawPacket } = error as { code?: unknown; errno?: number; rawPacket?: Buffer };
  const name = String(code);
  if (name.startsWith('HPE_'))
    return rawPacket && isHttp2(rawPacket) ? HTTP2_ONLY : `sent something that is not HTTP (${name})`;
  // A server that does not offer HTTP/1.1 refuses the handshake (RFC 7301 section 3.2).
  if (/no.application.protocol/i.test((error as Error).message)) return HTTP2_ONLY;
  // Only an error of the operating system has a number: a peer that ends the connection makes none.
  if (name === 'ECONNRESET' && errno === undefined) return NO_ANSWER;
  return SENTENCES[name] ?? `could not be reached or understood (${name || (error as Error).name})`;
}

const NO_ANSWER = 'closed the connection without an answer';
const RESET = 'reset the connection';
/** The connection ended after the head of an answer: part of its body may have come. */
export const INCOMPLETE = 'closed the connection before its answer was complete';

/** Whether a deployment ended the connection instead of an answer; `failure` is what `failureOf` returned. */
export const isHangUp = (failure: string): boolean => failure === RESET || failure === NO_ANSWER;

const HTTP2_ONLY = 'speaks only HTTP/2: let it speak HTTP/1.1 as well, or put a gateway in front of it';

/** HTTP/2 begins with a frame of settings, of stream 0 (RFC 9113 section 3.4). */
const isHttp2 = (bytes: Buffer): boolean =>
  bytes.length >= 9 && bytes[0] === 0 && bytes[3] === 4 && bytes.readUInt32BE(5) === 0;

const ADD_CA = 'give --ca (MRS_CA) the PEM file of';

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: RESET,
  EPIPE: RESET,
  ENOTFOUND: 'has a host name that does not resolve',
  EAI_AGAIN: 'has a host name that does not resolve',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not accept the connection in time',
  ERR_INVALID_CHAR: 'issued a token that no Authorization header can carry',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `has a certificate of an unknown authority: ${ADD_CA} that authority, or let the server send its intermediate certificates`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `has a certificate of an unknown authority: ${ADD_CA} that authority`,
  SELF_SIGNED_CERT_IN_CHAIN: `has a certificate of a private authority: ${ADD_CA} that authority`,
  DEPTH_ZERO_SELF_SIGNED_CERT: `has a self-signed certificate: ${ADD_CA} that certificate`,
  CERT_HAS_EXPIRED: 'has an expired certificate: renew it (--ca does not help)',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'has a certificate for another host name: correct the base URL or the certificate (--ca does not help)',
};
