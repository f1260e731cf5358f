/** What is kept of what a client prints, however it prints it. */
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, _baseTest as test } from '@playwright/test';
import { keepOutput } from './output.ts';

/** `text` is that of the output once all has been read that was written so far. */
function printing() {
  const out = new PassThrough();
  const err = new PassThrough();
  const output = keepOutput(out, err);
  return { out, err, text: () => turn().then(() => output.text()) };
}

test('both streams are kept in the order in which they were written', async () => {
  const { out, err, text } = printing();
  for (const [stream, line] of [
    [out, 'a\n'],
    [err, 'b\n'],
    [out, 'c\n'],
  ] as const) {
    stream.write(line);
    await turn();
  }
  expect(await text()).toBe('a\nb\nc\n');
});

test('nothing printed is no output, and a stream that breaks is no exception', async () => {
  const { out, text } = printing();
  out.destroy(new Error('EPIPE'));
  expect(await text()).toBe('');
});

test('a stream that closes early leaves the other open', async () => {
  const { out, err, text } = printing();
  out.end('first');
  await turn();
  err.write(' second');
  expect(await text()).toBe('first second');
});

test('a character that comes in two pieces is one, whatever the other stream says between them', async () => {
  const { out, err, text } = printing();
  const [euro, rest] = [Buffer.from('€').subarray(0, 1), Buffer.from('€').subarray(1)];
  out.write(euro);
  await turn();
  err.write('x');
  await turn();
  out.write(rest);
  expect(await text()).toBe('x€');
});

test('bytes that are no text are kept as what they cannot be', async () => {
  const { out, text } = printing();
  out.write(Buffer.from([0xff, 0x00, 0x41]));
  expect(await text()).toBe('\ufffd\u0000A');
});

test('up to 64 Ki characters are kept whole', async () => {
  const { out, text } = printing();
  const all = 'word '.repeat(13_000);
  out.write(all);
  expect(await text()).toBe(all);
});

test('of an output without an end the first and the last are kept, and how much is not', async () => {
  const { out, text } = printing();
  out.write('the first line\n');
  for (let n = 0; n < 100; n++) out.write(`${'x y '.repeat(2500)}\n`);
  out.write('the last line\n');
  const kept = await text();
  expect(kept).toMatch(/^the first line\n/);
  expect(kept).toMatch(/\nthe last line\n$/);
  expect(kept.length).toBeLessThan(66_000);
  expect(kept).toContain('\n… 934593 characters and more are left out here …\n');
});

test('of a word that is cut in two neither half is kept', async () => {
  const { out, text } = printing();
  const secret = 'S'.repeat(32);
  const half = 32 * 1024 - 16;
  out.write(`${'x '.repeat(half / 2)}${secret}${' x'.repeat(50_000)}${secret}${' x'.repeat(half / 2)}`);
  const kept = await text();
  expect(kept).toContain('left out here');
  expect(kept).not.toContain('S');
});
