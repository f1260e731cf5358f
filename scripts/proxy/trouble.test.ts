/** A service that cannot be reached: each cause is reported once, with what to do. */
import { expect, _baseTest as test } from '@playwright/test';
import { read } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startRaw } from './testing/wire.ts';

/** What the proxy reports after two reads. */
async function troublesWith(target: string): Promise<string[]> {
  const sentences: string[] = [];
  await using proxy = await proxyTo(target, { onTrouble: (one) => sentences.push(one) });
  for (let nth = 0; nth < 2; nth++) expect((await read(proxy.url)).status).toBe(502);
  await proxy.close();
  await proxy.result();
  return sentences;
}

test('a service that is down is reported with what to do', async () => {
  const down = await startRaw(() => {});
  await down[Symbol.asyncDispose]();
  expect(await troublesWith(down.url)).toEqual([
    `The service at ${down.url} refused the connection. Start the service, or correct the host and port of --target.`,
  ]);
});

test('a host name that does not resolve is reported with what to do', async () => {
  expect((await troublesWith('http://mrs.invalid'))[0]).toMatch(
    /does not resolve\. Correct the host of --target/,
  );
});

test('plain http at an address of https is reported with what to do', async () => {
  await using plain = await startRaw((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  const [sentence] = await troublesWith(plain.url.replace('http:', 'https:'));
  expect(sentence).toContain('If it speaks plain http at this port, correct the scheme of --target.');
});
