/** Whether a target is the proxy itself: by its address, or since its own requests arrive at it. */
import type { Socket } from 'node:net';
import { isLoopback } from '../../../tests/support/loopback.ts';

const EVERYWHERE: readonly string[] = ['0.0.0.0', '::'];

/** Whether what listens on `port` of `host` is at the address of `target`. Names that are looked up are not compared. */
export function isItself(target: string, host: string, port: number): boolean {
  const { hostname, port: given, protocol } = new URL(target);
  if (Number(given || (protocol === 'https:' ? 443 : 80)) !== port) return false;
  const named = hostname.replace(/^\[|\]$/g, '');
  if (named === host) return true;
  const isOfThisMachine = isLoopback(target) || EVERYWHERE.includes(named);
  const isName = named === 'localhost' || host === 'localhost' || EVERYWHERE.includes(named);
  return isOfThisMachine && (EVERYWHERE.includes(host) || (isName && isLoopback(urlOf(host))));
}

const urlOf = (host: string): string => `http://${host.includes(':') ? `[${host}]` : host}`;

export interface OwnConnections {
  /** To be called with each connection to the service. */
  note(socket: Socket): void;
  /** Whether a connection of a client is one of these. */
  has(client: Socket): boolean;
}

export function createOwnConnections(): OwnConnections {
  const open = new Set<string>();
  return {
    note(socket) {
      const noted = () => {
        const ends =
          endOf(socket.localAddress, socket.localPort) + endOf(socket.remoteAddress, socket.remotePort);
        open.add(ends);
        socket.once('close', () => open.delete(ends));
      };
      if (socket.connecting) socket.once('connect', noted);
      else noted();
    },
    // Both ends: connections to two addresses may come from one port. A loop that rewrites addresses is not seen here.
    has: ({ localAddress, localPort, remoteAddress, remotePort }) =>
      open.has(endOf(remoteAddress, remotePort) + endOf(localAddress, localPort)),
  };
}

/** A server that listens everywhere sees addresses of IPv4 as some of IPv6. */
const endOf = (address = '', port = 0): string => `${address.replace(/^::ffff:/, '')} ${port} `;
