/** Answers of the proxy itself, in place of the service. They are marked by Proxy-Status (RFC 9209). */
import { type ServerResponse, STATUS_CODES } from 'node:http';

export interface OwnAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** What is recorded: `injected: expires`, `not forwarded: …`. */
  what: string;
}

/** The errors of RFC 9209 section 2.3 that the proxy uses. */
export type ProxyError =
  | 'connection_refused'
  | 'dns_error'
  | 'connection_timeout'
  | 'connection_terminated'
  | 'tls_certificate_error'
  | 'tls_protocol_error'
  | 'destination_ip_unroutable'
  | 'http_protocol_error'
  | 'http_request_error'
  | 'proxy_internal_response';

const NAME = 'mrs-proxy';

export const proxyStatus = (error: ProxyError): string => `${NAME}; error=${error}`;

/** A failure in the format of the mock's errors; `sentence` says what happened and what to do. */
export const ownFailure = (status: number, error: ProxyError, sentence: string, what: string): OwnAnswer => ({
  status,
  headers: { 'content-type': 'application/json', 'proxy-status': proxyStatus(error) },
  body: Buffer.from(`${JSON.stringify({ error: 'proxy_error', error_description: sentence })}\n`),
  what,
});

/** Closes the connection afterwards if the request is still arriving. */
export function sendOwn(response: ServerResponse, { status, headers, body }: OwnAnswer): void {
  if (!response.req.complete) response.shouldKeepAlive = false;
  // With its reason: the response may have kept one of the service that cannot be sent.
  response.writeHead(status, STATUS_CODES[status], { ...headers, 'content-length': String(body.length) });
  response.end(body);
}

/** The certificate and name problems of TLS are many; the codes of the others are those of the system. */
export function errorOf(error: unknown): ProxyError {
  const { code = '' } = error as { code?: string };
  if (/^(HPE_|ERR_HTTP_|ERR_INVALID_CHAR|$)/.test(code)) return 'http_protocol_error'; // There was an answer.
  return (
    ERRORS[code] ?? (/CERT|TLS|SSL|SIGNATURE/.test(code) ? 'tls_certificate_error' : 'connection_refused')
  );
}

const ERRORS: Readonly<Record<string, ProxyError>> = {
  ENOTFOUND: 'dns_error',
  EAI_AGAIN: 'dns_error',
  ETIMEDOUT: 'connection_timeout',
  ECONNRESET: 'connection_terminated',
  EPIPE: 'connection_terminated',
  EPROTO: 'tls_protocol_error',
  EHOSTUNREACH: 'destination_ip_unroutable',
  ENETUNREACH: 'destination_ip_unroutable',
};
