/** A recording of two clients, made by the proxy: the reports on it have the names of the clients and the advice as they are. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { judgeHar } from '../judge/judge-har.ts';
import { createHarFile } from './har-file.ts';
import { read, tokenFrom } from './testing/client-calls.ts';
import { proxyTo } from './testing/proxy-to.ts';
import { startWeb } from './testing/wire.ts';

test('no part of a mark of the proxy is replaced in the reports on its recording', async () => {
  let issued = 0;
  await using service = await startWeb((request, response) => {
    const body = request.url === '/token/' ? { token: `issued-4711-${++issued}-end` } : { ods_data: [] };
    request
      .resume()
      .once('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)));
  });
  const file = test.info().outputPath('traffic.har');
  const har = createHarFile(file, service.url);
  await using proxy = await proxyTo(service.url, { har });
  for (const id of ['station-north', 'station-south', 'lifetime'])
    for (const _ of [1, 2]) await read(proxy.url, await tokenFrom(proxy.url, id));
  await proxy.close();
  const { secrets, judged } = await proxy.result();
  expect(await har.finish(secrets, judged)).toBeUndefined();

  const reportDir = test.info().outputPath('reports');
  await judgeHar(file, { healthPaths: [], processes: 1, reportDir, print: 'quiet' });
  const reports = readdirSync(reportDir).filter((name) => /\.(json|html|md|xml)$/.test(name));
  expect(reports).toContain('report.json');
  for (const name of reports) {
    // The pages say what such names look like.
    const text = readFileSync(join(reportDir, name), 'utf8').replaceAll('such as ‹token 1›', '');
    expect(text.match(/.{0,40}‹(token|client secret|unknown token|credentials)[ \d]*›/)?.[0]).toBeUndefined();
  }
  const report = readFileSync(join(reportDir, 'report.json'), 'utf8');
  for (const name of ['station-north', 'station-south', 'Give --token-lifetime'])
    expect(report).toContain(name);
});
