import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { readAuthorities } from './target.ts';
import { createCertificate } from './testing/certificate.ts';

const one = createCertificate('one', {}).cert;
const other = createCertificate('other', {}).cert;

test('the certificates of a bundle are read, whatever is around them', () => {
  const bundle = fileOf(`# one\r\n${one.replaceAll('\n', '\r\n')}\nsubject=other\n${other}`);
  expect(readAuthorities(bundle).map((pem) => pem.replaceAll('\r', '').trim())).toEqual([
    one.trim(),
    other.trim(),
  ]);
});

for (const [what, text, problem] of [
  [
    'that is empty',
    '',
    /^--ca \(MRS_CA\) names .*, which holds no PEM certificate \(-----BEGIN CERTIFICATE-----\)\. Name/,
  ],
  ['with a key only', createCertificate('x', {}).key, /, which holds no PEM certificate /],
  [
    'in a binary form',
    Buffer.from(one.replace(/-.*-/g, ''), 'base64'),
    /; openssl x509 -inform der converts/,
  ],
  ['that is cut off', one.slice(0, 100), /, which holds no PEM certificate /],
  [
    'with a damaged certificate',
    one + other.replace(/\nM.{20}/, '\nM'),
    /, whose certificate 2 of 2 is damaged\. Get/,
  ],
] as const)
  test(`a file ${what} is refused with its name`, () => {
    const file = fileOf(text);
    expect(() => readAuthorities(file)).toThrow(problem);
    expect(() => readAuthorities(file)).toThrow(file);
  });

test('a missing file and a folder are refused with their name', () => {
  expect(() => readAuthorities('/nowhere/ca.pem')).toThrow(
    '--ca (MRS_CA) names /nowhere/ca.pem, which cannot be read (ENOENT). Name a file you can read.',
  );
  expect(() => readAuthorities('/')).toThrow('which cannot be read (EISDIR)');
});

function fileOf(content: string | Buffer): string {
  const name = test.info().outputPath('ca.pem');
  writeFileSync(name, content);
  return name;
}
