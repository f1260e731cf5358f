/** The service behind the proxy, and connections to it: one for each of a client, so that both end and are reused alike. */
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { connect, connectDirectly, contextTrusting, proxyFor } from '../../tests/server/probe/connection.ts';

export interface Service {
  /** The base URL, without a slash at its end. */
  baseUrl: string;
  /** Of the header Host. */
  host: string;
  /** The base path, without a slash at its end; empty for none. */
  basePath: string;
  /** For the requests of one connection of a client. */
  agentOf(client: Socket): Agent;
  /** Whether a connection of a client is one of the proxy itself. */
  has(client: Socket): boolean;
}

/** `authorities` are PEM certificates that are trusted in addition to those that Node.js trusts. */
export function createService(baseUrl: string, authorities: readonly string[] = []): Service {
  const url = new URL(baseUrl);
  const trust: SecureContext | undefined = authorities.length > 0 ? contextTrusting(authorities) : undefined;
  const isTunneled = isThroughProxy(url);
  const own = createOwnConnections();
  const agents = new WeakMap<Socket, Agent>();

  function agentFor(client: Socket): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const gone = new AbortController();
    // In its place, so that TLS and the proxies of the environment are as for mrs verify.
    Object.assign(agent, {
      createConnection(_: object, done: (error: Error | null, socket?: Socket) => void) {
        // At once where that is possible: the agent counts only connections that it has.
        if (!isTunneled) {
          const socket = connectDirectly(url, trust).setNoDelay(true);
          own.note(socket);
          return socket;
        }
        connect(url, gone.signal, trust).then(
          (socket) => done(null, socket.setNoDelay(true)),
          (error: Error) => done(error),
        );
        return undefined;
      },
    });
    client.once('close', () => {
      gone.abort();
      agent.destroy();
    });
    agents.set(client, agent);
    return agent;
  }

  return {
    baseUrl,
    host: url.host,
    basePath: url.pathname.replace(/\/+$/, ''),
    has: own.has,
    agentOf: (client) => agents.get(client) ?? agentFor(client),
  };
}

/** An invalid proxy in the environment is reported for each request. */
function isThroughProxy(url: URL): boolean {
  try {
    return proxyFor(url) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Connections to the service, known by both ends: connections to two addresses may come from one port. A loop that
 * rewrites addresses is not seen here.
 */
export function createOwnConnections() {
  const open = new Set<string>();
  return {
    /** To be called with each connection to the service. */
    note(socket: Socket): void {
      const noted = () => {
        const ends =
          endOf(socket.localAddress, socket.localPort) + endOf(socket.remoteAddress, socket.remotePort);
        open.add(ends);
        socket.once('close', () => open.delete(ends));
      };
      if (socket.connecting) socket.once('connect', noted);
      else noted();
    },
    has: ({ localAddress, localPort, remoteAddress, remotePort }: Socket): boolean =>
      open.has(endOf(remoteAddress, remotePort) + endOf(localAddress, localPort)),
  };
}

/** A server that listens everywhere sees addresses of IPv4 as some of IPv6. */
const endOf = (address = '', port = 0): string => `${address.replace(/^::ffff:/, '')} ${port} `;
