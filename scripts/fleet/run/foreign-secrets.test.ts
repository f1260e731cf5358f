import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { hideSecrets, secretsOfOthers } from './foreign-secrets.ts';
import type { Prepared } from './prepare.ts';

const prepared = (name: string, ...secrets: string[]): Prepared => ({
  entry: { name, baseUrl: `https://${name}.example`, line: 1 },
  variables: {},
  args: [],
  secrets,
  settings: '',
});
const SECRET = 'observatory-Kx81-qwertz';
const own = prepared('b', 'secret-of-b-and-c');
const all = [prepared('a', SECRET, 'short', 'conformant'), own, prepared('c', 'secret-of-b-and-c')];

/** What is left of a file with this text, and what was found in it. */
function hiddenIn(text: string): [string, string[]] {
  const folder = test.info().outputPath('b');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), text);
  const found = hideSecrets(folder, secretsOfOthers(all, own));
  return [readFileSync(join(folder, 'report.json'), 'utf8'), found];
}

for (const [form, text] of [
  ['as it is', SECRET],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in hexadecimal', Buffer.from(SECRET).toString('hex')],
] as const)
  test(`secret of another deployment, ${form}, is taken out of a report and named`, () => {
    expect(hiddenIn(JSON.stringify({ seen: `x ${text} y` }))).toEqual([
      '{"seen":"x ‹secret of a› y"}',
      ['secret of a'],
    ]);
  });

test('secret that is its own, or short, or a word of every report stays', () => {
  const text = '{"outcome":"conformant","seen":"short secret-of-b-and-c observatory"}';
  expect(hiddenIn(text)).toEqual([text, []]);
});

test('file of a report that cannot be searched is removed', () => {
  const folder = test.info().outputPath('b');
  mkdirSync(folder);
  symlinkSync('/nowhere', join(folder, 'report.html'));
  expect(hideSecrets(folder, secretsOfOthers(all, own))).toEqual([]);
  expect(() => readFileSync(join(folder, 'report.html'))).toThrow('ENOENT');
  symlinkSync('/nowhere', join(folder, 'report.html'));
});
