/** How a script has a reply sent, by the bytes that arrive. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Step } from './contract/control-contract.ts';
import { listening } from './testing/listening.ts';

const FORM = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
const [FIRST = '', LAST = ''] = ['keep-alive', 'close'].map(
  (connection) =>
    `POST /token/ HTTP/1.1\r\nhost: x\r\nconnection: ${connection}\r\n` +
    `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${FORM.length}\r\n\r\n${FORM}`,
);
const WHOLE = 'HTTP\\/1.1 200 OK\\r\\n(.+\\r\\n)+\\r\\n\\{"token":"[\\w-]+"\\}';

/** A mock whose demo client has this script for its token requests, and how each of its exchanges ends. */
async function scripted(...steps: Step[]) {
  const server = await listening({});
  const { state, demo } = server;
  state.giveScript(
    demo,
    steps.map((step) => ({ ...step, on: 'obtainToken' })),
  );
  return Object.assign(server, { endings: () => state.journal.list().map(({ ended }) => ended) });
}

test('a reply that is cut beyond its end goes out whole, and the connection can be used again', async () => {
  await using server = await scripted({ do: { cut: 1000 } });
  expect(await server.exchange(FIRST + LAST)).toMatch(new RegExp(`^${WHOLE}${WHOLE}$`));
  expect(server.endings()).toEqual([undefined, undefined]);
});

for (const cut of [0, 1, 8])
  test(`cut after ${cut} bytes, the connection ends where more are announced`, async () => {
    await using server = await scripted({ do: { cut } });
    const [head = '', body] = (await server.exchange(FIRST)).split('\r\n\r\n');
    expect(Number(/^content-length: (\d+)$/im.exec(head)?.[1])).toBeGreaterThan(cut);
    expect([body, server.endings()]).toEqual(['{"token":'.slice(0, cut), ['cut']]);
  });

for (const [what, delay] of [
  ['a delay', '1h'],
  ['a delay beyond all timers', 1e12],
] as const)
  test(`a client that leaves during ${what} is gone, and is not waited for`, async () => {
    await using server = await scripted({ do: { delay } });
    const ended = new Promise((resolve) => server.state.journal.listen(resolve));
    const { client } = await server.connected();
    const served = once(server.http, 'request');
    client.write(FIRST);
    const [request] = await served;
    await once(request, 'end');
    client.destroy();
    await ended;
    expect(server.endings()).toEqual(['gone']);
  });

test('a connection that is reset ends without an answer', async () => {
  await using server = await scripted({ do: { reset: true } });
  await expect(server.exchange(FIRST)).rejects.toThrow('ECONNRESET');
  expect(server.endings()).toEqual(['reset']);
});
