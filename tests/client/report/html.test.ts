import { expect, test } from '@playwright/test';
import { outline, textOf, withoutStyle } from '../../report/testing/outline.ts';
import { visible } from '../../report/text.ts';
import { HOSTILE, poisoned } from '../../server/report/testing/sample-reports.ts';
import { renderCertificateHtml } from './html.ts';
import { broken, CHOSEN, conformant, faulty, SAMPLES } from './testing/sample-certificates.ts';

const header = (html: string): string => textOf(html.split('<main>')[0] ?? '');
/** The part of the page on one scenario. */
const sectionOf = (html: string, name: string): string =>
  html.match(new RegExp(`<section id="scenario-${name}".*?</section>`, 's'))?.[0] ?? '';
const articleOf = (html: string, rule: string): string =>
  html.match(new RegExp(`<article id="rule-${rule}".*?</article>`, 's'))?.[0] ?? '';

test('the page forbids itself to load, run and send anything, before all else', () => {
  expect(renderCertificateHtml(conformant).replaceAll('&#39;', "'")).toMatch(
    /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">/,
  );
});

for (const [name, report] of Object.entries(SAMPLES)) {
  test(`${name}: the page names nothing outside of itself, and has no script`, () => {
    const html = renderCertificateHtml(report);
    expect(html).not.toMatch(
      /<(script|link|img|image|iframe|object|embed|form|base|use)\b|\ssrc=|@import|url\(/i,
    );
    expect(html.match(/href="[^"]*"/g)?.filter((href) => !href.startsWith('href="#'))).toEqual([]);
  });

  test(`${name}: every link leads to one place in the page`, () => {
    const html = renderCertificateHtml(report);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const missing = [...html.matchAll(/href="#([^"]*)"/g)].filter(([, anchor]) => !ids.includes(anchor));
    expect(missing.map(([href]) => href)).toEqual([]);
  });
}

test('the first screen tells the outcome, the strategy, the tokens, the counts and what is wrong', () => {
  const text = header(renderCertificateHtml(broken));
  expect(text).toContain('nonconformant');
  expect(text).toContain('The client was not seen to renew a token, neither by its clock nor on a 403.');
  expect(text).toContain('277 tokens asked for, 6 would do');
  expect(text).toMatch(/2\s*✗ failed1\s*! warned3\s*\? could not run14\s*✓ passed1\s*– not applicable/);
  expect(text).toContain('✗ failed token-reuse, no-loop');
  expect(text).toContain('renewal, retry: The client ended before it could renew a token.');
});

test('faults of the run are told on the first screen', () => {
  const text = header(renderCertificateHtml(faulty));
  expect(text).toContain('2 faults of the run');
  expect(text).toContain('The journal was lost.');
  expect(text).toContain('by its own clock, typically 0.3 s before its expiry');
});

test('processes are told where there are several', () => {
  expect(header(renderCertificateHtml(conformant))).not.toContain('Processes');
  const client = { processes: 3 };
  const text = header(renderCertificateHtml({ ...conformant, client }));
  expect(text).toContain('Processes3, with one client id');
  expect(text).toContain('came by itself');
});

test('rules stand by clause, in the order of the specification, and good practice after them', () => {
  const titles = [...renderCertificateHtml(broken).matchAll(/<section class="clause">\n<h3>(.*?)<\/h3>/g)];
  expect(titles.map(([, title]) => title)).toEqual([
    ...['Clause 4.1', 'Clause 4.2', 'Clause 5', 'Clause 5.2', 'Clause 5.3', 'Clause 5.4', 'Clause 5.6'],
    ...['Clause 7', 'Good practice'],
  ]);
});

test('a rule that failed has its findings, links to the calls, and one paragraph of advice', () => {
  const article = articleOf(renderCertificateHtml(broken), 'token-reuse');
  expect(article).toContain('class="requirement failed"');
  expect(article.match(/<li id="finding-\d+"/g)).toEqual(['<li id="finding-2"', '<li id="finding-3"']);
  expect(article).toContain('<a href="#scenario-steady-call-3">3<span class="unseen"> of steady</span></a>');
  expect(article.match(/What to do/g)).toHaveLength(1);
  expect(textOf(article)).toContain('Each of 6 calls had a token of its own');
});

test('a rule that passed has neither findings nor advice; one that could not run has its reason', () => {
  const html = renderCertificateHtml(broken);
  expect(textOf(articleOf(html, 'data-accept'))).not.toContain('What to do');
  expect(textOf(articleOf(html, 'retry-after'))).toContain('The scenario token-429 was never begun.');
});

test('a finding in a scenario that is not there leads nowhere, and is told', () => {
  const html = renderCertificateHtml({ ...broken, scenarios: [] });
  expect(textOf(articleOf(html, 'no-loop'))).toContain('403-stays: The same request was refused 249 times');
  expect(articleOf(html, 'no-loop')).not.toContain('href="#scenario');
});

for (const [scenario, words] of [
  ['token-429', 'This scenario was never begun.'],
  ['data-reset', 'The client never called. It ended by itself, with exit code 127.'],
  ['expires', 'The client ended by itself, with exit code 1, before all that the scenario is for was seen.'],
  ['403-stays', 'Time was up before all that the scenario is for was seen.'],
  ['parallel', '64 calls in 2.31 s; 21 tokens asked for, 2 would do; tokens live 6 s, as agreed.'],
] as const)
  test(`scenario ${scenario} is told in words`, () => {
    expect(textOf(sectionOf(renderCertificateHtml(broken), scenario))).toContain(words);
  });

test('a scenario without calls has no drawing and no table', () => {
  expect(sectionOf(renderCertificateHtml(broken), 'data-reset')).not.toMatch(/<svg|<table|<details/);
});

test('a finding is marked on the drawing, beside words for those who see none', () => {
  const section = sectionOf(renderCertificateHtml(broken), 'parallel');
  expect(section).toContain(
    '<a class="flag failed" href="#finding-3" aria-label="Finding 3: token-reuse failed">',
  );
  expect(section).toContain(
    '<a class="flag warned" href="#finding-4" aria-label="Finding 4: stampede warned">',
  );
  expect(textOf(section)).toContain('3 token-reuse: 20 tokens were asked for in place of one.');
});

test('the table has each call with time, answer, reason and token', () => {
  const rows = sectionOf(renderCertificateHtml(conformant), 'ended-early').match(/<tr.*?<\/tr>/g) ?? [];
  expect(
    rows.slice(1, 5).map((row) =>
      row
        .replace(/<[^>]*>/g, '|')
        .replace(/[|\s]+/g, ' ')
        .trim(),
    ),
  ).toEqual([
    '1 0.001 s POST /token/ 200 issued 1 issued',
    '2 0.031 s GET /ods_data/ 200 served 1',
    '3 0.531 s GET /ods_data/ 200 served 1',
    '4 1.031 s GET /ods_data/ 403 expired 1, expired',
  ]);
});

test('of five hundred calls the table has the first, the last and those that prove a finding', () => {
  const [, ...rules] = broken.rules;
  const [first] = broken.rules;
  const finding = { severity: 'fails' as const, scenario: '403-stays', seen: 'It was.', calls: [250] };
  if (!first) throw new Error('The sample has rules.');
  const report = {
    ...broken,
    rules: [{ ...first, verdict: 'failed' as const, findings: [finding] }, ...rules],
  };
  const section = sectionOf(renderCertificateHtml(report), '403-stays');
  const ids = [...section.matchAll(/id="scenario-403-stays-call-(\d+)"/g)].map(([, id]) => Number(id));
  expect(ids).toHaveLength(81);
  expect(ids).toEqual(expect.arrayContaining([1, 60, 250, 481, 500]));
  expect(textOf(section)).toContain('Calls: 81 of 500');
});

test('thirteen loops of five hundred calls make less than a megabyte', () => {
  expect(Buffer.byteLength(renderCertificateHtml(SAMPLES.endless))).toBeLessThan(1_000_000);
});

test('what the client printed is folded, and spelt out', () => {
  const section = sectionOf(renderCertificateHtml(broken), 'expires');
  expect(section).toContain('<details><summary>What the client printed');
  expect(section).toContain('\\u{001b}[31mKeyError');
  expect(section).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  expect(textOf(section)).toContain('output/expires.txt');
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the page has the same tags and attributes, and nothing unseen`, () => {
    const report = { ...broken, problems: ['It broke.'] };
    const html = withoutStyle(renderCertificateHtml(poisoned(report, text, CHOSEN)));
    // Where the moment of the run is no date, it is no element either.
    const expected = outline(withoutStyle(renderCertificateHtml(report))).filter(
      (tag) => !/^<\/?time\b/.test(tag),
    );
    expect(outline(html)).toEqual(expected);
    expect(textOf(html)).toContain(visible(`${text}It broke.${text}`));
    expect(html).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
