import { expect, test } from '@playwright/test';
import { outline, tokens } from '../../report/testing/markdown.ts';
import { HOSTILE, poisoned } from '../../server/report/testing/sample-reports.ts';
import { renderCertificateSummary } from './summary.ts';
import { broken, CHOSEN, conformant, faulty, SAMPLES } from './testing/sample-certificates.ts';

test('the first line is the outcome, and the second what the client is', () => {
  const [first, , second] = renderCertificateSummary(conformant).split('\n');
  expect(first).toBe('## ✓ conformant: 17 passed, 0 failed, 1 warned, 0 could not run, 3 not applicable');
  expect(second).toMatch(
    /^`python3 reader\.py --every 0\.5`: 55 requests in 5 scenarios, 31\.2 s, 14 tokens asked for, 8 would do\. The client is reactive: /,
  );
});

test('what failed comes before what was warned of, each with what was seen and what to do', () => {
  const summary = renderCertificateSummary(broken);
  expect(summary.match(/^### .*/gm)).toEqual([
    '### ✗ no-loop failed, MRS-5c',
    '### ✗ token-reuse failed, MRS-5.3a',
    '### ! stampede warned, good practice',
    '### Scenarios',
  ]);
  expect(summary).toContain('- parallel: 20 tokens were asked for in place of one. (calls 25–44)\n');
  expect(summary).toContain('\n\nWhat to do: Count the tries');
});

test('each scenario is a row of the table', () => {
  const rows = renderCertificateSummary(broken).match(/^\|.*/gm) ?? [];
  expect(rows.slice(0, 8)).toEqual([
    '| scenario | calls | tokens / needed | to be said |',
    '| --- | ---: | ---: | --- |',
    '| steady | 12 | 6 / 1 | ✗ token-reuse |',
    '| expires | 8 | 1 / 2 | ? ended early |',
    '| 403-stays | 500 | 249 / 1 | ✗ no-loop, time was up |',
    '| parallel | 64 | 21 / 2 | ✗ token-reuse, stampede |',
    '| token-429 | 0 | 0 / 0 | ? skipped |',
    '| data-reset | 0 | 0 / 0 | ? silent |',
  ]);
});

test('each rule is a row of a folded table, with the reason where there is no judgement', () => {
  const summary = renderCertificateSummary(broken);
  expect(summary).toContain('<details><summary>Every rule: 21</summary>');
  expect(summary).toContain(
    '| renewal | MRS-5.6c | ? could not run | An expired token is replaced, with the same credentials.<br>The client ended before it could renew a token. |',
  );
});

test('faults of the run come before all verdicts', () => {
  const summary = renderCertificateSummary(faulty);
  expect(summary.indexOf('The journal was lost.')).toBeGreaterThan(0);
  expect(summary.indexOf('The journal was lost.')).toBeLessThan(summary.indexOf('### Scenarios'));
});

test('what the client printed is folded, in code', () => {
  const blocks = tokens(renderCertificateSummary(broken)).filter(({ type }) => type === 'code');
  expect(blocks.map((block) => 'text' in block && block.text)).toEqual([
    expect.stringContaining('KeyError\\u{001b}[0m: \\u{0000}\\u{202e}<script>alert("x")</script>'),
  ]);
});

test('no report is too long for GitHub', () => {
  for (const report of [...Object.values(SAMPLES), poisoned(broken, '`<&'.repeat(20_000), CHOSEN)])
    expect(Buffer.byteLength(renderCertificateSummary(report))).toBeLessThan(300_000);
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the text stays text`, () => {
    const report = { ...broken, problems: ['It broke.'] };
    const markdown = renderCertificateSummary(poisoned(report, text, CHOSEN));
    expect(outline(markdown)).toEqual(outline(renderCertificateSummary(report)));
    expect(markdown).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    // GitHub finds mentions and addresses in all that is not code, whatever Markdown says.
    const prose = tokens(markdown).filter(
      (token) => ['text', 'escape', 'html'].includes(token.type) && !('tokens' in token && token.tokens),
    );
    expect(prose.map(({ raw }) => raw).join('\n')).not.toMatch(/@|:\/\/|www\.|#1|:tada:|<script|<img/);
  });
