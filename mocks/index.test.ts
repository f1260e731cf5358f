import { once } from 'node:events';
import { request as requestOver } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { MockError, type MockOptions, startMock } from './index.ts';
import { refusesOptions } from './testing/refused.ts';

test('close ends silent connections and unfinished requests, and may be called again', async () => {
  const mock = await startMock();
  const port = Number(new URL(mock.url).port);
  const unfinished = [
    '',
    'GET /health/ HTTP/1.1\r\n',
    'POST /token/ HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n',
  ];
  const ends = [];
  for (const bytes of unfinished) {
    const socket = connect(port, '127.0.0.1')
      .on('error', () => {})
      .resume();
    await once(socket, 'connect');
    ends.push(once(socket, 'close'));
    socket.write(bytes);
  }
  expect((await request(`${mock.url}/health/`)).statusCode).toBe(200); // so that all of them have arrived
  await mock.close();
  await mock.close();
  await Promise.all(ends);
});

test('a port in use is refused with a sentence', async () => {
  await using mock = await startMock();
  const port = Number(new URL(mock.url).port);
  await expect(startMock({ port })).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use.`);
  await expect(startMock({ port })).rejects.toBeInstanceOf(MockError);
});

for (const [what, options, sentence] of [
  ['a port that is none', { port: 65_536 }, /^The option port \(--port\) is 65536\. Use a whole number/],
  ...(['clients', 'basePath', 'profile', 'variant', 'controlKey'] as const).map((name) => [
    `null as the option ${name}`,
    { [name]: null },
    new RegExp(`^The option ${name} is null\\. Give it a value, or leave it out\\.$`),
  ]),
  ...[{}, 'demo', [null], []].map((clients) => [
    `${JSON.stringify(clients)} as clients`,
    { clients },
    /^The option clients must be a list with at least one client\. Add a client, or leave the option out\.$/,
  ]),
  ['a base path without a slash', { basePath: 'api' }, /^"api" is not a base path. Begin it with a slash/],
  ...['/..', '/api/../v1', '/./x', '/a/%2e%2E/b', '/.%2e'].map((basePath) => [
    `the base path ${basePath}`,
    { basePath },
    /^"\/[^"]+" is not a base path\. A client takes "\." and "\.\." out of a path\. Write it as in a URL: \/api\/v1\./,
  ]),
  ['a base path that is the control', { basePath: '/__mock/x' }, /is reserved for the control API/],
  ['a word that is no option', { lifetime: 3 }, /^"lifetime" is not an option of startMock\. /],
  [
    'a clock that is none',
    { clock: 'slow' },
    /^The option clock \(--clock\) is "slow"\. Use 'real' or 'frozen'/,
  ],
  ...['2030-02-30', '0', '-1', '99999-01-01', '-000001-01-01', '0000-01-01T00:00:00+01:00', 'May 2030'].map(
    (startsAt) => [
      `a start at ${startsAt}`,
      { startsAt },
      /^The option startsAt \(--starts-at\) is "[^"]+", which is not a date from the years 0 to 9999\. Write it as 2030-01-01T00:00:00Z\./,
    ],
  ),
  ...['localhost:4010', 'http://localhost', '127.0.0.1:80'].map((host) => [
    `the host ${host}`,
    { host },
    /^The option host \(--host\) is ".+"\. Give an address without a scheme, a port or a path/,
  ]),
  ...['host', 'basePath', 'profile', 'startsAt', 'seed'].map((name) => [
    `a number as the option ${name}`,
    { [name]: 5 },
    new RegExp(`^The option ${name} is 5, which is not a text\\.`),
  ]),
  ['an empty seed', { seed: '' }, /^The seed is empty\. /],
  ['an empty host', { host: '' }, /^The host is empty, which would mean every address/],
  ['an id that no path can hold', { clients: [{ id: '..', secret: 'x' }] }, /^"\.\." is not a valid client/],
  ['a host that is none', { host: '192.0.2.1' }, /EADDRNOTAVAIL.* Use an address of this machine/],
] as unknown as [string, MockOptions, RegExp][])
  test(`${what} is refused with a sentence`, () => refusesOptions(options, sentence));

test('an exchange begins when its request arrives, however late its body comes', async () => {
  await using mock = await startMock();
  const form = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': form.length,
    expect: '100-continue',
  };
  const sent = requestOver(`${mock.url}/token/`, { method: 'POST', headers });
  sent.flushHeaders();
  await once(sent, 'continue');
  const arrived = Date.now();
  while (Date.now() < arrived + 5) await fetch(`${mock.url}/health/`);
  sent.end(form);
  const [answer] = await once(sent, 'response');
  await text(answer);
  const entry = mock.journal({ operation: 'obtainToken' })[0];
  expect(Date.parse(entry?.wallAt ?? '')).toBeLessThanOrEqual(arrived);
});

test('two mocks with one seed and a frozen clock answer the same requests with the same bytes', async () => {
  const runs = [];
  for (const _ of [1, 2]) {
    await using mock = await startMock({ seed: 'seven', clock: 'frozen' });
    const ask = (head: string, body = '') => {
      const socket = connect(Number(new URL(mock.url).port), '127.0.0.1');
      const length = `content-length: ${body.length}\r\nconnection: close`;
      socket.end(`${head}\r\nhost: x\r\n${length}\r\n\r\n${body}`);
      return text(socket);
    };
    const form = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
    const type = 'content-type: application/x-www-form-urlencoded';
    const issued = await ask(`POST /token/ HTTP/1.1\r\n${type}`, form);
    const read = `GET /ods_data/ HTTP/1.1\r\nauthorization: Bearer ${/"token":"([\w-]+)"/.exec(issued)?.[1]}`;
    const answers = [issued, await ask(read)];
    mock.clock.advanceToExpiry('demo');
    runs.push([...answers, await ask(read), mock.clock.now()]);
  }
  expect(runs[1]).toEqual(runs[0]);
  expect(runs[0]).toEqual([
    ...[200, 200, 403].map((status) => expect.stringMatching(new RegExp(`^HTTP/1.1 ${status} `))),
    expect.any(Number),
  ]);
});
