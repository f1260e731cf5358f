/** How much memory the traffic so far may take. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { bearerOf } from '../../tests/traffic/credentials.ts';
import type { Forwarded } from './forward.ts';
import { createRecorder } from './proxy.ts';

const BASE = 'http://mrs.example';
const MEBIBYTE = 1024 * 1024;

const bodyOf = (content?: Buffer) => ({
  content: () => content,
  add() {},
  drop() {},
});

const passedWith = (nth: number, content?: Buffer): Forwarded => ({
  request: { method: 'POST', url: '/other/', rawHeaders: ['Content-Type', 'text/plain'] },
  startMs: nth,
  endMs: nth,
  body: bodyOf(content),
  answer: { status: 200, rawHeaders: [], body: bodyOf() },
});

/** In MiB, without what is garbage. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / MEBIBYTE;
}

test('of a large body only its beginning is kept in memory', async () => {
  const recorder = createRecorder({ target: BASE, processes: 1 });
  const before = heap();
  for (let nth = 0; nth < 200; nth++)
    recorder.add(passedWith(nth, Buffer.alloc(MEBIBYTE, `${nth} is one of many bodies; `)));
  const { recording } = await recorder.result();
  expect(heap() - before).toBeLessThan(60);
  expect(recording.exchanges).toHaveLength(200);
});

test('no token is kept a second time to read what a request carries', () => {
  const flat = (text: string) => Buffer.from(text).toString(); // Not in pieces, which a search would join.
  const tokens = Array.from({ length: 2000 }, (_, nth) => flat(`${nth}-${'QUJD'.repeat(5000)}`));
  const requests = tokens.map((token) => ({
    headers: [['authorization', flat(`Bearer ${token}`)]] as const,
  }));
  const before = heap();
  const sent = requests.map(bearerOf);
  expect(heap() - before).toBeLessThan(20);
  expect(sent).toEqual(tokens);
});

test('of calls that are neither token requests nor reads, 20 000 are kept', async () => {
  const recorder = createRecorder({ target: BASE, processes: 1 });
  for (let nth = 0; nth < 20_010; nth++) recorder.add(passedWith(nth));
  const { recording } = await recorder.result();
  expect([recording.exchanges.length, recording.left.excess]).toEqual([20_000, 10]);
});
