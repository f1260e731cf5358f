import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { type Mock, type MockOptions, startMock } from '../index.ts';

const clients = [
  { id: 'a', secret: 'x', tokenLifetime: '10m' },
  { id: 'b', secret: 'y', script: [{ do: { delay: '1ms' } }] },
];
const start = (options: MockOptions) => startMock({ clients, ...options });
function tokenOf(id: string, secret: string): string {
  const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const head = 'POST /token/ HTTP/1.1\r\nhost: x\r\naccept: application/json\r\n';
  const type = 'content-type: application/x-www-form-urlencoded\r\n';
  return `${head}${type}content-length: ${form.length}\r\n\r\n${form}`;
}

test('with a seed and a frozen clock, two runs answer with the same bytes', async () => {
  const runs = [];
  for (const _ of [1, 2]) {
    await using mock = await start({ seed: 'seven', clock: 'frozen' });
    runs.push(await bytesOf(mock));
  }
  expect(runs[0]).toContain('HTTP/1.1 200 OK');
  expect(runs[0]).toContain('date: Tue, 01 Jan 2030 00:00:00 GMT');
  expect(runs[0]).toContain('HTTP/1.1 403 Forbidden');
  expect(runs[1]).toBe(runs[0]);
});

/** All that comes back for one course of requests. */
async function bytesOf(mock: Mock): Promise<string> {
  let text = await exchange(mock, tokenOf('a', 'x'));
  const read = `GET /ods_data/ HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokenIn(text)}\r\n\r\n`;
  text += await exchange(mock, read);
  mock.clock.advanceToExpiry('a');
  text += await exchange(mock, read);
  text += await exchange(mock, tokenOf('b', 'y'));
  return text + mock.clock.now();
}

const tokenIn = (text: string): string => /"token":"([\w-]+)"/.exec(text)?.[1] ?? '';

/** Sends bytes on a connection of their own, and resolves with what came back when the answer is whole. */
async function exchange(mock: Mock, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(mock.url).port), '127.0.0.1').setEncoding('utf8');
  socket.end(bytes);
  let text = '';
  socket.on('data', (part: string) => {
    text += part;
  });
  await once(socket, 'close');
  return text;
}
