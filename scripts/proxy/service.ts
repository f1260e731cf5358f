/** Connections to the service: one for each of a client, so that both end and are reused alike. */
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { connect, connectDirectly, contextTrusting } from '../../tests/server/probe/connection.ts';

/** `authorities` are PEM certificates that are trusted in addition to those that Node.js trusts. */
export function createService(baseUrl: string, authorities: readonly string[] = []) {
  const url = new URL(baseUrl);
  const trust = authorities.length > 0 ? contextTrusting(authorities) : undefined;
  const mayBeTunneled = Object.keys(process.env).some((name) => /_proxy$/i.test(name));
  const agents = new WeakMap<Socket, Agent>();
  /** Both ends of each connection to the service: connections to two addresses may come from one port. */
  const own = new Set<string>();

  function noted(socket: Socket): Socket {
    const remember = () => {
      const ends = `${endOf(socket.localAddress, socket.localPort)} ${endOf(socket.remoteAddress, socket.remotePort)}`;
      own.add(ends);
      socket.once('close', () => own.delete(ends));
    };
    if (socket.connecting) socket.once('connect', remember);
    else remember();
    return socket.setNoDelay(true);
  }

  /** Whether a connection of a client is one of the proxy itself. A loop that rewrites addresses is not seen. */
  const isOwn = ({ localAddress, localPort, remoteAddress, remotePort }: Socket): boolean =>
    own.has(`${endOf(remoteAddress, remotePort)} ${endOf(localAddress, localPort)}`);

  function agentFor(client: Socket): Agent {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const gone = new AbortController();
    // In its place, so that TLS and the proxies of the environment are as for mrs verify.
    Object.assign(agent, {
      createConnection(_: object, done: (error: Error | null, socket?: Socket) => void) {
        // At once where that is possible: the agent counts only connections that it has.
        if (!mayBeTunneled) return noted(connectDirectly(url, trust));
        connect(url, gone.signal, trust).then((socket) => done(null, noted(socket)), done);
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
    /** To be called with each connection to the service. */
    noted,
    /** Without a slash at its end. */
    baseUrl,
    /** Of the header Host. */
    host: url.host,
    /** Without a slash at its end; empty for none. */
    basePath: url.pathname === '/' ? '' : url.pathname,
    /** For the requests of one connection of a client; undefined for one of the proxy itself. */
    agentOf: (client: Socket): Agent | undefined =>
      agents.get(client) ?? (isOwn(client) ? undefined : agentFor(client)),
  };
}

/** A server that listens everywhere sees addresses of IPv4 as some of IPv6. */
const endOf = (address = '', port = 0): string => `${address.replace(/^::ffff:/, '')} ${port}`;
