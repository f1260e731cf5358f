/** How much memory the traffic so far may take. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, _baseTest as test } from '@playwright/test';
import type { Exchange } from './exchange.ts';
import { createLiveRecording, recordedOf } from './recorder.ts';

const BASE = 'http://mrs.example';
const MEBIBYTE = 1024 * 1024;

const bodyOf = (content?: Buffer) => ({
  bytes: content?.length ?? 0,
  content: () => content,
  add() {},
  drop() {},
});

const passedWith = (nth: number, content?: Buffer): Exchange => ({
  ...({} as Pick<Exchange, 'request' | 'response'>),
  startMs: nth,
  endMs: nth,
  method: 'POST',
  target: '/other/',
  rawHeaders: ['Content-Type', 'text/plain'],
  body: bodyOf(content),
  answer: { status: 200, rawHeaders: [], body: bodyOf(), completeMs: nth },
});

/** In MiB, without what is garbage. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / MEBIBYTE;
}

test('of a large body only its beginning is kept in memory', async () => {
  const recording = createLiveRecording(BASE, []);
  const before = heap();
  for (let nth = 0; nth < 200; nth++) {
    const content = Buffer.alloc(MEBIBYTE, `${nth} is one of many bodies; `);
    recording.add(recordedOf(passedWith(nth, content), nth + 1, BASE, undefined));
  }
  expect(recording.size).toBe(200);
  expect(heap() - before).toBeLessThan(60);
});

test('of calls that are neither token requests nor reads, 20 000 are kept', async () => {
  const recording = createLiveRecording(BASE, []);
  const exchange = recordedOf(passedWith(1), 1, BASE, undefined);
  for (let nth = 0; nth < 20_010; nth++) recording.add(exchange);
  expect([recording.size, recording.recording().left.excess]).toEqual([20_000, 10]);
});
