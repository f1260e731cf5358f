/** A target that is the proxy itself: noticed by its address, or when its own request arrives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, _baseTest as test } from '@playwright/test';
import { createProxyServer } from './forward.ts';
import { createOwnConnections, createService, isItself } from './service.ts';
import { type Running, startRaw, startWeb } from './testing/wire.ts';

for (const [target, host, port, expected] of [
  ['http://127.0.0.1/api', '127.0.0.1', 80, true],
  ['https://localhost', '127.0.0.1', 443, true],
  ['http://[::1]:4020', '::1', 4020, true],
  ['http://127.0.0.9:4020', '0.0.0.0', 4020, true],
  ['http://127.0.0.2:4020', '127.0.0.1', 4020, false],
  ['http://127.0.0.1:4021', '127.0.0.1', 4020, false],
  ['https://mrs.example', '0.0.0.0', 443, false],
] as const)
  test(`${target} is ${expected ? 'the' : 'not the'} proxy that listens on port ${port} of ${host}`, () => {
    expect(isItself(target, host, port)).toBe(expected);
  });

test('a request of the proxy that arrives at itself is noticed, and ends', async () => {
  const isLoop: number[] = [];
  let listener: Parameters<typeof startWeb>[0] = () => {};
  await using front = await startWeb((request, response) => listener(request, response));
  const server = createProxyServer({
    service: createService(front.url),
    captures: { each: 1000, total: 1000 },
    onPassed() {},
    onLoop: () => isLoop.push(1),
    headBytes: 16_384,
  });
  listener = (request, response) => void server.emit('request', request, response);
  await expect(fetch(`${front.url}/ods_data/`)).rejects.toThrow();
  expect(isLoop).toEqual([1]);
});

test('a client whose port the proxy uses towards the service as well is not the proxy', async () => {
  const localAddress = '127.0.0.1';
  let accept = (_: Socket) => {};
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  await using service = await startRaw(() => {});
  await using front = await startRaw((socket) => accept(socket));
  const toService = connect({ ...addressOf(service), localAddress });
  await once(toService, 'connect');
  const own = createOwnConnections();
  own.note(toService);
  const client = connect({ ...addressOf(front), localAddress, localPort: toService.localPort ?? 0 });
  const atFront = await Promise.race([accepted, once(client, 'error')]);
  expect(atFront).toMatchObject({ remotePort: toService.localPort });
  expect(own.has(atFront as Socket)).toBe(false);
});

const addressOf = ({ url }: Running): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};
