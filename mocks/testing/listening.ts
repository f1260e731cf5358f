/** A mock's server with limits of its own, and raw connections to it. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { demoClient } from '../clients.ts';
import { createClock } from '../clock.ts';
import { loadContract } from '../contract/contract.ts';
import { UNSEARCHED } from '../journal.ts';
import { engineFor } from '../prism.ts';
import { createMockServer, type Limits } from '../server.ts';
import { createState } from '../state.ts';

const LARGE: Limits = {
  ...{ bodyBytes: 65_536, connections: 4_000 },
  ...{ requestMs: 60_000, stallMs: 60_000 },
};

export async function listening(limits: Partial<Limits>) {
  const contract = loadContract();
  const faults: unknown[] = [];
  const state = createState({
    ...{ clock: createClock(), seed: 'a seed', clients: [demoClient] },
    ...{ tokenLifetime: 900, secrets: UNSEARCHED },
  });
  const http = createMockServer({
    ...{ contract, engine: await engineFor(contract), state, tokens: state.tokens, basePath: '' },
    onFault: (error) => faults.push(error),
    limits: { ...LARGE, ...limits },
  }).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    http,
    state,
    demo: state.clients.list()[0] as ReturnType<typeof state.addClient>,
    port,
    faults,
    /** Sends bytes, and resolves with all that came back until the end. */
    async exchange(bytes: string): Promise<string> {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('error', () => {}); // a reset ends the exchange as well; what came before it counts
      socket.write(bytes);
      await once(socket, 'close');
      return text;
    },
    /** Both ends of a new connection; one at a time. */
    async connected() {
      const accepted: Promise<Socket[]> = once(http, 'connection');
      const client = connect(port, '127.0.0.1').setEncoding('latin1');
      client.on('error', () => {}); // to be cut off is what some of them are there for
      await once(client, 'connect');
      const [served] = await accepted;
      return { client, served: served as Socket };
    },
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}
