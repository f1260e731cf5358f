/** Certificates that are not accepted, and servers without HTTP/1.1. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { rootCertificates } from 'node:tls';
import { expect, _baseTest as test } from '@playwright/test';
import { trustedWith } from './authorities.ts';
import { createHttp } from './http.ts';
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
    'has a certificate of an unknown authority: give --ca (MRS_CA) the PEM file of that authority, ' +
      'or let the server send its intermediate certificates',
  ],
  [
    'with the certificate of its private authority',
    leaf.cert + authority.cert,
    leaf.key,
    'has a certificate of a private authority: give --ca (MRS_CA) the PEM file of that authority',
  ],
  [
    'signed by itself',
    lone.cert,
    lone.key,
    'has a self-signed certificate: give --ca (MRS_CA) the PEM file of that certificate',
  ],
] as const)
  test(`a certificate ${what} fails with a sentence that names the option`, async () => {
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

test('a certificate of an authority that is given is accepted', async () => {
  await using server = await listen(createServer(leaf, (_, response) => response.end('hello')));
  expect(await get(server.url, [lone.cert, authority.cert])).toMatchObject({ status: 200 });
  expect(await get(server.url, [lone.cert])).toHaveProperty('failure');
});

test('a certificate signed by itself is accepted where it is given', async () => {
  await using server = await listen(createServer(lone, (_, response) => response.end('hello')));
  expect(await get(server.url, [lone.cert])).toMatchObject({ status: 200 });
});

test('an expired certificate fails with a sentence of its own', async () => {
  const expired = createCertificate('x', { issuer: authority, host: 'localhost', until: '20210101000000Z' });
  await using server = await listen(createServer(expired));
  expect(await get(server.url, [authority.cert])).toEqual({
    failure: 'has an expired certificate: renew it (--ca does not help)',
  });
});

test('a certificate for another host fails with a sentence of its own', async () => {
  const other = createCertificate('x', { issuer: authority, host: 'other.example' });
  await using server = await listen(createServer(other));
  expect(await get(server.url, [authority.cert])).toEqual({
    failure:
      'has a certificate for another host name: correct the base URL or the certificate (--ca does not help)',
  });
});

test('authorities of NODE_EXTRA_CA_CERTS are trusted, also next to those that are given', async () => {
  const bundle = test.info().outputPath('ca.pem');
  writeFileSync(bundle, authority.cert);
  await using server = await listen(createServer(leaf, (_, response) => response.end('hello')));
  expect(await getTrusting(bundle, server.url, [])).toMatchObject({ status: 200 });
  expect(await getTrusting(bundle, server.url, [lone.cert])).toMatchObject({ status: 200 });
});

test('authorities that are given do not replace those of Node.js', () => {
  const trusted = trustedWith([lone.cert]);
  expect(trusted).toContain(lone.cert);
  expect(rootCertificates.filter((certificate) => !trusted.includes(certificate))).toEqual([]);
});

const get = (url: string, authorities: string[] = []) =>
  createHttp(limits, authorities).exchange({ method: 'GET', url, headers: {} });

/** In a process of its own, since the variable is read at the start. */
async function getTrusting(bundle: string, url: string, authorities: string[]): Promise<unknown> {
  const module = new URL('../../../dist/tests/server/probe/http.js', import.meta.url).href;
  const code = `
    const { createHttp, defaultLimits } = await import(${JSON.stringify(module)});
    const http = createHttp(defaultLimits, ${JSON.stringify(authorities)});
    const answer = await http.exchange({ method: 'GET', url: ${JSON.stringify(url)}, headers: {} });
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
