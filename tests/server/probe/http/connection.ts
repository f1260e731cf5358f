/** A connection to a deployment, through a proxy where the environment names one. */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectSecure, type SecureContext } from 'node:tls';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../../../support/loopback.ts';
import { Failure, failureOf } from './failure.ts';

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
export function proxyFor(url: URL): URL | undefined {
  if (isLoopback(url.href)) return undefined;
  const named = getProxyForUrl(url.href) || getProxyForUrl(`http://${url.hostname}:${portOf(url)}`);
  if (!named) return undefined;
  const proxy = URL.canParse(named) ? new URL(named) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  // The value may hold a password, and is not repeated.
  throw new Failure('cannot be reached: HTTP_PROXY or HTTPS_PROXY does not hold an http or https URL');
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
    throw new Failure(`cannot be reached: the proxy ${proxy.host} ${failureOf(error)}`);
  }
}
