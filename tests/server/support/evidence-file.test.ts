import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { blankEvidence } from '../testing/blank-evidence.ts';
import { readForeignEvidence, writeEvidence } from './evidence-file.ts';

const { evidence } = JSON.parse(writeEvidence(blankEvidence())) as { evidence: unknown };

test('a file that was written is read as it was', () => {
  const read = readForeignEvidence(file(writeEvidence(blankEvidence())));
  expect(read).toEqual({
    evidence,
    profile: undefined,
    digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
  });
});

for (const [what, text, sentence] of [
  [
    'is missing',
    undefined,
    /cannot be read as evidence \(ENOENT\)\. Name an evidence\.json that mrs verify wrote\.$/,
  ],
  ['is not JSON', '{', /cannot be read as evidence \(it is not JSON\)/],
  [
    'is a report',
    '{"schemaVersion":1}',
    /is not evidence of a run\. Name an evidence\.json that mrs verify wrote\.$/,
  ],
  ['is null', 'null', /is not evidence of a run/],
  [
    'has a newer format',
    written({ version: 5, suite: '9.0.0' }),
    /has the evidence format 5, written by mrs-contract 9\.0\.0; this is .*, which reads format 4\. Judge it with that version\.$/,
  ],
  [
    'lacks a probe',
    spoilt({ token: {} }),
    /is damaged: \/evidence\/token must have required property 'valid'/,
  ],
  [
    'has a damaged probe',
    spoilt({ health: [{ plain: { id: 'x1', what: 'a request' } }] }),
    /is damaged: \/evidence\/health\/0\/plain must have required property/,
  ],
  [
    'has a number for a probe',
    spoilt({ health: [{ plain: 5 }] }),
    /is damaged: \/evidence\/health\/0\/plain must be object/,
  ],
  [
    'waited in an unknown way',
    spoilt({ expiry: { kind: 'bogus' } }),
    /is damaged: \/evidence\/expiry\/kind must be/,
  ],
  [
    'has a version that is not a number',
    written({ version: { a: 1 }, suite: { toString: 1 } }),
    /is damaged: \/version must be equal to constant/,
  ],
  [
    'has no time',
    spoilt({ startedAt: 'yesterday' }),
    /is damaged: \/evidence\/startedAt must match format "date-time"/,
  ],
  [
    'names a profile without its contract',
    spoilt({ profile: { name: 'a', title: 'A', notOffered: [] } }),
    /is damaged: it names a profile, and lacks its contract\. Run mrs verify again, or name another file\.$/,
  ],
] as const)
  test(`a file that ${what} is refused with a reason`, () => {
    const name = text === undefined ? test.info().outputPath('missing') : file(text);
    expect(() => readForeignEvidence(name)).toThrow(sentence);
  });

test('a device is refused before it is read', () => {
  expect(() => readForeignEvidence('/dev/zero')).toThrow(
    /cannot be read as evidence \(it is not a regular file\)/,
  );
});

function file(text: string): string {
  const name = test.info().outputPath('evidence.json');
  writeFileSync(name, text);
  return name;
}

function written(changes: object): string {
  return JSON.stringify({ ...JSON.parse(writeEvidence(blankEvidence())), ...changes });
}

function spoilt(changes: object): string {
  return written({ evidence: { ...blankEvidence(), ...changes } });
}
