import { expect, test } from '@playwright/test';
import { outline, tokens } from '../../report/testing/markdown.ts';
import { inOneLine } from '../../report/text.ts';
import { renderSummary } from './summary.ts';
import { HOSTILE, poisoned, proof, sample } from './testing/sample-reports.ts';

const report = { ...sample, problems: ['It broke.'] };

test('the first line is the outcome', () => {
  expect(renderSummary(sample).split('\n', 1)).toEqual([
    '## ✗ nonconformant: 1 passed, 1 failed, 1 could not run, 1 not applicable',
  ]);
});

test('each requirement is a row of the table, with its verdict and the reason of it', () => {
  const rows = renderSummary(sample).match(/^\|.*/gm);
  expect(rows).toEqual([
    '| requirement | verdict | statement |',
    '| --- | --- | --- |',
    '| MRS-2a | ✓ passed | What MRS-2a states. |',
    '| MRS-4.1j | ✗ failed | What MRS-4.1j states. |',
    '| MRS-4.2a | ? could not run | What MRS-4.2a states.<br>No answer came. |',
    '| MRS-4.3a | – not applicable | What MRS-4.3a states.<br>The paths are not shown. |',
  ]);
});

test('a failure says what was expected, what was seen and how to see it again', () => {
  const blocks = tokens(renderSummary(sample)).filter(({ type }) => type === 'code');
  expect(blocks.map((block) => 'text' in block && block.text)).toEqual([
    [
      'Expected: no token',
      'Seen:     a form with a wrong client_secret: 200, application/json',
      'Known by: waited for the agreed lifetime',
    ].join('\n'),
    expect.stringMatching(/^# a form with a wrong client_secret\ncurl --include "\$MRS_BASE_URL\/token\/"/),
    expect.stringContaining('read -rs MRS_CLIENT_SECRET'),
    expect.stringContaining('TOKEN=$(curl'),
  ]);
});

test('open points are folded, with what was observed alone', () => {
  const summary = renderSummary(sample);
  expect(summary).toContain('<summary>Open points: 1 of 2 seen on the wire, none judged</summary>');
  expect(summary).toContain('- MRS-7d: The codes of errors. `400, 401`');
  expect(summary).not.toContain('MRS-9');
});

test('the proof is told, or that there is none', () => {
  expect(renderSummary(sample)).toContain('No proof was run.');
  expect(renderSummary({ ...sample, proof })).toContain('the suite caught 31');
});

test('faults of the run come before all verdicts', () => {
  const summary = renderSummary(report);
  expect(summary.indexOf('It broke.')).toBeGreaterThan(0);
  expect(summary.indexOf('It broke.')).toBeLessThan(summary.indexOf('MRS-4.1j'));
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the text stays text`, () => {
    const markdown = renderSummary({ ...poisoned(report, text), proof });
    expect(outline(markdown)).toEqual(outline(renderSummary({ ...report, proof })));
    expect(markdown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    const target = tokens(markdown).find(({ type }) => type === 'codespan');
    expect(target && 'text' in target && target.text).toBe(
      inOneLine(`${text}${report.target.baseUrl}${text}`),
    );
    // GitHub finds mentions and addresses in all that is not code, whatever Markdown says.
    const prose = tokens(markdown).filter(
      (token) => ['text', 'escape', 'html'].includes(token.type) && !('tokens' in token && token.tokens),
    );
    expect(prose.map(({ raw }) => raw).join('\n')).not.toMatch(/@|:\/\/|www\.|#1|:tada:|<script|<img/);
  });

test('what a deployment sent cannot make the summary too long for GitHub', () => {
  const endless = poisoned(report, '`<&'.repeat(100_000));
  expect(Buffer.byteLength(renderSummary(endless))).toBeLessThan(200_000);
});
