/** A connection to a deployment, through a proxy where the environment names one; and why there is none. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import {
  connect as connectSecure,
  createSecureContext,
  rootCertificates,
  type SecureContext,
} from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../../support/options.ts';

/** Whether the certificates of servers are verified: Node.js has a variable to switch that off. */
export const verifiesCertificates = (env: NodeJS.ProcessEnv): boolean =>
  env.NODE_TLS_REJECT_UNAUTHORIZED !== '0';

/**
 * The connection may not be established yet: its errors are events. `trust` is for proxies too; without it, what Node.js
 * trusts counts. Throws Failure for a proxy that does not help.
 */
export async function connect(url: URL, signal: AbortSignal, trust?: SecureContext): Promise<Socket> {
  const proxy = proxyFor(url);
  if (!proxy) return connectDirectly(url, trust);
  return secured(url, await tunnel(proxy, `${url.hostname}:${portOf(url)}`, signal, trust), trust);
}

/** The same, whatever proxy the environment names. */
export const connectDirectly = (url: URL, trust?: SecureContext): Socket =>
  secured(url, connectPlain({ host: hostOf(url), port: portOf(url) }), trust);

function secured(url: URL, socket: Socket, trust: SecureContext | undefined): Socket {
  if (url.protocol !== 'https:') return socket;
  const host = hostOf(url);
  return connectSecure({
    socket,
    host,
    servername: serverName(host),
    ALPNProtocols: ['http/1.1'],
    ...(trust && { secureContext: trust }),
  });
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Of TLS: an address is not a name (RFC 6066 section 3). */
const serverName = (host: string): string => (isIP(host) ? '' : host);

/**
 * The proxy that the environment names. Proxies are for other machines. HTTP_PROXY is for https as well, where HTTPS_PROXY is not
 * set. Throws Failure for one that is invalid.
 */
function proxyFor(url: URL): URL | undefined {
  if (isLoopback(url.href)) return undefined;
  const named = getProxyForUrl(url.href) || getProxyForUrl(`http://${url.hostname}:${portOf(url)}`);
  if (!named) return undefined;
  const proxy = URL.canParse(named) ? new URL(named) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  // The value may hold a password, and is not repeated.
  throw new Failure(
    'cannot be reached: HTTP_PROXY or HTTPS_PROXY does not hold an http or https URL',
    'proxy',
  );
}

/** CONNECT (RFC 9110 section 9.3.6), for http too: so every answer is the deployment's own, and not a proxy's. */
async function tunnel(
  proxy: URL,
  authority: string,
  signal: AbortSignal,
  trust: SecureContext | undefined,
): Promise<Socket> {
  const { username, password, protocol } = proxy;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const request = (protocol === 'https:' ? secureRequest : plainRequest)(proxy.origin, {
        method: 'CONNECT',
        path: authority,
        headers: {
          host: authority,
          ...(username && {
            'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
          }),
        },
        servername: serverName(hostOf(proxy)), // Otherwise Node.js takes that of the header host.
        agent: false,
        signal,
        ...(trust && { secureContext: trust }),
      });
      request.on('error', reject);
      request.on('connect', ({ statusCode }, socket, head) => {
        if (statusCode === 200) {
          socket.unshift(head);
          return resolve(socket);
        }
        socket.destroy();
        reject(new Failure(`refused the connection (${statusCode})`));
      });
      request.end();
    });
  } catch (error) {
    throw new Failure(`cannot be reached: the proxy ${proxy.host} ${failureOf(error).message}`, 'proxy');
  }
}

// Certificate authorities that are trusted in addition to those that Node.js trusts.

/** For connections: authorities that are given to them replace those of Node.js, so those are given too. */
export const contextTrusting = (authorities: readonly string[]): SecureContext =>
  createSecureContext({ ca: trustedWith(authorities) });

export const trustedWith = (authorities: readonly string[]): string[] => [
  ...rootCertificates,
  ...extraCertificates(),
  ...authorities,
];

/** What Node.js trusts by NODE_EXTRA_CA_CERTS; it warns by itself of a file that it cannot read. */
function extraCertificates(): string[] {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  if (!file) return [];
  try {
    return certificatesIn(readFileSync(file, 'utf8')).filter(isCertificate);
  } catch {
    return [];
  }
}

export const certificatesIn = (text: string): string[] =>
  text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];

export function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

// Failures.

/** What kind of failure it was, for programs. */
export type FailureCode =
  | ('unknown-host' | 'unreachable' | 'proxy' | 'tls')
  | ('not-http' | 'hang-up' | 'timeout' | 'not-asked' | 'failure');

/** Why no complete answer came: its message is the rest of a sentence that begins with "the deployment". */
export class Failure extends Error {
  readonly code: FailureCode;
  constructor(message: string, code: FailureCode = 'failure') {
    super(message);
    this.code = code;
  }
}

export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { code = '', errno, name } = error as { code?: unknown; errno?: number; name?: string };
  const fault = String(code);
  if (fault.startsWith('HPE_')) return new Failure(`sent something that is not HTTP (${fault})`, 'not-http');
  // Only an error of the operating system has a number: a peer that ends the connection makes none.
  if (fault === 'ECONNRESET' && errno === undefined)
    return new Failure('closed the connection without an answer', 'hang-up');
  const [, kind, sentence] = FAULTS.find(([pattern]) => pattern.test(fault)) ?? [];
  if (sentence) return new Failure(sentence, kind);
  return /^(EPROTO|ERR_SSL|ERR_TLS)/.test(fault)
    ? new Failure(
        `cannot be understood over TLS (${fault}): check the scheme and the port of the base URL`,
        'tls',
      )
    : new Failure(`could not be reached or understood (${fault || name})`, 'unreachable');
}

/** By the code of Node.js. */
const FAULTS: [RegExp, FailureCode, string][] = [
  [/^(ECONNRESET|EPIPE)$/, 'hang-up', 'reset the connection'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unknown-host', 'has a host name that does not resolve'],
  [/^(EHOST|ENET)UNREACH$/, 'unreachable', 'cannot be reached'],
  [/^ECONNREFUSED$/, 'unreachable', 'refused the connection'],
  [/^ETIMEDOUT$/, 'unreachable', 'did not accept the connection in time'],
  [
    /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    'tls',
    'has a certificate that is not trusted: give --ca (MRS_CA) the PEM file of its authority',
  ],
  [/^CERT_HAS_EXPIRED$/, 'tls', 'has an expired certificate: renew it'],
  [/ALTNAME/, 'tls', 'has a certificate for another host name: correct the base URL, or renew it'],
];
