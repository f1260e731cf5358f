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

  function agentOf(client: Socket): Agent {
    const before = agents.get(client);
    if (before) return before;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const gone = new AbortController();
    // In its place, so that TLS and the proxies of the environment are as for mrs verify.
    Object.assign(agent, {
      createConnection(_: object, done: (error: Error | null, socket?: Socket) => void) {
        // At once where that is possible: the agent counts only connections that it has.
        if (!mayBeTunneled) return connectDirectly(url, trust).setNoDelay(true);
        connect(url, gone.signal, trust).then((socket) => done(null, socket.setNoDelay(true)), done);
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
    /** Without a slash at its end. */
    baseUrl,
    /** Of the header Host. */
    host: url.host,
    /** Without a slash at its end; empty for none. */
    basePath: url.pathname.replace(/(?<!\/)\/+$/, ''),
    /** For the requests of one connection of a client. */
    agentOf,
  };
}
