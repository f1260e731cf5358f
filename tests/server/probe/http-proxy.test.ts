/** Proxies that the environment names. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { listening } from '../../support/testing/listening.ts';
import { createHttp } from './http.ts';
import { createCertificate } from './testing/certificate.ts';
import { limits, listen, says } from './testing/raw-server.ts';

const VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].flatMap((name) => [
  name,
  name.toUpperCase(),
]);
const before = VARIABLES.map((name) => [name, process.env[name]] as const);

beforeEach(() => {
  for (const name of VARIABLES) delete process.env[name];
});
afterAll(() => {
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

const OK = says('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
const get = (url: string, deadlineSeconds = 5) =>
  createHttp({ ...limits, deadlineSeconds }).exchange({ method: 'GET', url, headers: {} });

test('HTTP_PROXY tunnels a request, with its credentials', async () => {
  await using server = await listen(OK);
  await using proxy = await listenAsProxy(server.url);
  process.env.HTTP_PROXY = proxy.url.replace('//', '//user:p%40ss@');
  expect(await get('http://mrs.example/a?b')).toMatchObject({ status: 200, body: Buffer.from('hello') });
  expect(proxy.requests).toEqual(['mrs.example:80 Basic dXNlcjpwQHNz']);
  expect(server.requests[0]).toMatch(/^GET \/a\?b HTTP\/1.1\r\nhost: mrs.example\r\n/);
});

test('HTTPS_PROXY tunnels https, and the certificate of the deployment is verified', async () => {
  const { cert, key } = createCertificate('x', { host: 'mrs.example' });
  await using server = await listening(createSecure({ cert, key }));
  await using proxy = await listenAsProxy(server.url);
  process.env.HTTPS_PROXY = proxy.url;
  expect(await get('https://mrs.example/')).toMatchObject({
    failure: expect.stringMatching(/^has a certificate that is not trusted/),
  });
  expect(proxy.requests).toEqual(['mrs.example:443 ']);
});

test('an authority that is given is trusted through a proxy, and for the proxy itself', async () => {
  const authority = createCertificate('Test authority', {});
  const own = createCertificate('x', { issuer: authority, host: 'mrs.example' });
  await using server = await listening(createSecure(own, (_, response) => response.end('hello')));
  const proxyServer = createSecure(createCertificate('y', { issuer: authority, host: 'localhost' }));
  await using proxy = await listenAsProxy(server.url, proxyServer);
  process.env.HTTPS_PROXY = `https://localhost:${new URL(proxy.url).port}`;
  const request = { method: 'GET', url: 'https://mrs.example/', headers: {} } as const;
  expect(await createHttp(limits, [authority.cert]).exchange(request)).toMatchObject({ status: 200 });
  expect(await createHttp(limits).exchange(request)).toMatchObject({
    failure: expect.stringMatching(/^cannot be reached: the proxy .* certificate that is not trusted/),
  });
});

test('NO_PROXY and loopback addresses are reached directly', async () => {
  await using server = await listen(OK);
  await using proxy = await listenAsProxy(undefined);
  process.env.HTTP_PROXY = proxy.url;
  process.env.NO_PROXY = '.invalid';
  expect(await get(server.url)).toMatchObject({ status: 200 });
  expect(await get('http://mrs.invalid')).toMatchObject({ failure: 'has a host name that does not resolve' });
  expect(proxy.requests).toEqual([]);
});

for (const isOpen of [true, false])
  test(`a proxy that ${isOpen ? 'refuses' : 'does not listen'} is named in the failure, without its password`, async () => {
    await using proxy = await listenAsProxy(undefined);
    if (!isOpen) await proxy[Symbol.asyncDispose]();
    process.env.HTTP_PROXY = proxy.url.replace('//', '//user:secret@');
    const { host } = new URL(proxy.url);
    expect(await get('http://mrs.example/')).toMatchObject({
      failure: `cannot be reached: the proxy ${host} refused the connection${isOpen ? ' (403)' : ''}`,
    });
  });

for (const proxy of ['socks5://127.0.0.1:1', 'http://%zz'])
  test(`the proxy ${proxy} is a failure in words`, async () => {
    process.env.HTTP_PROXY = proxy;
    expect(await get('http://mrs.example/')).toMatchObject({
      failure: 'cannot be reached: HTTP_PROXY or HTTPS_PROXY does not hold an http or https URL',
    });
  });

/** Leads every tunnel to `target`; refuses with 403 without one. Its disposal waits for every connection to end. */
async function listenAsProxy(target: string | undefined, server: Server = createServer()) {
  const requests: string[] = [];
  server.on('connect', ({ url, headers }: IncomingMessage, socket: Duplex) => {
    requests.push(`${url} ${headers['proxy-authorization'] ?? ''}`);
    socket.on('error', () => {});
    if (target === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const { hostname, port } = new URL(target);
    const other = connect({ host: hostname, port: Number(port) });
    other.on('error', () => {});
    other.on('close', () => socket.destroy());
    socket.on('close', () => other.destroy());
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    socket.pipe(other).pipe(socket);
  });
  return { ...(await listening(server)), requests };
}
