import { EventEmitter } from 'node:events';
import { expect, _baseTest as test } from '@playwright/test';
import { createStream } from '../control.ts';
import { createJournal } from '../exchange.ts';
import type { ControlRequest } from '../operations.ts';
import type { State } from '../state.ts';
import { exchange } from '../testing/exchange.ts';

test('a listener that does not read is disconnected before much is buffered for it', () => {
  const journal = createJournal(10_000);
  const socket = Object.assign(new EventEmitter(), { destroyed: false });
  const response = {
    req: { socket },
    writableLength: 0,
    destroyed: false,
    writeHead() {},
    write(text: string) {
      response.writableLength += Buffer.byteLength(text);
      return false;
    },
    destroy() {
      response.destroyed = true;
    },
  };
  const request = { headers: {}, socket };
  const asked = { request, response, query: new URLSearchParams() } as unknown as ControlRequest;
  createStream({ journal } as State)(asked);
  for (let nth = 1; nth <= 3000; nth++) journal.add(exchange({ path: `/${'a'.repeat(1000)}` }));
  expect(response.destroyed).toBe(true);
  expect(response.writableLength).toBeLessThan(200 * 1024);
  socket.emit('close');
});
