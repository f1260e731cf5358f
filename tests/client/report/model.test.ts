import { expect, _baseTest as test } from '@playwright/test';
import { renderJunit } from '../../report/junit.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { renderPage } from '../../report/page.ts';
import { tokens } from '../../report/testing/markdown.ts';
import { textOf } from '../../report/testing/outline.ts';
import { testRenderings } from '../../report/testing/renderings.ts';
import { all, type Element, parse } from '../../report/testing/xml.ts';
import { modelOf } from './model.ts';
import type { CertificateReport } from './report.ts';
import { renderCertificate } from './terminal.ts';
import { broken, CHOSEN, conformant, faulty, SAMPLES } from './testing/sample-certificates.ts';

testRenderings({
  samples: SAMPLES,
  victim: { ...broken, problems: ['It broke.'] },
  chosen: CHOSEN,
  modelOf,
  terminalOf: renderCertificate,
});

const pageOf = (report: CertificateReport): string => renderPage(modelOf(report));
const header = (html: string): string => textOf(html.split('<main>')[0] ?? '');
/** The part of the page on one scenario. */
const sectionOf = (html: string, name: string): string =>
  html.match(new RegExp(`<section id="scenario-${name}".*?</section>`, 's'))?.[0] ?? '';
const articleOf = (html: string, rule: string): string =>
  html.match(new RegExp(`<article id="rule-${rule}".*?</article>`, 's'))?.[0] ?? '';

test('summary of the page shows what is wrong in sentences, then outcome, strategy and tokens', () => {
  const text = header(pageOf(broken));
  expect(text).toContain('The client breaks 2 of 19 rules');
  expect(text).toMatch(
    /nonconformant ✗ 2 failed\s*! 1 warned\s*\? 3 could not run\s*✓ 12 passed\s*– 1 not applicable/,
  );
  expect(text).toMatch(
    /burdens the service The same request was refused 249 times.* no-loop, MRS-5c\s*Renew and retry once/,
  );
  expect(text).toContain('burdens the service Each of 6 calls had a token of its own');
  expect(text).toContain('could not run 2 rules could not be tested. The client ended before it could renew');
  expect(text).toContain(
    'The client did not renew a token in this run, neither by its own clock nor after a 403.',
  );
  expect(text).toContain('277 tokens requested, 6 needed');
});

test('summary of the page shows faults of the run', () => {
  const text = header(pageOf(faulty));
  expect(text).toContain('2 faults of the run');
  expect(text).toContain('The journal was lost.');
  expect(text).toContain('by its own clock, typically 0.3 s before its expiry');
});

test('summary of the page shows processes only if there are several', () => {
  expect(header(pageOf(conformant))).not.toContain('Processes');
  const client = { processes: 3 };
  const text = header(pageOf({ ...conformant, client }));
  expect(text).toContain('Processes3, with one client id');
  expect(text).toContain('a client started by the user');
});

test('page shows failed rules first, then warnings, then what could not run and what passed', () => {
  const titles = [...pageOf(broken).matchAll(/<section class="group">\n<h3>(.*?)<\/h3>/g)];
  expect(titles.map(([, title]) => title)).toEqual([
    'Failed',
    'Warnings',
    'Could not run',
    'Passed',
    'Not applicable',
  ]);
});

test('failed rule has its findings, links to the calls, and one paragraph of advice', () => {
  const article = articleOf(pageOf(broken), 'token-reuse');
  expect(article).toContain('class="item failed"');
  expect(article.match(/<li id="finding-\d+"/g)).toEqual(['<li id="finding-2"', '<li id="finding-3"']);
  expect(article).toContain('<a href="#scenario-steady-call-3">3<span class="unseen"> of steady</span></a>');
  expect(article.match(/What to do/g)).toHaveLength(1);
  expect(textOf(article)).toContain('Each of 6 calls had a token of its own');
});

test('passed rule has no advice; a rule that could not run has its reason', () => {
  const html = pageOf(broken);
  expect(textOf(articleOf(html, 'data-accept'))).not.toContain('What to do');
  expect(textOf(articleOf(html, 'retry-after'))).toContain('The scenario token-429 was never begun.');
});

test('finding in an unknown scenario is shown without a link', () => {
  const html = pageOf({ ...broken, scenarios: [] });
  expect(textOf(articleOf(html, 'no-loop'))).toContain('403-stays: The same request was refused 249 times');
  expect(articleOf(html, 'no-loop')).not.toContain('href="#scenario');
});

for (const [scenario, words] of [
  ['token-429', 'This scenario did not start.'],
  ['data-reset', 'The client never called. It exited with exit code 127.'],
  ['expires', 'The client exited with exit code 1 before the scenario was complete.'],
  ['403-stays', 'The time ran out before the scenario was complete.'],
  ['parallel', '64 calls in 2.31 s; 21 tokens requested, 2 needed; tokens live 6 s, as agreed.'],
] as const)
  test(`scenario ${scenario} is described in words`, () => {
    expect(textOf(sectionOf(pageOf(broken), scenario))).toContain(words);
  });

test('scenario without calls has no table', () => {
  expect(sectionOf(pageOf(broken), 'data-reset')).not.toMatch(/<table|<details/);
});

test('call that proves a finding links to it, with words for screen readers', () => {
  const section = sectionOf(pageOf(broken), 'steady');
  const rows = section.match(/<tr.*?<\/tr>/g) ?? [];
  const flag = '<a class="flag failed" href="#finding-2" aria-label="Finding 2: token-reuse failed">2</a>';
  expect(
    rows.filter((row) => row.includes(flag)).map((row) => /id="[^"]*-call-(\d+)"/.exec(row)?.[1]),
  ).toEqual(['3', '5', '7', '9', '11']);
  expect(textOf(section)).toContain('2 token-reuse: Each of 6 calls had a token of its own');
});

test('table of calls is open where it is short and proves a finding', () => {
  const page = pageOf(broken);
  expect(sectionOf(page, 'steady')).toContain('<details open><summary>Call by call');
  for (const name of ['expires', '403-stays'])
    expect(sectionOf(page, name)).toContain('<details><summary>Call by call');
});

test('table of calls has time, answer, reason and token', () => {
  const rows = sectionOf(pageOf(conformant), 'ended-early').match(/<tr.*?<\/tr>/g) ?? [];
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

test('table of 500 calls has the first, the last and those that prove a finding', () => {
  const [, ...rules] = broken.rules;
  const [first] = broken.rules;
  const finding = { verdict: 'failed' as const, scenario: '403-stays', seen: 'It was.', calls: [250] };
  if (!first) throw new Error('The sample has rules.');
  const report = {
    ...broken,
    rules: [{ ...first, verdict: 'failed' as const, findings: [finding] }, ...rules],
  };
  const section = sectionOf(pageOf(report), '403-stays');
  const ids = [...section.matchAll(/id="scenario-403-stays-call-(\d+)"/g)].map(([, id]) => Number(id));
  expect(ids).toHaveLength(81);
  expect(ids).toEqual(expect.arrayContaining([1, 60, 250, 481, 500]));
  expect(textOf(section)).toContain('Calls: 81 of 500');
});

test('page of thirteen loops of 500 calls is smaller than a megabyte', () => {
  expect(Buffer.byteLength(pageOf(SAMPLES.endless))).toBeLessThan(1_000_000);
});

test('output of the client is folded, with invisible characters spelled out', () => {
  const section = sectionOf(pageOf(broken), 'expires');
  expect(section).toContain('<details><summary>Output of the client');
  expect(section).toContain('\\u{001b}[31mKeyError');
  expect(section).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
  expect(textOf(section)).toContain('output/expires.txt');
});

const caseOf = (document: Element, rule: string): Element | undefined =>
  all(document, 'testcase').find(({ attributes }) => attributes.name?.startsWith(`${rule} `));

test('JUnit has a test case for each rule, with its clause or practice', () => {
  const cases = all(parse(renderJunit(modelOf(broken))), 'testcase');
  expect(cases).toHaveLength(broken.rules.length);
  expect(cases[0]?.attributes).toEqual({
    ...{ classname: 'MRS-4.1c', time: '0.000' },
    name: 'form-content-type The credentials are posted as application/x-www-form-urlencoded.',
  });
  expect(cases.at(-1)?.attributes.classname).toBe('practice');
});

test('JUnit failure names what was seen, in which calls, and what to do', () => {
  const [, failure] = all(parse(renderJunit(modelOf(broken))), 'failure');
  expect(failure?.attributes).toEqual({
    type: 'nonconformity',
    message:
      'steady: Each of 6 calls had a token of its own, the first of which was good for 900 s. parallel: 20 tokens were asked for in place of one.',
  });
  expect(failure?.text).toContain('good for 900 s. (calls 3, 5, 7, 9 and 11)\nparallel: 20 tokens');
  expect(failure?.text).toContain('What to do: Keep the token');
});

test('JUnit passes a warning, with a note in its output', () => {
  const stampede = caseOf(parse(renderJunit(modelOf(broken))), 'stampede');
  expect(stampede?.children.map(({ name }) => name)).toEqual(['properties', 'system-out']);
  const [output] = all(stampede as Element, 'system-out');
  expect(output?.text).toMatch(/^Warning: stampede: Callers that need a token .*\n\nparallel: 20 requests/);
  expect(output?.text).toContain('What to do: Let the first');
});

test('JUnit message of a skipped rule begins with its verdict', () => {
  const skipped = all(parse(renderJunit(modelOf(broken))), 'skipped');
  expect(skipped.map(({ attributes }) => attributes.message)).toEqual([
    'could not run: The client ended before it could renew a token.',
    'could not run: The client ended before it could renew a token.',
    'could not run: The scenario token-429 was never begun.',
    'not applicable: The client does not renew by its own clock.',
  ]);
});

test('JUnit properties hold the outcome, the client, the strategy and the tokens', () => {
  const [properties] = all(parse(renderJunit(modelOf(conformant))), 'properties');
  expect(properties?.children.map(({ attributes }) => attributes)).toEqual([
    { name: 'outcome', value: 'conformant' },
    { name: 'client', value: 'python3 reader.py --every 0.5' },
    { name: 'strategy', value: expect.stringMatching(/^The client is reactive: /) },
    { name: 'tokens', value: '14 tokens requested, 8 needed' },
    { name: 'requests', value: '55' },
  ]);
});

test('Markdown shows failures before warnings, each with what was seen and what to do', () => {
  const summary = renderMarkdown(modelOf(broken));
  expect(summary.match(/^### .*/gm)).toEqual([
    '### ✗ no-loop failed (burdens the service), MRS-5c',
    '### ✗ token-reuse failed (burdens the service), MRS-5.3a',
    '### ! stampede warned',
    '### Scenarios',
    '### Rules',
  ]);
  expect(summary).toContain('parallel: 20 tokens were asked for in place of one. (calls 25–44)\n');
  expect(summary).toContain('\n\nWhat to do: Renew and retry once');
});

test('Markdown has a row for each scenario', () => {
  const rows = renderMarkdown(modelOf(broken)).match(/^\|.*/gm) ?? [];
  expect(rows.slice(0, 8)).toEqual([
    '| scenario | calls | tokens / needed | result |',
    '| --- | ---: | ---: | --- |',
    '| steady | 12 | 6 / 1 | ✗ token-reuse |',
    '| expires | 8 | 1 / 2 | ? exited early |',
    '| 403-stays | 500 | 249 / 1 | ✗ no-loop, out of time |',
    '| parallel | 64 | 21 / 2 | ✗ token-reuse, stampede |',
    '| token-429 | 0 | 0 / 0 | ? skipped |',
    '| data-reset | 0 | 0 / 0 | ? silent |',
  ]);
});

test('Markdown row of a rule without a judgement has the reason', () => {
  const summary = renderMarkdown(modelOf(broken));
  expect(summary).toContain(
    '| renewal<br>MRS-5.6c | ? could not run | When the token has expired, a new one is requested with the same credentials.<br>The client ended before it could renew a token. |',
  );
});

test('Markdown folds the output of the client, as code', () => {
  const blocks = tokens(renderMarkdown(modelOf(broken))).filter(({ type }) => type === 'code');
  expect(blocks.map((block) => 'text' in block && block.text).slice(-1)).toEqual([
    expect.stringContaining('KeyError\\u{001b}[0m: \\u{0000}\\u{202e}<script>alert("x")</script>'),
  ]);
});
