import { expect, _baseTest as test } from '@playwright/test';
import { marked } from 'marked';
import { sample } from '../report/testing/sample-reports.ts';
import type { Draft } from './draft.ts';
import { writeQuestions } from './questions.ts';

const LINKS = [
  'https://evil.example/a',
  'HTTP://evil.example',
  'www.evil.example',
  'WWW.evil.example/x_y',
  '(https://evil.example)',
  'ftp://evil.example',
  'a@evil.example',
  'mailto:a@evil.example',
  'xmpp:a@evil.example/b',
  '[a](https://evil.example)',
  '<https://evil.example>',
  '![a](//evil.example)',
  '<img src=x>',
];

for (const text of LINKS)
  test(`${text} that a deployment chose is text in the questions`, () => {
    const [point] = sample.openPoints;
    if (!point) throw new Error('The sample has no open point.');
    const report = { ...sample, openPoints: [{ ...point, observed: `it said ${text} there` }] };
    const draft = { drafted: [], left: [] } as unknown as Draft;
    const html = marked.parse(writeQuestions(report, draft), { async: false, gfm: true });
    expect(html).toContain('it said');
    expect(html).not.toMatch(/<(a|img)\b/);
  });
