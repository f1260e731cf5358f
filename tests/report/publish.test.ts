import fs, { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createSecrets } from '../support/secrets.ts';
import { outputPath } from '../support/testing/output-path.ts';
import { UsageError } from '../support/usage-error.ts';
import { renderMarkdown } from './markdown.ts';
import { asWritten, clearReports, isReplaced, publish } from './publish.ts';
import { type Report, readReport } from './report.ts';
import type { Print } from './terminal.ts';
import { itemOf, reportWith } from './testing/made-report.ts';

const SECRET = 'hunter2-hunter2';

/** A file in a directory that is not there yet; with `text`, a file that is. */
function reportFile(text?: string): string {
  const file = outputPath('reports', 'report.json');
  if (text === undefined) return file;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function printed(print: () => void): unknown[] {
  const { log } = console;
  const lines: unknown[] = [];
  try {
    console.log = (...line) => lines.push(...line);
    print();
  } finally {
    console.log = log;
  }
  return lines;
}

for (const [what, character, escaped] of [
  ['a delete', '\x7f', '\\u007f'],
  ['a soft hyphen', '\u00ad', '\\u00ad'],
  ['a right-to-left override', '\u202e', '\\u202e'],
  ['a line separator', '\u2028', '\\u2028'],
  ['a byte order mark', '\ufeff', '\\ufeff'],
  ['a tag beyond the first plane', '\u{e0041}', '\\udb40\\udc41'],
] as const)
  test(`${what} is written as JSON writes it, and means the same`, () => {
    const text = asWritten(JSON.stringify(`a${character}b${character}`));
    expect(text).toBe(`"a${escaped}b${escaped}"`);
    expect(JSON.parse(text)).toBe(`a${character}b${character}`);
  });

test('every other character is written as it is', () => {
  const text = 'é ‹token 1› … 日本 שלום 🙂 \t\r\n ~ \u00a0 \\u202e';
  expect(asWritten(text)).toBe(text);
});

const report = reportWith([itemOf({ severity: 'security', seen: 'a form: 200' })]);
const ALL = ['junit.xml', 'report.html', 'report.json', 'summary.md'];
const directory = (): string => dirname(reportFile());

function published(one = report, { print = 'quiet', secret }: { print?: Print; secret?: string } = {}) {
  const secrets = createSecrets();
  if (secret !== undefined) secrets.register(secret, 'client secret');
  const { error } = console;
  const problems: string[] = [];
  let exitCode = 0;
  try {
    console.error = (line: string) => problems.push(line);
    const lines = printed(() => {
      exitCode = publish(one, { directory: directory(), print, secrets });
    });
    return { exitCode, problems, lines: stripVTControlCharacters(lines.join('\n')).split('\n') };
  } finally {
    console.error = error;
  }
}

test('a report is written in all its forms and printed, and its outcome is the exit code', () => {
  const step = outputPath('step.md');
  writeFileSync(step, 'others\n');
  process.env.GITHUB_STEP_SUMMARY = step;
  const { exitCode, problems, lines } = published();
  delete process.env.GITHUB_STEP_SUMMARY;
  expect([exitCode, problems]).toEqual([1, []]);
  expect(readdirSync(directory()).sort()).toEqual(ALL);
  expect(JSON.parse(readFileSync(reportFile(), 'utf8'))).toEqual(report);
  expect(readFileSync(step, 'utf8')).toBe(`others\n${renderMarkdown(report)}`);
  expect(lines.slice(-2)).toEqual([
    `report: ${join(directory(), 'report.html')}`,
    'outcome: nonconformant (1 failed)',
  ]);
});

for (const [how, seen] of [
  ['as it is', `secret=${SECRET}`],
  ['in base64', btoa(SECRET)],
  ['beside its alias', `‹client secret› ${SECRET}`],
] as const)
  test(`a secret ${how} is in no file and no line, but its alias`, () => {
    const request = { method: 'POST', path: `/${SECRET}`, form: { field: SECRET, [SECRET]: '' } };
    const judged = reportWith([itemOf({ seen })], { exchanges: [{ id: 'x1', what: seen, request }] });
    const { lines, exitCode } = published(judged, { secret: SECRET, print: 'text' });
    expect(exitCode).toBe(1);
    const all = [
      ...lines,
      ...readdirSync(directory()).map((name) => readFileSync(join(directory(), name), 'utf8')),
    ].join();
    expect(all).toContain('‹client secret›');
    for (const form of [SECRET, btoa(SECRET)]) expect(all).not.toContain(form);
  });

const good = reportWith([itemOf({ verdict: 'passed' })], { outcome: 'conformant', tally: '1 passed' });

/** What `publish` does on a disk that is full when the file of this name is written. */
function withoutSpaceFor<Result>(name: string, run: () => Result): Result {
  const { openSync: open } = fs;
  fs.openSync = (...given) => {
    if (basename(String(given[0])).includes(name)) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    return open(...given);
  };
  try {
    return run();
  } finally {
    fs.openSync = open;
  }
}

const ACCEPTED = { outcome: 'accepted', accepted: [], faults: [] } as const;
const passes: readonly (readonly [string, Report])[] = [
  ['of a conformant run', good],
  ['of a run that conforms to its profile', { ...good, outcome: 'conformant-to-profile' }],
  ['of a run that a baseline accepts', { ...report, baseline: ACCEPTED }],
];
for (const name of ['report.json', 'report.html', 'junit.xml', 'summary.md'])
  for (const [what, pass] of passes)
    test(`where ${name} ${what} cannot be written, no file, summary or line says that all is well`, () => {
      published(good); // Of an earlier run.
      const step = outputPath('step.md');
      writeFileSync(step, 'others\n');
      process.env.GITHUB_STEP_SUMMARY = step;
      const { exitCode, problems, lines } = withoutSpaceFor(name, () => published(pass, { print: 'text' }));
      delete process.env.GITHUB_STEP_SUMMARY;
      expect([exitCode, problems]).toEqual([2, [expect.stringContaining(`${name} could not be written`)]]);
      expect(readdirSync(directory())).toEqual([]);
      expect(readFileSync(step, 'utf8')).toBe('others\n');
      expect(lines).toContain('! The reports are not whole');
      expect(lines).toContain('→ Fix what made the run fail, and run again.');
      expect(lines.join('\n')).not.toMatch(/✓ All|Nothing has to|Have the accepted/);
      expect(lines.filter((line) => line.startsWith('outcome: '))).toEqual([
        'outcome: error (1 problem with the reports)',
      ]);
    });

test('where one file of a violation cannot be written, the others are kept', () => {
  expect(withoutSpaceFor('summary.md', () => published()).exitCode).toBe(2);
  expect(readdirSync(directory()).sort()).toEqual(ALL.filter((name) => name !== 'summary.md'));
});

for (const word of ['passed', 'conformant', 'nonconformant', 'schemaVersion', 'MRS-1', 'requirement'])
  test(`a report is whole where a secret is "${word}"`, () => {
    expect(published(report, { secret: word })).toMatchObject({ problems: [], exitCode: 1 });
    expect(readReport(reportFile())).toEqual(report);
  });

test('earlier reports are removed, and no other file', () => {
  published();
  writeFileSync(join(directory(), 'output.txt'), 'ours');
  clearReports(directory());
  expect(readdirSync(directory()).sort()).toEqual(['output.txt']);
});

test('a directory that cannot be written is an error of usage', () => {
  const file = reportFile('a file');
  for (const place of [join(file, 'reports'), '/proc/reports']) {
    expect(() => clearReports(place)).toThrow(UsageError);
    expect(() => clearReports(place)).toThrow(/^No report can be written to ".*" \(\w+\)\. Name another/);
  }
});

test('a file that a run would replace is known by any path', () => {
  const file = reportFile('a report');
  const link = outputPath('link');
  symlinkSync(directory(), link);
  expect(isReplaced(join(link, 'report.json'), directory())).toBe(true);
  expect(isReplaced(file, link)).toBe(true);
  expect(isReplaced(join(directory(), 'other.json'), directory())).toBe(false);
});
