import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { renderJunit } from '../../report/junit.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { renderPage } from '../../report/page.ts';
import { createSecrets } from '../../support/secrets.ts';
import { UsageError } from '../../support/usage-error.ts';
import { modelOf } from './model.ts';
import { broken, conformant } from './testing/sample-certificates.ts';
import { certificateSchema, writeReports } from './write-reports.ts';

const SECRET = 'hunter2-hunter2';
const ALL = ['junit.xml', 'report.html', 'report.json', 'report.schema.json', 'summary.md'];

function secrets(...values: string[]) {
  const known = createSecrets();
  for (const value of values) known.register(value, 'client secret');
  return known;
}

const directory = (): string => test.info().outputPath('reports');
const read = (file: string): string => readFileSync(join(directory(), file), 'utf8');

test.beforeEach(() => {
  delete process.env.GITHUB_STEP_SUMMARY;
});

test('all reports are written', () => {
  expect(writeReports(broken, directory()).problems).toEqual([]);
  expect(readdirSync(directory()).sort()).toEqual(ALL);
  expect(JSON.parse(read('report.json'))).toEqual(JSON.parse(JSON.stringify(broken)));
  expect(read('report.schema.json')).toBe(certificateSchema);
  expect(read('report.html')).toBe(renderPage(modelOf(broken)));
  expect(read('junit.xml')).toBe(renderJunit(modelOf(broken)));
  expect(read('summary.md')).toBe(renderMarkdown(modelOf(broken)));
});

test('the summary is added to that of the CI step', () => {
  const file = test.info().outputPath('step.md');
  writeFileSync(file, 'others\n');
  process.env.GITHUB_STEP_SUMMARY = file;
  writeReports(conformant, directory());
  expect(readFileSync(file, 'utf8')).toBe(`others\n${renderMarkdown(modelOf(conformant))}`);
});

test('what a client printed of its secret holds the reports back, older ones go, and the rest is written', () => {
  const scenarios = conformant.scenarios.map((one) => ({
    ...one,
    output: { file: 'output/a.txt', lastLines: `secret=${SECRET}` },
  }));
  writeReports(conformant, directory());
  const { problems } = writeReports({ ...conformant, scenarios }, directory(), secrets(SECRET));
  expect(readdirSync(directory()).sort()).toEqual(['junit.xml', 'report.schema.json']);
  expect(problems).toEqual(
    ['report.json', 'report.html', 'summary.md'].map(
      (file) => `${join(directory(), file)} would have shown client secret, and was held back.`,
    ),
  );
});

test('a secret in the command line holds back what shows it', () => {
  const client = { command: ['reader', '--secret', SECRET], processes: 1 };
  writeReports({ ...conformant, client }, directory(), secrets(SECRET));
  expect(readdirSync(directory())).toEqual(['report.schema.json']);
});

test('what is printed goes the same way', () => {
  const publisher = writeReports(conformant, directory(), secrets(SECRET));
  publisher.print(SECRET);
  expect(publisher.problems).toEqual(['The output would have shown client secret, and was held back.']);
});

test('a secret that is a word of every report holds nothing back', () => {
  const words = ['form-content-type', 'Parallel requests share', 'expiresMs', 'tokens / needed'];
  expect(writeReports(broken, directory(), secrets(...words)).problems).toEqual([]);
});

test('the output of the client, which lies there already, stays', () => {
  mkdirSync(join(directory(), 'output'), { recursive: true });
  writeFileSync(join(directory(), 'output', 'expires.txt'), 'printed');
  writeReports(broken, directory());
  expect(existsSync(join(directory(), 'output', 'expires.txt'))).toBe(true);
});

test('where nothing can be written, that is an error of usage', () => {
  writeFileSync(test.info().outputPath('file'), '');
  expect(() => writeReports(conformant, test.info().outputPath('file', 'reports'))).toThrow(UsageError);
});
