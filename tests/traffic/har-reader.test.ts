import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../support/usage-error.ts';
import { type HarReading, readHar } from './har-reader.ts';
import { bytesOf, harOf } from './testing/har.ts';

async function read(text: string, more: Partial<HarReading> & { pieces?: number } = {}) {
  const { pieces, ...rest } = more;
  const entries: unknown[] = [];
  const file = await readHar(bytesOf(text, pieces), {
    name: 'a.har',
    onEntry: (entry, number) => entries.push([number, entry]),
    ...rest,
  });
  return { ...file, list: entries };
}

const ENTRIES: object[] = [{ a: 'one, "two" ]}' }, { b: ['é', { c: null }] }, []];
const NUMBERED = ENTRIES.map((entry, at) => [at + 1, entry]);

for (const pieces of [1, 2, 7, 1000])
  test(`a file that comes ${pieces} bytes at a time is read entry by entry`, async () => {
    expect(await read(harOf(ENTRIES), { pieces, blockBytes: 1 })).toEqual({
      creator: 'made by hand',
      entries: 3,
      list: NUMBERED,
    });
  });

test('other members of the log may be anywhere, and a byte order mark is skipped', async () => {
  const log = {
    pages: [{ id: 'p' }],
    entries: ENTRIES,
    comment: 'x',
    creator: { name: 'late' },
    __proto__: {},
  };
  const text = `\ufeff ${JSON.stringify({ before: { log: {} }, log, after: [1] })} \n`;
  expect(await read(text)).toEqual({ creator: 'late', entries: 3, list: NUMBERED });
});

const whole = harOf(ENTRIES);
for (const [what, text, message] of [
  ['an empty file', '', 'it is empty (byte 0, line 1)'],
  ['a page', '<!doctype html>', 'an object is missing'],
  ['a list', '[]', 'an object is missing'],
  ['an object without a log', '{"entries":[]}', 'it has no member "log"'],
  ['a log without entries', '{"log":{"version":"1.2"}}', 'its log has no list "entries"'],
  ['entries that are not a list', '{"log":{"entries":{}}}', 'its log has no list "entries"'],
  ['a file that is cut off within an entry', whole.slice(0, -30), 'it is cut off'],
  ['a file that is cut off after the entries', whole.slice(0, -1), 'it is not JSON'],
  ['an entry that is not JSON', '{"log":{"entries":[{"a":tru}]}}', 'it is not JSON (byte 19, line 1)'],
  ['entries without a comma', '{"log":{"entries":[{} {}]}}', 'it is not JSON after entry 1'],
  ['text after the end', `${whole}{}`, 'something follows after its end'],
  [
    'an entry that is nested too deep',
    harOf([JSON.parse('['.repeat(70) + ']'.repeat(70))]),
    'nested more than 64 levels deep',
  ],
] as const)
  test(`${what} is refused with what is wrong`, async () => {
    const reading = read(text);
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(`a.har is not a HAR file: `);
    await expect(reading).rejects.toThrow(message);
  });

for (const [what, file, message] of [
  ['that is compressed', gzipSync(whole), 'it is compressed by gzip'],
  ['in UTF-16', Buffer.from(`\ufeff${whole}`, 'utf16le'), 'it is in UTF-16'],
  [
    'in UTF-16 with the high bytes first',
    Buffer.from(`\ufeff${whole}`, 'utf16le').swap16(),
    'it is in UTF-16',
  ],
] as const)
  test(`a file ${what} is refused with what it is`, async () => {
    async function* bytes() {
      yield file;
    }
    const reading = readHar(bytes(), { name: 'a.har', onEntry() {} });
    await expect(reading).rejects.toThrow(`a.har is not a HAR file: ${message}`);
  });

test('a value that is larger than the limit is refused while it is read', async () => {
  let sent = 0;
  async function* endless() {
    yield Buffer.from('{"log":{"entries":[{"a":"');
    for (;;) {
      sent++;
      yield Buffer.alloc(1024, 'x');
    }
  }
  const reading = readHar(endless(), {
    name: 'a.har',
    onEntry() {},
    valueBytes: 64 * 1024,
    blockBytes: 1024,
  });
  await expect(reading).rejects.toThrow(
    'the value after entry 0 is larger than 0.0625 MiB. Remove the bodies of other hosts',
  );
  expect(sent).toBeLessThan(200);
});
