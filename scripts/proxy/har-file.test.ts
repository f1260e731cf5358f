/** The HAR file of the proxy in front of a service that repeats secrets. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { createHarFile } from './har-file.ts';
import { ask, read, SECRET } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startWeb } from './testing/wire.ts';

const TOKEN = 'a-token-of-the-service-0815';

test('a HAR file keeps a body without the secrets and tokens in it', async () => {
  await using service = await startWeb((request, response) => {
    const body = request.url === '/token/' ? { token: TOKEN } : { note: `of ${TOKEN}, by ${SECRET}` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const file = test.info().outputPath('traffic.har');
  const har = createHarFile(file, service.url);
  await using proxy = await proxyTo(service.url, { har });
  await ask(proxy.url);
  await read(proxy.url, TOKEN);
  await proxy.close();
  const { secrets, judged } = await proxy.result();
  expect(await har.finish(secrets, judged)).toBeUndefined();
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(TOKEN);
  expect(text).not.toContain(SECRET);
  const { entries } = JSON.parse(text).log;
  expect(entries[1].response.content.text).toBe('{"note":"of ‹token›, by ‹client-secret›"}');
});

test('a HAR file numbers its entries, and names tokens that were issued before, each differently', async () => {
  await using service = await startWeb((_, response) => response.end());
  const file = test.info().outputPath('traffic.har');
  const har = createHarFile(file, service.url);
  await using proxy = await proxyTo(service.url, { har });
  for (const token of ['first-of-before', 'other-of-before', 'first-of-before']) await read(proxy.url, token);
  await proxy.close();
  const { secrets, judged } = await proxy.result();
  expect(await har.finish(secrets, judged)).toBeUndefined();
  const { entries } = JSON.parse(readFileSync(file, 'utf8')).log;
  expect(entries.map(authorizationOf)).toEqual([
    'Bearer ‹unknown-1›',
    'Bearer ‹unknown-2›',
    'Bearer ‹unknown-1›',
  ]);
  expect(entries.map(({ _seq }: { _seq: number }) => _seq)).toEqual([1, 2, 3]);
});

const authorizationOf = (entry: { request: { headers: { name: string; value: string }[] } }) =>
  entry.request.headers.find(({ name }) => name === 'authorization')?.value;

for (const [what, name] of [
  ['a directory', (folder: string) => folder],
  ['a device', () => '/dev/null'],
  ['nothing', () => ''],
  ['a path that ends with a slash', (folder: string) => `${folder}/new/`],
] as const)
  test(`--har with ${what} is refused at the start`, () => {
    const folder = test.info().outputPath('folder');
    mkdirSync(folder);
    const start = () => createHarFile(name(folder), 'http://mrs.example').discard();
    expect(start).toThrow(/, which is not the name of a file\. Name a new file, or one to replace\.$/);
  });

test('until the end no file with what passed is left, however the proxy ends', () => {
  const folder = test.info().outputPath('folder');
  mkdirSync(folder);
  const har = createHarFile(`${folder}/traffic.har`, 'http://mrs.example');
  expect(readdirSync(folder)).toEqual([]);
  har.discard();
});

test('--har with a link that leads to itself is refused at the start', () => {
  const link = test.info().outputPath('link');
  mkdirSync(test.info().outputPath(), { recursive: true });
  symlinkSync(link, link);
  expect(() => createHarFile(link, 'http://mrs.example')).toThrow(`--har ${link} cannot be written (ELOOP).`);
});
