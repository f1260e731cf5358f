import { expect, _baseTest as test } from '@playwright/test';
import { failureOf, INCOMPLETE, isHangUp } from './failure.ts';
import { limits, listen } from './testing/raw-server.ts';

for (const [what, failure] of [
  ['the end of a connection without an answer', failureOf({ code: 'ECONNRESET' })],
  ['a reset', failureOf({ code: 'ECONNRESET', errno: -104 })],
  ['a broken pipe', failureOf({ code: 'EPIPE', errno: -32 })],
] as const)
  test(`${what} is a hang-up`, () => {
    expect(isHangUp(failure)).toBe(true);
  });

for (const failure of [
  INCOMPLETE,
  failureOf({ code: 'ECONNREFUSED' }),
  failureOf({ code: 'ENOTFOUND' }),
  failureOf({ code: 'HPE_INVALID_CONSTANT' }),
  `gave no complete answer within ${limits.deadlineSeconds} s`,
])
  test(`the deployment ${failure}: this is not a hang-up`, () => {
    expect(isHangUp(failure)).toBe(false);
  });

test('a server that closes the connection without a byte hangs up', async () => {
  await using server = await listen((socket) => socket.end());
  const answer = await server.get();
  expect('failure' in answer && isHangUp(answer.failure)).toBe(true);
});

test('a server that closes the connection within its answer does not hang up', async () => {
  await using server = await listen((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe'));
  expect(await server.get()).toEqual({ failure: INCOMPLETE });
});
