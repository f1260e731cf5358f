/** A proxy as a whole: what it reports. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { reportOf } from '../judge/report.ts';
import type { Forwarded } from './forward.ts';
import { createRecorder, type ProxySettings } from './proxy.ts';
import { runProxy } from './run-proxy.ts';
import { proxyTo, read, SECRET, tokenFrom } from './testing/proxied.ts';
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

for (const [host, sentence] of [
  ['localhost', 'leads to the proxy itself'],
  ['127.0.0.1', 'leads to the proxy itself'],
  ['[::1]', 'leads to the proxy itself'],
  ['mrs.example', '--har "/dev/null" cannot be written'], // Another host may listen at the same port.
] as const)
  test(`the target ${host} at the port of the proxy gets the sentence that has "${sentence}"`, async () => {
    const more = { host: '127.0.0.1', processes: 1, reportDir: outputPath('reports'), har: '/dev/null' };
    const options = {
      ...more,
      target: `http://${host}:4020`,
      port: 4020,
      quiet: true,
      print: 'quiet',
    } as const;
    await expect(runProxy(options)).rejects.toThrow(sentence);
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

test('a form that is too large to keep is not taken for one without fields', async () => {
  await using service = await startWeb((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json').end('{"token":"a-token-of-it-4711"}');
    });
  });
  const rest = `grant_type=client_credentials&client_id=acme&client_secret=${SECRET}`;
  for (const [padding, verdict] of [
    [10, 'passed'],
    [70_000, 'not-seen'],
  ] as const) {
    await using proxy = await proxyTo(service.url);
    const body = `padding=${'x'.repeat(padding)}&${rest}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    await (await fetch(`${proxy.url}/token/`, { method: 'POST', body, headers })).text();
    await proxy.close();
    const { server } = (await proxy.result()).judged;
    expect(server.filter((one) => one.verdict === 'failed')).toEqual([]);
    expect(server.find(({ requirement }) => requirement.id === 'MRS-4.1a')?.verdict).toBe(verdict);
  }
});

test('a port that is in use leaves the HAR file of before as it is', async () => {
  await using other = await startRaw(() => {});
  const har = outputPath('before.har');
  mkdirSync(outputPath(), { recursive: true });
  writeFileSync(har, 'of before');
  const port = Number(new URL(other.url).port);
  const more = { host: '127.0.0.1', processes: 1, reportDir: outputPath('reports'), har, port };
  const options = { ...more, target: 'http://mrs.example', quiet: true, print: 'quiet' } as const;
  await expect(runProxy(options)).rejects.toThrow('in use');
  expect(readFileSync(har, 'utf8')).toBe('of before');
});

// One exchange that cannot be recorded: the traffic goes on, and the loss is counted and reported once.

const passed = (more: Partial<Forwarded> = {}): Forwarded => ({
  request: { method: 'GET', url: '/ods_data/', rawHeaders: ['Authorization', 'Bearer a-token-0815'] },
  ...{ startMs: 1, endMs: 2, body: bodyOf() },
  answer: { status: 200, rawHeaders: ['Content-Encoding', 'gzip'], body: bodyOf('not gzip') },
  ...more,
});
const bodyOf = (text?: string): Forwarded['body'] => ({
  ...{ add() {}, drop() {} },
  content: () => (text === undefined ? undefined : Buffer.from(text)),
});
const failing = (thrown: unknown) => () => {
  throw thrown;
};

for (const [what, broken, more] of [
  ['whose body cannot be read', { body: { ...bodyOf('x'), content: failing(new TypeError(SECRET)) } }, {}],
  ['without headers', { request: { method: 'GET' } as Forwarded['request'] }, {}],
  [
    'without an answer body',
    { answer: { status: 200, rawHeaders: [] } as unknown as Forwarded['answer'] },
    {},
  ],
  ['whose line cannot be printed', {}, { onCall: failing(new Error(SECRET)) }],
  ['that ends with a text in place of an error', {}, { onCall: failing(SECRET) }],
] as [string, Partial<Forwarded>, Partial<ProxySettings>][])
  test(`an exchange ${what} is counted, and those after it are recorded`, async () => {
    const sentences: string[] = [];
    const settings = { target: 'http://mrs.example', processes: 1, ...more };
    const recorder = createRecorder({ ...settings, onTrouble: (one) => sentences.push(one) });
    for (const one of [broken, broken, {}]) recorder.add(passed(one));
    const { recording, judged } = await recorder.result();
    expect(recording.exchanges.at(-1)?.entry).toBe(3);
    expect(recording.left.unread.count).toBe(more.onCall ? 3 : 2);
    expect(sentences).toEqual([expect.stringMatching(/^Exchange 1 was not recorded \(\w+ at .*Report this/)]);
    const report = reportOf(recording, judged, { startedAt: '', durationMs: 1, isProxy: true });
    expect(report.outcome).not.toBe('conformant');
    expect(report.remarks.join()).toMatch(
      more.onCall
        ? /Not recorded: 3 exchanges\. /
        : /Not recorded: 2 exchanges\. Exchange 1 was not recorded \(/,
    );
    expect(report.remarks.join()).not.toContain('entries');
    expect(sentences.join() + report.remarks.join()).not.toContain(SECRET);
  });

test('an answer that does not decode is recorded, without its body', async () => {
  const recorder = createRecorder({ target: 'http://mrs.example', processes: 1 });
  recorder.add(passed());
  const { recording } = await recorder.result();
  expect([recording.exchanges.length, recording.left.unread.count]).toEqual([1, 0]);
});

test('a service and its clients go on where no exchange can be recorded', async () => {
  await using service = await startWeb((_, response) => response.end('{}'));
  await using proxy = await proxyTo(service.url, { onCall: failing(new Error('x')) });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  for (let nth = 0; nth < 3; nth++) expect((await fetch(`${proxy.url}/other/`)).status).toBe(200);
  await proxy.close();
  expect((await proxy.result()).recording.left.unread.count).toBe(3);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
