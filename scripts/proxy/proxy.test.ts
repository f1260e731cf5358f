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

test('a service that is down is reported once, with what to do', async () => {
  const down = await startRaw(() => {});
  await down[Symbol.asyncDispose]();
  const sentences: string[] = [];
  await using proxy = await proxyTo(down.url, { onTrouble: (one) => sentences.push(one) });
  for (let nth = 0; nth < 2; nth++) expect((await read(proxy.url)).status).toBe(502);
  expect(sentences).toEqual([
    `The service at ${down.url} refused the connection. See whether it runs, and whether --target is right.`,
  ]);
});
