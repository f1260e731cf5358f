/** A service in TLS: whose certificates are accepted, and what a client is answered if they are not. */
import { createServer } from 'node:https';
import { expect, test } from 'vitest';
import { createCertificate } from '../../tests/server/probe/testing/certificate.ts';
import { listening } from '../../tests/support/testing/listening.ts';
import { headOf, open, type Running, startProxied, talk } from './testing/wire.ts';

const authority = createCertificate('Test authority', {});
const leaf = createCertificate('leaf', { issuer: authority, host: 'localhost' });
const other = createCertificate('other', { issuer: authority, host: 'other.example' });

interface SecureService extends Running {
  requests: string[];
  /** The number of TLS connections. */
  connections(): number;
}

async function startSecure(certificate: { cert: string; key: string }): Promise<SecureService> {
  const requests: string[] = [];
  let connections = 0;
  const server = createServer(certificate, (request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.host}`);
    request.pipe(response);
  });
  server.on('secureConnection', () => connections++).on('tlsClientError', () => {});
  const running = await listening(server, 'localhost');
  return {
    ...running,
    url: `https://localhost:${running.port}`,
    requests,
    connections: () => connections,
  };
}

test('a service with a certificate of an authority that is given is asked over one connection for each of a client', async () => {
  await using service = await startSecure(leaf);
  await using proxy = await startProxied(`${service.url}/api`, { authorities: [authority.cert] });
  const client = open(proxy.port);
  const head = 'POST /token/ HTTP/1.1\r\nHost: proxy\r\nContent-Length: 5\r\n';
  client.socket.write(`${head}\r\nfirst`);
  expect(await client.until('\r\n\r\n')).toContain('200 OK');
  await client.until('first');
  client.socket.write(`${head}Connection: close\r\n\r\nagain`);
  expect((await client.ended).text).toMatch(/first.*200 OK.*again/s);
  const asked = `POST /api/token/ ${service.url.replace('https://', '')}`;
  expect(service.requests).toEqual([asked, asked]);
  expect(service.connections()).toBe(1);
});

for (const [what, certificate, given, sentence] of [
  [
    'of an authority that is not known',
    leaf,
    [],
    'has a certificate that is not trusted: give --ca (MRS_CA) the PEM file of its authority',
  ],
  [
    'for another host',
    other,
    [authority.cert],
    'has a certificate for another host name: correct the base URL',
  ],
] as const)
  test(`a certificate ${what} becomes a 502 that names it, and the service gets no request`, async () => {
    await using service = await startSecure(certificate);
    await using proxy = await startProxied(service.url, { authorities: given });
    const { text } = await talk(
      proxy.port,
      'GET /ods_data/ HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\nAuthorization: Bearer t-4711\r\n\r\n',
    );
    expect(headOf(text)).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(headOf(text)).toContain('proxy-status: mrs-proxy\r\n');
    expect(text).toContain(sentence);
    expect((await proxy.over(1))[0]).toMatchObject({ proxyAnswer: 'no answer from the service' });
    expect(service.requests).toEqual([]);
  });
