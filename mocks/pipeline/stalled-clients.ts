/** Clients that send requests and do not read the answers. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes each connection whose client has read nothing of what is waiting for it for `stallMs`, or up to twice as long.
 * All connections are checked at intervals: a timer for each would have to be reset with every request. A connection
 * that waits for its answer has nothing to read yet, and stays open.
 */
export function dropStalledConnections(server: Server, stallMs: number): void {
  const bytesRead = new Map<Socket, number>();
  server.on('connection', (socket: Socket) => {
    bytesRead.set(socket, -1);
    socket.once('close', () => bytesRead.delete(socket));
  });
  const check = setInterval(() => {
    for (const [socket, before] of bytesRead) {
      const now = socket.writableLength > 0 ? socket.bytesWritten - socket.writableLength : -1;
      if (now !== -1 && now === before) socket.destroy();
      else bytesRead.set(socket, now);
    }
  }, stallMs).unref();
  server.once('close', () => clearInterval(check));
}
