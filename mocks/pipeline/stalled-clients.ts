/** Clients that ask and do not read what they are answered. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Cuts off each connection that takes nothing of what waits for it for `stallMs`, or up to twice as long. One look at
 * all of them from time to time: a timer for each would have to be wound up with every request. An answer that is
 * still to be given, and so has nothing to be read yet, may take its time.
 */
export function dropStalledConnections(server: Server, stallMs: number): void {
  const taken = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    taken.set(socket, -1);
    socket.once('close', () => taken.delete(socket));
  });
  const look = setInterval(() => {
    for (const [socket, before] of taken) {
      const now = socket.writableLength > 0 ? socket.bytesWritten - socket.writableLength : -1;
      if (now !== -1 && now === before) socket.destroy();
      else taken.set(socket, now);
    }
  }, stallMs).unref();
  server.once('close', () => clearInterval(look));
}
