/** Certificates that are not accepted, and servers without HTTP/1.1. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import { createHttp } from '../http.ts';
import { createCertificate } from './testing/certificate.ts';
import { limits } from './testing/raw-server.ts';

const authority = createCertificate('Test authority', {});
const leaf = createCertificate('leaf', { issuer: authority, host: 'localhost' });
const lone = createCertificate('alone', { host: 'localhost' });

for (const [what, cert, key, failure] of [
  [
    'of an authority that is not known',
    leaf.cert,
    leaf.key,
    'has a certificate of an unknown authority: set NODE_EXTRA_CA_CERTS to the PEM file of that authority, ' +
      'or let the server send its intermediate certificates',
  ],
  [
    'with the certificate of its private authority',
    leaf.cert + authority.cert,
    leaf.key,
    'has a certificate of a private authority: set NODE_EXTRA_CA_CERTS to the PEM file of that authority',
  ],
  [
    'signed by itself',
    lone.cert,
    lone.key,
    'has a self-signed certificate: set NODE_EXTRA_CA_CERTS to the PEM file of that certificate',
  ],
] as const)
  test(`a certificate ${what} fails with a sentence that names the variable`, async () => {
    await using server = await listen(createServer({ cert, key }));
    expect(await get(server.url)).toEqual({ failure });
  });

test('a server that negotiates only HTTP/2 fails with a sentence of its own', async () => {
  await using server = await listen(createSecureServer({ cert: lone.cert, key: lone.key }));
  expect(await get(server.url)).toEqual({ failure: expect.stringMatching(/^speaks only HTTP\/2: /) });
});

test('a server that answers with HTTP/2 frames fails with the same sentence', async () => {
  await using server = await listen(createHttp2Server());
  expect(await get(server.url.replace('https', 'http'))).toEqual({
    failure: expect.stringMatching(/^speaks only HTTP\/2: /),
  });
});

test.describe('where NODE_EXTRA_CA_CERTS names the authority', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-tls-'));
  const bundle = join(folder, 'ca.pem');
  test.beforeAll(() => writeFileSync(bundle, authority.cert));
  test.afterAll(() => rmSync(folder, { recursive: true }));

  test('its certificate is accepted', async () => {
    await using server = await listen(createServer(leaf, (_, response) => response.end('hello')));
    expect(await getTrusting(bundle, server.url)).toMatchObject({ status: 200 });
  });

  test('an expired certificate fails with a sentence of its own', async () => {
    const expired = createCertificate('x', {
      issuer: authority,
      host: 'localhost',
      until: '20210101000000Z',
    });
    await using server = await listen(createServer(expired));
    expect(await getTrusting(bundle, server.url)).toEqual({
      failure: 'has an expired certificate: renew it (NODE_EXTRA_CA_CERTS does not help)',
    });
  });

  test('a certificate for another host fails with a sentence of its own', async () => {
    const other = createCertificate('x', { issuer: authority, host: 'other.example' });
    await using server = await listen(createServer(other));
    expect(await getTrusting(bundle, server.url)).toEqual({
      failure:
        'has a certificate for another host name: correct the base URL or the certificate (NODE_EXTRA_CA_CERTS does not help)',
    });
  });
});

const get = (url: string) => createHttp(limits).exchange({ method: 'GET', url, headers: {} });

/** In a process of its own, since the variable is read at the start. */
async function getTrusting(bundle: string, url: string): Promise<unknown> {
  const module = new URL('../../../../dist/tests/server/probe/http.js', import.meta.url).href;
  const code = `
    const { createHttp } = await import(${JSON.stringify(module)});
    const answer = await createHttp().exchange({ method: 'GET', url: ${JSON.stringify(url)}, headers: {} });
    console.log(JSON.stringify(answer));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: bundle },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout));
}

async function listen(server: Server) {
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
