import { expect, test } from '@playwright/test';
import { outline, tags, textOf, withoutStyle } from '../../report/testing/outline.ts';
import { visible } from '../../report/text.ts';
import { renderHtml } from './html.ts';
import { HOSTILE, poisoned, proof, sample } from './testing/sample-reports.ts';

test('the page forbids itself to load, run and send anything, before all else', () => {
  expect(renderHtml(sample).replaceAll('&#39;', "'")).toMatch(
    /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">/,
  );
});

test('the page names nothing outside of itself', () => {
  const html = renderHtml(sample);
  expect(html).not.toMatch(/<(script|link|img|iframe|object|embed|form|base)\b|\ssrc=|@import|url\(/i);
  expect(html.match(/href="[^"]*"/g)?.filter((href) => !href.startsWith('href="#'))).toEqual([]);
});

test('every link leads to a place in the page', () => {
  const html = renderHtml(sample);
  for (const [, anchor] of html.matchAll(/href="#([^"]*)"/g)) expect(html).toContain(`id="${anchor}"`);
});

test('the proof is told, or that there is none', () => {
  expect(renderHtml(sample)).toContain('No proof was run.');
  const proven = renderHtml({ ...sample, proof });
  expect(proven).toContain('the suite caught 31.');
  expect(proven).toContain(proof.digest);
});

test('faults of the run are told on the first screen', () => {
  const html = renderHtml({ ...sample, outcome: 'error', problems: ['It broke.', 'Twice.'] });
  expect(html).toContain('2 faults of the run');
  expect(html.indexOf('It broke.')).toBeLessThan(html.indexOf('<main>'));
});

test('of many reasons only the first few are told on the first screen', () => {
  const [first] = sample.requirements.slice(2);
  if (!first) throw new Error('The sample has a requirement that could not be run.');
  const requirements = [1, 2, 3, 4, 5, 6].map((number) => ({
    ...first,
    id: `MRS-${number}`,
    evidence: { ...first.evidence, reason: `Reason ${number}.` },
  }));
  const [header = ''] = renderHtml({ ...sample, requirements }).split('<main>');
  expect(header.match(/Reason \d/g)).toEqual(['Reason 1', 'Reason 2', 'Reason 3', 'Reason 4']);
  expect(header).toContain('2 more reasons');
});

test('a report of nothing is a page', () => {
  const nothing = { requirements: [], openPoints: [], notJudged: [], exchanges: [] };
  expect(tags(renderHtml({ ...sample, ...nothing })).at(-1)).toBe('</html>');
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the page has the same tags and attributes, and nothing unseen`, () => {
    const report = { ...sample, problems: ['It broke.'], proof };
    const html = withoutStyle(renderHtml(poisoned(report, text)));
    // Where the moment of the run is no date, it is no element either.
    const expected = outline(withoutStyle(renderHtml(report))).filter((tag) => !/^<\/?time\b/.test(tag));
    expect(outline(html)).toEqual(expected);
    expect(textOf(html)).toContain(visible(`Deployment${text}${report.target.baseUrl}${text}Client`));
    expect(html).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
