/** What arrives at a port besides good requests: too much, too slowly, or no HTTP at all. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listening } from './listening.ts';

const POST = 'POST /token/ HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\n';
const form = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';

test('a body of 64 KiB is read, and one byte more is refused with 413', async () => {
  await using server = await listening({});
  const padded = (length: number) =>
    `${POST}connection: close\r\ncontent-length: ${length}\r\n\r\n${form}&x=`;
  const fill = (length: number) => padded(length) + 'x'.repeat(length - form.length - 3);
  expect(await server.exchange(fill(65_536))).toContain('HTTP/1.1 200 OK');
  const refused = await server.exchange(fill(65_537));
  expect(refused).toMatch(/^HTTP\/1.1 413 /);
  expect(refused).toContain('larger than 64 KiB');
  expect(refused).not.toContain('token"');
});

test('a body announced as too large is refused before it arrives', async () => {
  await using server = await listening({ requestMs: 20 });
  expect(await server.exchange(`${POST}content-length: 999999999\r\n\r\n`)).toMatch(/^HTTP\/1.1 413 /);
});

test('a chunked body without an end is refused with 413, and the connection is closed', async () => {
  await using server = await listening({ requestMs: 20 });
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const refused = await server.exchange(`${POST}transfer-encoding: chunked\r\n\r\n${chunk.repeat(5)}`);
  expect(refused).toMatch(/^HTTP\/1.1 413 /);
});

test('after a body that was refused the connection goes on', async () => {
  await using server = await listening({});
  const body = 'x'.repeat(4 * 1024 * 1024);
  const answers = await server.exchange(
    `${POST}content-length: ${body.length}\r\n\r\n${body}${get('/health/')}`,
  );
  expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});

test('a head that does not end is answered with 408 and closed', async () => {
  await using server = await listening({ requestMs: 20 });
  expect(await server.exchange('GET /health/ HTTP/1.1\r\nhost: x\r\n')).toMatch(/^HTTP\/1.1 408 /);
});

test('a body that does not end is answered with 408 and closed, and is not logged as an error', async () => {
  await using server = await listening({ requestMs: 20 });
  expect(await server.exchange(`${POST}content-length: 100\r\n\r\ngrant_type=`)).toMatch(/^HTTP\/1.1 408 /);
  expect(server.faults).toEqual([]);
});

test('a client that disconnects in the middle of a body is not logged as an error', async () => {
  await using server = await listening({});
  const socket = connect(server.port, '127.0.0.1');
  const served = once(server.http, 'request');
  socket.write(`${POST}content-length: 100\r\n\r\ngrant_type=`);
  const [request] = await served;
  const closed = new Promise((resolve) => request.once('close', resolve));
  socket.destroy();
  await closed;
  expect(await server.exchange(get('/health/'))).toContain('"status":"ok"');
  expect(server.faults).toEqual([]);
});

for (const [what, target, status] of [
  ['malformed percent-encoding', '/%zz%/ods_data/', 404],
  ['two slashes', '//', 404],
  ['two slashes before a path', '//ods_data/', 404],
  ['an asterisk', '*', 404],
  ['a fragment', '/health/#x', 200],
  ['the absolute form', 'http://elsewhere.example/health/?x', 200],
  ['the absolute form with a broken address', 'http://[/health/', 404],
  ['dots', '/x/../health/', 404],
  ['an encoded slash', '/health%2F', 404],
  ['ten thousand characters', `/${'x'.repeat(10_000)}`, 404],
  ['the name of a property of objects', '/__proto__', 404],
] as const)
  test(`a target with ${what} is answered with ${status}`, async () => {
    await using server = await listening({});
    const answer = await server.exchange(get(target));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.length).toBeLessThan(600);
    expect(server.faults).toEqual([]);
  });

for (const [what, bytes] of [
  ['no HTTP', 'hello\r\n\r\n'],
  ['a method that does not exist', 'NOPE /health/ HTTP/1.1\r\nhost: x\r\n\r\n'],
  ['a head that is too large', `GET /health/ HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ['two lengths', `${POST}content-length: 1\r\ncontent-length: 2\r\n\r\nx`],
  ['a request for a tunnel', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n'],
] as const)
  test(`${what} closes its own connection, and the mock goes on`, async () => {
    await using server = await listening({});
    expect(await server.exchange(bytes)).toMatch(/^(HTTP\/1.1 4\d\d .*)?$/s);
    expect(await server.exchange(get('/health/'))).toContain('"status":"ok"');
    expect(server.faults).toEqual([]);
  });

const get = (target: string) => `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
