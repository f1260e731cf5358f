/** Certificates that are not accepted. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { rootCertificates } from 'node:tls';
import { expect, test } from 'vitest';
import { listening } from '../../support/testing/listening.ts';
import { outputPath } from '../../support/testing/output-path.ts';
import { trustedWith } from './connection.ts';
import { createHttp } from './http.ts';
import { createCertificate } from './testing/certificate.ts';
import { limits } from './testing/raw-server.ts';

const authority = createCertificate('Test authority', {});
const leaf = createCertificate('leaf', { issuer: authority, host: 'localhost' });
const lone = createCertificate('alone', { host: 'localhost' });
const late = createCertificate('x', { issuer: authority, host: 'localhost', until: '20210101000000Z' });
const other = createCertificate('x', { issuer: authority, host: 'other.example' });

const UNTRUSTED = 'has a certificate that is not trusted: give --ca (MRS_CA) the PEM file of its authority';

for (const [what, { cert, key }, given, failure] of [
  ['of an authority that is not known', leaf, [], UNTRUSTED],
  ['signed by itself', lone, [], UNTRUSTED],
  ['that has expired', late, [authority.cert], 'has an expired certificate: renew it'],
  ['for another host', other, [authority.cert], /for another host name: correct the base URL, or renew it$/],
  ['whose authority is given', leaf, [lone.cert, authority.cert], undefined],
  ['that is given itself', lone, [lone.cert], undefined],
] as const)
  test(`a certificate ${what} is ${failure ? 'refused with what to do' : 'accepted'}`, async () => {
    await using server = await listen(createServer({ cert, key }, (_, response) => response.end('hello')));
    expect(await get(server.url, given)).toMatchObject(
      failure
        ? {
            failure: typeof failure === 'string' ? failure : expect.stringMatching(failure),
            failureCode: 'tls',
          }
        : { status: 200 },
    );
  });

test('authorities of NODE_EXTRA_CA_CERTS are trusted, also next to those that are given', async () => {
  const bundle = outputPath('ca.pem');
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

/** By the host name of the certificates. */
async function listen(server: Server) {
  const { port, [Symbol.asyncDispose]: dispose } = await listening(server, 'localhost');
  return { url: `https://localhost:${port}`, [Symbol.asyncDispose]: dispose };
}

const get = (url: string, authorities: readonly string[] = []) =>
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
