/** A run that did not verify certificates says so in every form of its report. */
import { stripVTControlCharacters, styleText } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { renderMarkdown } from '../../report/markdown.ts';
import { toText } from '../../report/markup.ts';
import { renderSummary } from '../../report/page-summary.ts';
import { blankEvidence } from '../testing/blank-evidence.ts';
import { modelOf } from './model.ts';
import { buildReport, reportSchema } from './report.ts';
import { renderReport } from './terminal.ts';
import { sample } from './testing/sample-reports.ts';

const SENTENCE = 'This run did not verify certificates';
const unverified = { ...sample, certificatesVerified: false as const };

test('the report has it as a member that the schema permits', () => {
  const report = buildReport([], { ...blankEvidence(), certificatesVerified: false }, [], []);
  expect(report.certificatesVerified).toBe(false);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(reportSchema));
  expect(validate(unverified), ajv.errorsText(validate.errors)).toBe(true);
  expect(validate({ ...unverified, certificatesVerified: 'no' })).toBe(false);
});

test('the terminal shows it in red, before the last line', () => {
  const lines = renderReport(unverified, { color: true }).split('\n');
  const at = lines.findIndex((line) => line.includes(SENTENCE));
  expect(lines[at]).toBe(styleText('red', stripVTControlCharacters(lines[at] ?? '')));
  expect(lines.at(-1)).toContain('outcome: ');
  expect(renderReport(sample, { color: true })).not.toContain(SENTENCE);
});

test('the page shows it in the colour of a failure', () => {
  expect(toText(renderSummary(modelOf(unverified)))).toContain(
    `<p class="warning failed" role="alert">${SENTENCE}`,
  );
  expect(toText(renderSummary(modelOf(sample)))).not.toContain('class="warning');
});

test('the Markdown shows it as a caution', () => {
  expect(renderMarkdown(modelOf(unverified))).toContain(`> [!CAUTION]\n> ${SENTENCE}`);
  expect(renderMarkdown(modelOf(sample))).not.toContain('CAUTION');
});
