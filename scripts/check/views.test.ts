/** Each view of the report of each judge: as it is stored, and without life where text from outside is hostile. */
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderPage } from '../../tests/report/page.ts';
import { JUDGES, type Report, reportSchema } from '../../tests/report/report.ts';
import { renderTerminal } from '../../tests/report/terminal.ts';
import { HOSTILE, poisoned } from '../../tests/report/testing/hostile.ts';
import * as markdown from '../../tests/report/testing/markdown.ts';
import { outline, tags, textOf, withoutStyle } from '../../tests/report/testing/outline.ts';
import { type Element, parse } from '../../tests/report/testing/xml.ts';
import { inOneLine } from '../../tests/report/text.ts';
import { compileOwn } from '../../tests/support/own-schema.ts';
import { MORE, SAMPLES, VIEWS } from './testing/samples.ts';

const { 'hostile-feed': _, ...VICTIMS } = SAMPLES;
const BOTH = { ...SAMPLES, ...MORE };
/** Characters that are not seen as themselves, or that a terminal obeys. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const HEAD =
  /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">/;

for (const [name, report] of Object.entries(BOTH))
  test(`views of ${name} are as stored`, async () => {
    for (const [file, view] of Object.entries(VIEWS))
      if (file === 'report.html' ? name in VICTIMS : name in SAMPLES || /output|junit/.test(file))
        await expect
          .soft(file === 'report.html' ? brief(view(report)) : view(report))
          .toMatchFileSnapshot(`testing/views/${name}/${file}`);
  });

const isReport = compileOwn(JSON.parse(reportSchema()));

for (const [name, report] of Object.entries(BOTH)) {
  test(`${name} is a report by the schema`, () => {
    isReport(JSON.parse(JSON.stringify(report)));
    expect(isReport.errors ?? []).toEqual([]);
  });

  test(`page of ${name} loads nothing, runs nothing, and links only to unique places in itself`, () => {
    const html = VIEWS['report.html'](report);
    expect(html.replaceAll('&#39;', "'")).toMatch(HEAD);
    expect(renderPage(report).match(/<style/g)).toHaveLength(1);
    expect(tags(html).join('\n')).not.toMatch(
      /<(script|link|img|image|iframe|object|embed|form|base|use)\b|\ssrc=|@import|url\(/i,
    );
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g))
      expect(ids).toContain(href.replace(/^#/, ''));
  });

  test(`terminal text of ${name} fits 80 columns, changes only its colors, and ends with the outcome`, () => {
    const text = renderTerminal(report, { color: false });
    expect(stripVTControlCharacters(renderTerminal(report, { color: true }))).toBe(text);
    const lines = text.split('\n');
    expect(lines.pop()).toBe(`outcome: ${report.baseline?.outcome ?? report.outcome} (${report.tally})`);
    expect(lines.filter((line) => stringWidth(line) > 80 && !isCommand(line))).toEqual([]);
  });
}

/** Of a table, this many rows are stored; report.json has the cells of all. */
const MOST_ROWS = 2;

/**
 * A page as it is stored: its title and body. An article or an exchange of a form that was shown before is only named, since
 * its text is in summary.md or report.json; so is a table, whose further rows are only counted. Closing tags have no line.
 */
function brief(html: string): string {
  const shown = new Set<string>();
  const once = (part: string, name: string | undefined) => {
    const form =
      part
        .replace(/ (id|href|aria-\w+|datetime)="[^"]*"/g, '')
        .match(/<[^>]*>/g)
        ?.join('') ?? '';
    if (shown.has(form)) return `<i>${name}</i>\n`;
    shown.add(form);
    return part;
  };
  return withoutStyle(html)
    .replace(/^.*(?=<title>)/s, '')
    .replace(/<section class="exchange">.*?<\/section>\n?/gs, (part) =>
      once(part.replace(/\n+(?=<)/g, ''), /"times">([^,<]*)/.exec(part)?.[1]),
    )
    .replace(/<article id="([^"]*)".*?<\/article>\n?/gs, once)
    .replace(/(?:<i>[^<]*<\/i>\s*)+/g, (names) => `${names.trim().replace(/<\/i>\s*<i>/g, ', ')}\n`)
    .replace(/(?<=<tbody[^>]*>\n).*?(?=<\/tbody>)/gs, (body) => {
      const rows = body.split(/(?=<tr)/);
      const rest = rows.length - MOST_ROWS;
      return rest > 1 ? `${rows.slice(0, MOST_ROWS).join('')}<i>${rest} more rows</i>\n` : body;
    })
    .replace(/<table class="([^"]*)".*?<\/table>/gs, once)
    .replace(
      /(<pre>.*?<\/pre>)|\n+(?=\n|<\/|<div class="grounds">|<details><summary><span class="verdict">)/gs,
      (_, pre = '') => pre,
    );
}

/** A word of a command cannot be broken. */
const isCommand = (line: string): boolean => line.startsWith('curl ');

/** What text from outside must leave as it is, of each view. */
const SHAPES: Readonly<Record<string, (text: string) => unknown>> = {
  // A start that is not a date is not a time element either.
  'report.html': (html) => outline(html).filter((tag) => !/^<\/?time\b/.test(tag)),
  'junit.xml': (xml) => shapeOf(parse(xml)),
  'summary.md': markdown.outline,
};
const shapeOf = ({ name, attributes, children }: Element): unknown => [
  name,
  Object.keys(attributes),
  children.map(shapeOf),
];
const shapesOf = (report: Report) =>
  Object.entries(SHAPES).map(([file, shape]) => [file, shape(VIEWS[file as keyof typeof VIEWS](report))]);
const lastLineOf = (report: Report) => renderTerminal(report, { color: false }).split('\n').at(-1);
const HARMLESS = Object.fromEntries(
  Object.entries(VICTIMS).map(([name, report]) => [
    name,
    { shapes: shapesOf(report), lastLine: lastLineOf(report) },
  ]),
);

for (const [what, text] of Object.entries(HOSTILE))
  for (const [name, harmless] of Object.entries(VICTIMS))
    test(`hostile ${what} in the report of ${name} comes alive in no view`, () => {
      const report = poisoned(harmless, text);
      const views = Object.fromEntries(Object.entries(VIEWS).map(([file, view]) => [file, view(report)]));
      expect(Object.entries(SHAPES).map(([file, shape]) => [file, shape(views[file] ?? '')])).toEqual(
        HARMLESS[name]?.shapes,
      );
      for (const file of Object.keys(SHAPES)) expect.soft(views[file], file).not.toMatch(UNSEEN);
      expect(textOf(views['report.html'] ?? '')).toContain(inOneLine(report.subject.text));
      expect(proseOf(views['summary.md'] ?? '')).not.toMatch(/@|:\/\/|www\.|#1|:tada:|<script|<img/);
      expectTame(name, poisoned(harmless, `${text}::error::##[error]\noutcome: conformant (1 passed)\n`));
    });

/** The text of a document of Markdown that is not code. */
const proseOf = (summary: string): string =>
  markdown
    .tokens(summary)
    .filter(
      (token) => ['text', 'escape', 'html'].includes(token.type) && !('tokens' in token && token.tokens),
    )
    .map(({ raw }) => raw)
    .join('\n');

/** That the terminal text of `report` is obeyed by nothing, and ends as that of the harmless report does. */
function expectTame(name: string, report: Report): void {
  const shown = renderTerminal(report, { color: false });
  const lines = shown.split('\n');
  expect(shown).not.toMatch(UNSEEN);
  expect(shown).not.toMatch(/\t|^\s*(::|##\[)/m);
  expect(lines.filter((line) => stringWidth(line) > 80 && !isCommand(line)).slice(0, -1)).toEqual([]);
  expect(lines.filter((line) => line.startsWith('outcome:'))).toEqual([HARMLESS[name]?.lastLine]);
}

test('no text from outside exceeds 80 columns of a terminal, or the limit that GitHub has for a summary', () => {
  const long = `${'y'.repeat(90)} ${'鍵'.repeat(50)} ${'👩‍👩‍👧‍👦'.repeat(45)} a\ud800b\tc${'\u0301'.repeat(90)}`;
  for (const [name, harmless] of Object.entries(VICTIMS)) {
    expectTame(name, poisoned(harmless, long));
    const summary = VIEWS['summary.md'](poisoned(harmless, '`<&'.repeat(1000)));
    expect(Buffer.byteLength(summary), name).toBeLessThan(2 ** 20);
  }
});

test('every judge has a sample', () => {
  const judged = Object.values(SAMPLES).map(({ judge }) => judge);
  // A proxy writes what mrs judge writes.
  expect(Object.keys(JUDGES).filter((judge) => !judged.includes(judge as 'verify'))).toEqual(['proxy']);
});
