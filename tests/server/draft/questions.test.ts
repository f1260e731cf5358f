import { expect, _baseTest as test } from '@playwright/test';
import { marked } from 'marked';
import { evidence, sample } from '../report/testing/sample-reports.ts';
import { writeQuestions } from './questions.ts';

const LINKS = [
  ...['https://evil.example/a', 'HTTP://evil.example', 'www.evil.example', 'WWW.evil.example/x_y'],
  ...['(https://evil.example)', 'ftp://evil.example', 'a@evil.example', 'mailto:a@evil.example'],
  ...['xmpp:a@evil.example/b', '[a](https://evil.example)', '<https://evil.example>'],
  ...['![a](//evil.example)', '<img src=x>'],
];

test('a link or an image that a deployment chose is text in the questions', () => {
  for (const text of LINKS) {
    const html = marked.parse(writeQuestions(sample, evidence, [`it said ${text} there`]), {
      async: false,
    });
    expect(html).toContain('it said');
    expect(html, text).not.toMatch(/<(a|img)\b/);
  }
});
