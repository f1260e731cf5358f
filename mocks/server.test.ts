import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import type { ConnectionOutcome } from './api.ts';
import type { Reply } from './http.ts';
import type { Delivery } from './script.ts';
import { sendEarly, sendSlowly } from './server.ts';

const BODY = '{"ods_data":[]}';
const reply: Reply = {
  status: 200,
  headers: { 'content-length': String(BODY.length), 'x-a': 'b' },
  bytes: Buffer.from(BODY),
};
const { headers } = reply;
const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const LAST = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

for (const [what, delivery] of [
  ['in one piece', { drip: { bytes: 100, every: 60 } }],
  ['in pieces', { drip: { bytes: 4, every: '1ms' } }],
  ['after a delay of less than nothing', { delay: -1 }],
  ['cut beyond its end', { cut: BODY.length + 1 }],
] as [string, Delivery][])
  test(`sent ${what}, a reply goes out whole, and the connection can be used again`, async () => {
    await using service = await serving((response) => sendSlowly(response, reply, headers, delivery));
    const { text, reset } = await service.exchange(GET + LAST);
    const [first, second] = text.split(BODY);
    expect([first, second]).toEqual([expect.stringMatching(/^HTTP\/1.1 200 OK\r\n/), expect.any(String)]);
    for (const head of [first, second])
      expect(head).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-length: 15\r\nx-a: b\r\n(.*\r\n)+\r\n$/);
    expect(text.split(BODY).length).toBe(3);
    expect([reset, await service.endings(2)]).toEqual([false, [undefined, undefined]]);
  });

for (const cut of [0, 1, 8, BODY.length - 1])
  test(`cut after ${cut} bytes, the connection ends where more are announced`, async () => {
    await using service = await serving((response) => sendSlowly(response, reply, headers, { cut }));
    const { text, reset } = await service.exchange(GET);
    expect(text).toMatch(/^HTTP\/1.1 200 OK\r\ncontent-length: 15\r\n/);
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(BODY.slice(0, cut));
    expect([reset, await service.endings(1)]).toEqual([false, ['cut']]);
  });

for (const [what, delivery] of [
  ['a delay', { delay: '1h' }],
  ['a delay beyond all timers', { delay: 1e12 }],
] as [string, Delivery][])
  test(`a client that leaves during ${what} is gone, and is not waited for`, async () => {
    await using service = await serving((response) => sendSlowly(response, reply, headers, delivery));
    await service.leave();
    expect(await service.endings(1)).toEqual(['gone']);
  });

for (const [what, delivery, text] of [
  ['reset', { reset: true }, /^HTTP\/1.1 200 OK\r\n(.*\r\n)+\r\n\{"ods_data":\[\]\}$|^$/],
  ['cut', { cut: 4 }, /\{"ods_data":\[\]\}HTTP\/1.1 200 OK\r\n(.*\r\n)+\r\n\{"od$/],
] as [string, Delivery, RegExp][])
  test(`where calls are sent without waiting, one that is ${what} ends the connection in its turn`, async () => {
    let second = () => {};
    const asked = new Promise<void>((resolve) => {
      second = resolve;
    });
    let nth = 0;
    await using service = await serving(async (response) => {
      const own = ++nth === 1 ? {} : delivery;
      if (nth === 1) await asked;
      else setImmediate(second);
      return sendSlowly(response, reply, headers, own);
    });
    expect((await service.exchange(GET + GET)).text).toMatch(text);
    expect((await service.endings(2)).toSorted()).toEqual([what, undefined]);
  });

const early = (lingerMs: number) => async (response: ServerResponse) => {
  sendEarly(response, reply, headers, lingerMs);
  return undefined;
};
const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n';
test('sent early, a reply closes the connection after a while, though the body does not come', async () => {
  await using service = await serving(early(30));
  const { text, start, ended } = await service.exchange(`${POST}01`);
  expect(text.endsWith(BODY)).toBe(true);
  expect(ended - start).toBeGreaterThanOrEqual(29);
});

/** A server that answers so. */
async function serving(answer: (response: ServerResponse) => Promise<ConnectionOutcome>) {
  const settled: ConnectionOutcome[] = [];
  let arrived = () => {};
  let asked = 0;
  let counted = () => {};
  const server = createServer(async (_: IncomingMessage, response: ServerResponse) => {
    asked++;
    counted();
    settled.push(await answer(response));
    arrived();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    /** How the first answers ended. */
    async endings(count: number): Promise<ConnectionOutcome[]> {
      while (settled.length < count)
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      return settled;
    },
    /** Sends bytes; what comes back until the end, in pieces with their times, and whether it ended in a reset. */
    async exchange(bytes: string) {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8').setNoDelay();
      const pieces: { at: number; text: string }[] = [];
      let reset = false;
      socket.on('data', (text: string) => pieces.push({ at: performance.now(), text }));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => {
        reset = code === 'ECONNRESET';
      });
      const start = performance.now();
      socket.write(bytes);
      await new Promise((resolve) => socket.once('close', resolve));
      const text = pieces.map((piece) => piece.text).join('');
      return { pieces, text, reset, start, ended: performance.now() };
    },
    /** Sends this number of requests, and disconnects once all are served, or once this many bytes have arrived. */
    async leave(requests = 1, until?: RegExp) {
      const socket = connect(port, '127.0.0.1').setEncoding('utf8');
      const served = new Promise<void>((resolve) => {
        counted = () => asked === requests && resolve();
      });
      let text = '';
      const came = new Promise<void>((resolve) =>
        socket.on('data', (piece: string) => {
          text += piece;
          if (until?.test(text)) resolve();
        }),
      );
      socket.write(GET.repeat(requests));
      await (until ? came : served);
      socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
