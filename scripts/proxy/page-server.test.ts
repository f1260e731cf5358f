/** The page of the proxy: what it shows of a service, and what it refuses. */
import { expect, _baseTest as test } from '@playwright/test';
import { startMock } from '../index.ts';
import { read, SECRET, tokenFrom } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';

const KEY = 'a-key-of-the-test';

test('the page shows clients, tokens and calls, and refuses what only a mock can do', async () => {
  await using service = await startMock({ clients: [{ id: 'acme', secret: SECRET }], controlKey: false });
  await using proxy = await proxyTo(service.url, { page: { key: KEY, port: 0 } });
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${proxy.page}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: What it has is what the test is about.
    const answered: any = await answer.json();
    return { status: answer.status, body: answered };
  };
  const token = await tokenFrom(proxy.url);
  await read(proxy.url, token);
  expect(await call('GET', 'contract')).toMatchObject({ status: 200, body: { service: service.url } });
  expect(await call('GET', 'clients')).toMatchObject({
    body: { clients: [{ id: 'acme', tokensIssued: 1, tokens: [{ name: 'acme#1', standing: 'valid' }] }] },
  });
  const { body: journal } = await call('GET', 'journal');
  expect(journal.entries).toMatchObject([
    { client: 'acme', operation: 'obtainToken', status: 200, reason: 'issued', token: { name: 'acme#1' } },
    { client: 'acme', operation: 'readData', status: 200, reason: 'served', token: { name: 'acme#1' } },
  ]);
  expect(JSON.stringify(journal)).not.toContain(token);
  expect(await call('GET', 'certificate?client=acme')).toMatchObject({
    body: { strategy: 'none', tokens: { asked: 1 }, rules: expect.any(Array) },
  });
  for (const [method, path, body, why] of [
    ['PUT', 'clock', { action: 'freeze' }, 'its clock cannot be moved'],
    ['POST', 'expire', {}, 'only the service ends its tokens'],
    ['PUT', 'clients/acme', {}, 'its administrator creates and changes its clients'],
    ['DELETE', 'clients/acme', undefined, 'its administrator creates and changes its clients'],
    ['PUT', 'clients/acme/script', [], 'scripts are for mocks'],
    ['DELETE', 'clients/acme/script', undefined, 'scripts are for mocks'],
    ['DELETE', 'journal', undefined, 'the report needs every call'],
    ['POST', 'reset', undefined, 'it cannot be restored'],
  ] as const) {
    const { status, body: refusal } = await call(method, path, body);
    expect([status, refusal.error_description], `${method} ${path}`).toEqual([
      409,
      expect.stringContaining(`A real service answers here, and ${why}`),
    ]);
  }
  // The paths of the page are paths of the service where clients call.
  expect((await fetch(`${proxy.url}/__mock/health`)).status).toBe(404);
});
