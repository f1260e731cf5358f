/** A proxy as a whole: what it reports. */
import { expect, _baseTest as test } from '@playwright/test';
import { ask, proxyTo, read, tokenFrom } from './testing/proxied.ts';
import { startRaw, startWeb } from './testing/wire.ts';

// A target with a base path that is too short: the option is wrong, and neither the service nor its clients.

for (const [what, target, client, elsewhere] of [
  ['is too short', '', '/api', '/api'],
  ['is right', '/api', '', undefined],
] as const)
  test(`a base path of the target that ${what} is ${elsewhere ? '' : 'not '}noticed`, async () => {
    await using service = await startWeb((request, response) => {
      const body = request.url === '/api/token/' ? { token: 'a-token-of-it-4711' } : { ods_data: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    await using proxy = await proxyTo(service.url + target);
    const base = proxy.url + client;
    await read(base, await tokenFrom(base));
    await proxy.close();
    expect((await proxy.result()).elsewhere).toBe(elsewhere && service.url + elsewhere);
  });

test('a health check that passes and asks for a token is a violation', async () => {
  await using service = await startWeb((request, response) => {
    response.statusCode = request.url === '/health/' ? 401 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(request.url === '/token/' ? { token: 'a-token-0815' } : { ods_data: [] }));
  });
  await using proxy = await proxyTo(service.url, { healthPaths: ['/health/'] });
  await ask(proxy.url);
  await read(proxy.url, 'a-token-0815');
  await fetch(`${proxy.url}/health/`);
  await proxy.close();
  const { judged } = await proxy.result();
  const failed = judged.server.filter(({ verdict }) => verdict === 'failed');
  expect(failed.map(({ requirement }) => requirement.id)).toEqual(['MRS-4.3b']);
});

// A service that cannot be reached: each cause is reported once, with what to do.

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
