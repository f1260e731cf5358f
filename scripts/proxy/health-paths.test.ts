/** Health checks that pass through the proxy, at the paths that are named. */
import { expect, _baseTest as test } from '@playwright/test';
import { ask, read } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startWeb } from './testing/wire.ts';

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
