/** Makes a server listen, with errors that say what to do. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MockError } from './contract/mock-error.ts';

/** Returns the origin that clients can connect to. Throws MockError if the address cannot be used. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, port, host)));
    server.listen(port, host, resolve);
  });
  return `http://${reachable(host)}:${(server.address() as AddressInfo).port}`;
}

/** Stops listening and closes every connection. May be called again. */
export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

function listenProblem({ code, message }: NodeJS.ErrnoException, port: number, host: string): MockError {
  if (code === 'EADDRINUSE')
    return new MockError(
      `Port ${port} of ${host} is in use. Free it, or use another port; 0 picks any free port.`,
    );
  if (code === 'EACCES')
    return new MockError(`This user may not listen on port ${port} of ${host}. Use a port above 1023.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new MockError(
      `${host} is not an address of this machine. Use 127.0.0.1, or 0.0.0.0 to be reachable from outside.`,
    );
  return new MockError(`The mock cannot listen on port ${port} of ${host}: ${message}.`);
}

/** An address that clients can connect to: not a wildcard, and IPv6 in brackets. */
function reachable(host: string): string {
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return address.includes(':') ? `[${address}]` : address;
}
