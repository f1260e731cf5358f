/** A mock that is there to be abused, and the raw connections to it. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { demoClient } from '../clients.ts';
import { createClock } from '../clock.ts';
import { loadContract } from '../contract/contract.ts';
import { createControl } from '../control.ts';
import { engineFor } from '../prism.ts';
import { createRandom } from '../random.ts';
import { createMockServer } from '../server.ts';
import { createState } from '../state.ts';
import type { Tokens } from '../tokens.ts';
import { type Answered, answersIn, isOwn } from './answers-on-wire.ts';
import type { Answer } from './documented.ts';
import { EXPIRED, KEY, LIVE } from './good-requests.ts';

/** What came back over one connection. */
export interface Exchange {
  /** What the mock answered, beside the request as it was shown to the mock. */
  answered: Answer[];
  /** What Node.js answered in the mock's place. */
  refused: Answered[];
  /** How many requests that are no broken ones have no answer. */
  lost: number;
}

export interface Victim extends AsyncDisposable {
  /** Exceptions inside the mock. */
  readonly faults: readonly unknown[];
  /** Sends all but the last together; and when they are answered the last, with the end of the connection. */
  exchange(volley: readonly string[]): Promise<Exchange>;
}

export async function startVictim(): Promise<Victim> {
  const contract = loadContract();
  const faults: unknown[] = [];
  const state = createState({
    contract,
    clock: createClock(),
    random: createRandom('a seed'),
    clients: [demoClient],
    tokenLifetime: 900,
    scenarios: true,
    journalSize: 10_000,
  });
  const http = createMockServer({
    contract,
    engine: await engineFor(contract),
    state,
    tokens: withKnown(state.tokens),
    control: createControl({ contract, state, key: KEY, host: '127.0.0.1', basePath: '' }),
    basePath: '',
    explain: true,
    onFault: (error) => faults.push(error),
  });
  const shown = new Map<number | undefined, IncomingMessage[]>();
  http.on('request', (request) => shown.get(request.socket.remotePort)?.push(request));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;

  async function exchange(volley: readonly string[]): Promise<Exchange> {
    const last = volley.at(-1) ?? '';
    const before = volley.length - 1;
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.on('error', () => {}); // a reset ends the exchange as well; what came before it counts
    await once(socket, 'connect');
    const { localPort } = socket;
    const requests: IncomingMessage[] = [];
    shown.set(localPort, requests);
    let text = '';
    const answers = () =>
      answersIn(
        text,
        requests.map(({ method = '' }) => method),
      );
    socket.on('data', (part) => {
      text += part;
      if (!socket.writableEnded && answers().length >= before) socket.end(last, 'latin1');
    });
    if (before > 0) socket.write(volley.slice(0, -1).join(''), 'latin1');
    else socket.end(last, 'latin1');
    await once(socket, 'close');
    shown.delete(localPort);
    const all = answers();
    const own = all.filter(isOwn);
    return {
      answered: own.map((answer, at) => {
        const { method = '', url = '' } = requests[at] ?? {};
        return { ...answer, method, target: url };
      }),
      refused: all.filter((answer) => !isOwn(answer)),
      lost: Math.max(0, before - own.length),
    };
  }

  return {
    faults,
    exchange,
    async [Symbol.asyncDispose]() {
      http.close();
      http.closeAllConnections();
    },
  };
}

/** With a token that lives and one that has expired, the same in every run and whatever the time is. */
function withKnown(tokens: Tokens): Tokens {
  const known = new Map([
    [LIVE, { status: 'valid' }],
    [EXPIRED, { status: 'expired' }],
  ] as const);
  return { ...tokens, find: (token) => known.get(token as typeof LIVE) ?? tokens.find(token) };
}
