/** Clients that ask for too much of the mock at once: its memory and its connections stay within bounds. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { listening } from './listening.ts';

const MIB = 1024 * 1024;

test('a client that never reads its answers is cut off', async () => {
  await using server = await listening({ stallMs: 50 });
  const { client, served } = await server.connected();
  client.pause();
  // More than the buffers of both ends hold, in requests that end where a piece of the network's does.
  const flood = setInterval(() => client.write('GET /nowhere HTTP/1.1\r\nhost:\r\n\r\n'.repeat(2048)));
  await once(served, 'close');
  clearInterval(flood);
  client.destroy();
  expect(server.faults).toEqual([]);
});

test('a slow answer does not count as unread', async () => {
  await using server = await listening({ stallMs: 1 });
  server.state.giveScript(server.demo, [{ on: 'obtainToken', do: { delay: '50ms' } }]);
  const { client } = await server.connected();
  expect(await answered(client, TOKEN)).toMatch(/^HTTP\/1.1 200 /);
});

test('above the limit a connection is closed, and another one is had when there is room again', async () => {
  await using server = await listening({ connections: 3 });
  const held = [await server.connected(), await server.connected(), await server.connected()];
  const refused = connect(server.port, '127.0.0.1').on('error', () => {});
  await once(refused.resume(), 'close');
  held[0]?.client.destroy();
  await once(held[0]?.served as Socket, 'close');
  const { client } = await server.connected();
  expect(await answered(client, HEALTH)).toMatch(/^HTTP\/1.1 200 /);
});

for (const [what, requests] of [
  ['accept headers', (at: number) => HEALTH.replace('host: x', `host: x\r\naccept: a/${at}${FILLING}`)],
  ['paths', (at: number) => HEALTH.replace('/health/', `/${at}${FILLING}`)],
  ['queries', (at: number) => HEALTH.replace('/health/', `/health/?${at}${FILLING}`)],
  ['tokens', (at: number) => DATA.replace('TOKEN', `${at}${FILLING}`)],
  ['content types', (at: number) => TOKEN.replace('urlencoded', `urlencoded; x=${at}${FILLING}`)],
  ['fields', (at: number) => formOf(`grant_type=x&f${at}${FILLING}=`)],
] as const)
  test(`a flood of different ${what} is forgotten`, async () => {
    await using server = await listening({});
    const { client } = await server.connected();
    const before = heapUsed();
    for (let at = 0; at < 1_000; at += 100)
      await answered(client, Array.from({ length: 100 }, (_, more) => requests(at + more)).join(''), 100);
    expect(heapUsed() - before).toBeLessThan(6 * MIB); // of 12 that came in
    expect(server.faults).toEqual([]);
  });

const FILLING = 'x'.repeat(12_000);
const HEALTH = 'GET /health/ HTTP/1.1\r\nhost: x\r\n\r\n';
const DATA = 'GET /ods_data/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer TOKEN\r\n\r\n';
const formOf = (body: string) =>
  `POST /token/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const TOKEN = formOf('grant_type=client_credentials&client_id=demo&client_secret=demo-secret');

/** Resolves with what came back once as many answers have begun. */
async function answered(client: Socket, bytes: string, count = 1): Promise<string> {
  client.write(bytes);
  let text = '';
  for (;;) {
    const [part] = await once(client, 'data');
    text += part;
    if (text.split('HTTP/1.1 ').length > count) return text;
  }
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collect();
  collect(); // what the first has only let go of
  return process.memoryUsage().heapUsed;
}
