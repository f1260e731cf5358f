import fs, { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { ledger } from '../support/requirements.ts';
import { createSecrets } from '../support/secrets.ts';
import { outputPath } from '../support/testing/output-path.ts';
import { UsageError } from '../support/usage-error.ts';
import { renderMarkdown } from './markdown.ts';
import { clearReports, createPublisher, isReplaced, publish } from './publish.ts';
import type { Report } from './report.ts';
import type { Print } from './terminal.ts';
import { itemOf, reportWith } from './testing/made-report.ts';

const SECRET = 'hunter2-hunter2';

function publisherKnowing(secrets: Record<string, string>, own?: string) {
  const known = createSecrets();
  for (const [alias, value] of Object.entries(secrets)) known.register(value, alias);
  return createPublisher(known, own);
}

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

test('file is written with the directories above it, and replaces an older one, but no unfinished one of another process', () => {
  const publisher = publisherKnowing({ 'client secret': SECRET });
  const file = reportFile();
  publisher.write(file, 'an older and longer report');
  const unfinished = `${file}.${process.pid}.tmp`; // On another machine, a process has the same id.
  writeFileSync(unfinished, 'half');
  publisher.write(file, 'all is well\n');
  expect([file, unfinished].map((one) => readFileSync(one, 'utf8'))).toEqual(['all is well\n', 'half']);
  expect(publisher.problems).toEqual([]);
});

for (const [how, text] of [
  ['as it is', SECRET],
  ['in base64', btoa(SECRET)],
  ['beside its alias', `‹client secret› ${SECRET}`],
] as const)
  test(`a secret ${how} holds the file back, an older file goes, and the secret is named by its alias`, () => {
    const publisher = publisherKnowing({ 'client secret': SECRET });
    const file = reportFile('an older report');
    publisher.write(file, `it is ${text}.`);
    expect(existsSync(file)).toBe(false);
    expect(publisher.problems).toEqual([`${file} would have shown client secret, and was held back.`]);
  });

test('every secret is named, and one file that is held back holds back no other', () => {
  const publisher = publisherKnowing({ 'client secret': SECRET, 'token 1': 'token-token' });
  const file = reportFile();
  publisher.write(file, `${SECRET} token-token`);
  publisher.write(`${file}.html`, '‹client secret› ‹token 1›');
  expect(readFileSync(`${file}.html`, 'utf8')).toBe('‹client secret› ‹token 1›');
  expect(publisher.problems).toEqual([
    `${file} would have shown client secret and token 1, and was held back.`,
  ]);
});

for (const [what, character, escaped] of [
  ['a delete', '\x7f', '\\u007f'],
  ['a soft hyphen', '\u00ad', '\\u00ad'],
  ['a right-to-left override', '\u202e', '\\u202e'],
  ['a line separator', '\u2028', '\\u2028'],
  ['a byte order mark', '\ufeff', '\\ufeff'],
  ['a tag beyond the first plane', '\u{e0041}', '\\udb40\\udc41'],
] as const)
  test(`${what} is written as JSON writes it, and means the same`, () => {
    const text = JSON.stringify(`a${character}b${character}`);
    const file = reportFile();
    publisherKnowing({}).write(file, text);
    publisherKnowing({}).append(file, `\n${text}`);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines).toEqual(Array(2).fill(`"a${escaped}b${escaped}"`));
    expect(JSON.parse(lines[0] ?? '')).toBe(`a${character}b${character}`);
  });

test('every other character is written as it is', () => {
  const text = 'é ‹token 1› … 日本 שלום 🙂 \t\r\n ~ \u00a0 \\u202e';
  const file = reportFile();
  publisherKnowing({}).write(file, text);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('text is appended to a file of others, and a secret is neither appended nor printed', () => {
  const publisher = publisherKnowing({ 'client secret': SECRET });
  const file = reportFile('others\n');
  publisher.append(file, 'ours\n');
  publisher.append(file, SECRET);
  expect(readFileSync(file, 'utf8')).toBe('others\nours\n');
  const lines = printed(() => {
    publisher.print('\x1b[32mwell\x1b[39m');
    publisher.print(`well ${SECRET}`);
  });
  expect(lines).toEqual(['\x1b[32mwell\x1b[39m']);
  expect(publisher.problems).toEqual(
    [file, 'The output'].map((where) => `${where} would have shown client secret, and was held back.`),
  );
});

for (const [where, word] of [
  ['the ledger', ledger[0]?.statement ?? ''],
  ['all reports', 'Open points seen on the wire'],
  ['this report', 'a word of the report'],
] as const)
  test(`a secret that is a word of ${where} holds nothing back`, () => {
    const publisher = publisherKnowing({ 'client secret': word }, 'with a word of the report in it');
    const file = reportFile();
    publisher.write(file, word);
    expect(readFileSync(file, 'utf8')).toBe(word);
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

test('a report with a secret is held back, and an earlier report is removed', () => {
  published();
  const { exitCode, problems, lines } = published(reportWith([itemOf({ seen: `secret=${SECRET}` })]), {
    secret: SECRET,
  });
  expect(readdirSync(directory())).toEqual([]);
  expect(exitCode).toBe(2);
  expect(problems).toEqual(
    [
      ...['report.json', 'report.html', 'junit.xml', 'summary.md'].map((file) => join(directory(), file)),
      'The output',
    ].map((what) => `mrs: ${what} would have shown client secret, and was held back.`),
  );
  expect(lines.slice(-1)).toEqual(['outcome: error (5 problems with the reports)']);
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

test('a secret that is a word of every report, or a word of ours in this report, holds nothing back', () => {
  for (const word of ['Conformance report', 'schemaVersion', 'It is so.', 'to be tested', 'Fix what failed'])
    expect(published(report, { secret: word }).problems, word).toEqual([]);
});

const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, nth) => 32 + nth));
const exchanges = Array.from({ length: 70 }, (_, nth) => ({
  ...{ id: `x${nth + 1}`, what: 'the data with a shortly expired token', sentAtMs: nth, durationMs: 1 },
  request: { method: 'GET', path: '/ods_data/', headers: [['X-Requested-With', 'XMLHttpRequest']] },
})) as NonNullable<Report['exchanges']>;
const ofRun: Report = {
  ...reportWith([itemOf({ exchanges: exchanges.map(({ id }) => id) })]),
  ...{ judge: 'verify', exchanges },
};
for (const [what, secret] of [
  ['of every printable character of ASCII, which ids in a row spell as bytes', printable],
  ['of the alphabet', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'],
  ['that is a word of a request', 'shortly'],
  ['that is the value of a header that the run sends', 'XMLHttpRequest'],
] as const)
  test(`a secret ${what} holds nothing back`, () => {
    expect(published(ofRun, { secret })).toMatchObject({ problems: [], exitCode: 1 });
  });

test('a secret in an answer that ids surround is held back in any encoding', () => {
  for (const seen of [printable, btoa(printable), Buffer.from(printable).toString('hex')])
    expect(published({ ...ofRun, items: [itemOf({ seen })] }, { secret: printable }).problems).not.toEqual(
      [],
    );
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
