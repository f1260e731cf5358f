/** A target that is the proxy itself: noticed when its own request arrives. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { createProxyServer } from './forward.ts';
import { createService } from './service.ts';
import { type Running, startRaw, startWeb } from './testing/wire.ts';

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
  const own = createService(service.url);
  own.noted(toService);
  const client = connect({ ...addressOf(front), localAddress, localPort: toService.localPort ?? 0 });
  const atFront = await Promise.race([accepted, once(client, 'error')]);
  expect(atFront).toMatchObject({ remotePort: toService.localPort });
  expect(own.agentOf(atFront as Socket)).toBeDefined();
});

const addressOf = ({ url }: Running): { host: string; port: number } => {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
};
