/** What every rendering of every report must keep, as tests that each judge runs on samples of its own. */
import { stripVTControlCharacters } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import stringWidth from 'string-width';
import { renderJunit } from '../junit.ts';
import { renderMarkdown } from '../markdown.ts';
import { itemsOf, type ReportModel } from '../model.ts';
import { renderPage } from '../page.ts';
import { renderSarif } from '../sarif.ts';
import { inOneLine, visible } from '../text.ts';
import { HOSTILE, poisoned } from './hostile.ts';
import * as markdown from './markdown.ts';
import { outline, textOf, withoutStyle } from './outline.ts';
import { all, type Element, parse } from './xml.ts';

export interface Reports<R> {
  samples: Readonly<Record<string, R>>;
  /** The sample that hostile texts are put into; `chosen` members of it are left alone. */
  victim: R;
  chosen?: readonly string[];
  modelOf(report: R): ReportModel;
  terminalOf(report: R, appearance: { color: boolean }): string;
}

/** Characters that are not seen as themselves, or that a terminal obeys. */
const UNSEEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const plain = { color: false };

export function testRenderings<R>({ samples, victim, chosen, modelOf, terminalOf }: Reports<R>): void {
  for (const [name, report] of Object.entries(samples)) {
    test(`page of ${name} loads nothing, runs nothing, and links only to unique places in itself`, () => {
      const html = renderPage(modelOf(report));
      expect(html.replaceAll('&#39;', "'")).toMatch(
        /^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">/,
      );
      expect(html).not.toMatch(
        /<(script|link|img|image|iframe|object|embed|form|base|use)\b|\ssrc=|@import|url\(/i,
      );
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const [, href = ''] of html.matchAll(/href="([^"]*)"/g))
        expect(ids).toContain(href.replace(/^#/, ''));
    });

    test(`JUnit of ${name} is well-formed and counts its own elements`, () => {
      const model = modelOf(report);
      const document = parse(renderJunit(model));
      for (const suite of [...all(document, 'testsuites'), ...all(document, 'testsuite')])
        expect(suite.attributes).toMatchObject({
          tests: String(all(document, 'testcase').length),
          failures: String(all(document, 'failure').length),
          errors: String(all(document, 'error').length),
          skipped: String(all(document, 'skipped').length),
        });
      const cause = model.cause === undefined ? '' : ` ${model.cause}`;
      expect(all(document, 'error').map(({ attributes }) => attributes.message)).toEqual([
        ...model.problems,
        ...(model.faults ?? []),
        ...(model.outcome === 'incomplete' ? [inOneLine(`${model.headline}.${cause}`)] : []),
      ]);
      const verdicts = all(document, 'property').filter(({ attributes }) => attributes.name === 'verdict');
      expect(verdicts.map(({ attributes }) => attributes.value)).toEqual(
        itemsOf(model).map(({ verdict }) => verdict),
      );
    });

    test(`Markdown of ${name} begins with the outcome and has a row for each item`, () => {
      const model = modelOf(report);
      const text = renderMarkdown(model);
      expect(text).toMatch(/^## \S /);
      expect(text.split('\n', 1)[0]?.slice(5)).toBe(`${model.outcome}: ${model.tally}`);
      const rows = text.slice(text.indexOf(`### ${model.items.title}`)).match(/^\|.*/gm) ?? [];
      const count = itemsOf(model).length;
      expect(rows).toHaveLength(count === 0 ? 0 : count + 2);
    });

    test(`SARIF of ${name} has a result for each finding, of a rule that it describes`, () => {
      const model = modelOf(report);
      const [{ tool, results }] = JSON.parse(renderSarif(model)).runs;
      expect(results).toHaveLength(itemsOf(model).flatMap(({ findings }) => findings).length);
      for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
    });

    test(`terminal text of ${name} fits 80 columns, changes only its colors, and ends with the outcome`, () => {
      const model = modelOf(report);
      const text = terminalOf(report, plain);
      expect(text).not.toContain('\u001b');
      expect(stripVTControlCharacters(terminalOf(report, { color: true }))).toBe(text);
      const lines = text.split('\n');
      expect(lines.at(-1)).toContain(`outcome: ${model.outcome} (${model.tally})`);
      expect(lines.slice(0, -1).filter((line) => stringWidth(line) > 80)).toEqual([]);
    });
  }

  for (const [name, text] of Object.entries(HOSTILE)) {
    const models = () => [modelOf(victim), modelOf(poisoned(victim, text, chosen))] as const;

    test(`page with hostile ${name} keeps its tags and shows what is invisible`, () => {
      const [harmless, model] = models();
      const html = withoutStyle(renderPage(model));
      // A start that is not a date is not a time element either.
      const expected = outline(withoutStyle(renderPage(harmless))).filter((tag) => !/^<\/?time\b/.test(tag));
      expect(outline(html)).toEqual(expected);
      expect(textOf(html)).toContain(inOneLine(model.subject.text));
      expect(html).not.toMatch(UNSEEN);
    });

    test(`JUnit with hostile ${name} keeps its elements`, () => {
      const shape = ({ name, attributes, children }: Element): unknown => [
        name,
        Object.keys(attributes),
        children.map(shape),
      ];
      const [harmless, model] = models();
      const xml = renderJunit(model);
      expect(shape(parse(xml))).toEqual(shape(parse(renderJunit(harmless))));
      expect(xml).not.toMatch(UNSEEN);
    });

    test(`Markdown with hostile ${name} keeps its structure, and no mention or address in prose`, () => {
      const [harmless, model] = models();
      const summary = renderMarkdown(model);
      expect(markdown.outline(summary)).toEqual(markdown.outline(renderMarkdown(harmless)));
      expect(summary).not.toMatch(UNSEEN);
      const prose = markdown
        .tokens(summary)
        .filter(
          (token) => ['text', 'escape', 'html'].includes(token.type) && !('tokens' in token && token.tokens),
        );
      expect(prose.map(({ raw }) => raw).join('\n')).not.toMatch(/@|:\/\/|www\.|#1|:tada:|<script|<img/);
    });

    test(`SARIF with hostile ${name} shows what is invisible`, () => {
      const [harmless, model] = models();
      const sarif = renderSarif(model);
      expect(JSON.parse(sarif).runs[0].results).toHaveLength(
        JSON.parse(renderSarif(harmless)).runs[0].results.length,
      );
      expect(visible(sarif)).toBe(sarif);
    });

    test(`terminal text with hostile ${name} holds nothing that a terminal or a CI log obeys`, () => {
      const report = poisoned(victim, `${text}::error::##[error]`, chosen);
      const shown = terminalOf(report, plain);
      const lines = shown.split('\n');
      expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029\p{Cs}]/u);
      expect(shown).not.toMatch(/^\s*(::|##\[)/m);
      expect(lines.slice(0, -1).filter((line) => stringWidth(line) > 80 && !isCommand(line))).toEqual([]);
      expect(lines.filter((line) => line.startsWith('outcome:'))).toEqual(
        terminalOf(victim, plain).split('\n').slice(-1),
      );
    });
  }

  test('Markdown of an endless text stays below the limit of GitHub', () => {
    const endless = modelOf(poisoned(victim, '`<&'.repeat(1000), chosen));
    expect(Buffer.byteLength(renderMarkdown(endless))).toBeLessThan(300_000);
  });
}

/** A word of a command cannot be broken. */
const isCommand = (line: string): boolean => line.startsWith('curl ');
