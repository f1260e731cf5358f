import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/**
 * A server of a test, of any protocol, on a free port until the test lets go of it. Then connections that HTTP keeps
 * are closed; others are waited for: where the other side leaves one open, the test does not end.
 */
export async function listening(server: Server, host = '127.0.0.1') {
  await once(server.listen(0, host), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      (server as { closeAllConnections?(): void }).closeAllConnections?.();
      await closed;
    },
  };
}
