/** A target with a base path that is too short: the option is wrong, and neither the service nor its clients. */
import { expect, _baseTest as test } from '@playwright/test';
import { read, tokenFrom } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startWeb } from './testing/wire.ts';

for (const [what, target, client, elsewhere] of [
  ['is too short', '', '/api', '/api'],
  ['is right', '/api', '', undefined],
] as const)
  test(`a base path of the target that ${what} is ${elsewhere ? 'the only finding' : 'not a finding'}`, async () => {
    await using service = await startWeb((request, response) => {
      const body = request.url === '/api/token/' ? { token: 'a-token-of-it-4711' } : { ods_data: [] };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const findings: string[] = [];
    await using proxy = await proxyTo(service.url + target, { onFinding: (line) => findings.push(line) });
    const base = proxy.url + client;
    await read(base, await tokenFrom(base));
    await proxy.close();
    expect((await proxy.result()).elsewhere).toBe(elsewhere && service.url + elsewhere);
    const sentence = `! The token requests go to ${service.url}/api/token/, and --target is ${service.url}: give --target ${service.url}/api.`;
    expect(findings).toEqual(elsewhere ? [sentence] : []);
  });
