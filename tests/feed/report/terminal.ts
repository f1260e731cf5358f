/** A report on a feed as a person reads it, in 80 columns. */

import { styleText } from 'node:util';
import { inOneLine, several } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import { type Finding, isFailure, type Location } from '../findings.ts';
import { type Rule, ruleOf } from '../rules.ts';
import { type FeedReport, factsOf, lastLine, meaningOf } from './report.ts';

const WIDTH = 80;

type Style = Parameters<typeof styleText>[0];

export function renderText(report: FeedReport, { color }: { color: boolean }): string {
  const paint = (style: Style, text: string) => (color ? styleText(style, text) : text);
  const facts = factsOf(report);
  const fact = (name: string, text: string | undefined) =>
    text ? indented(text, 14).map((line, at) => (at === 0 ? name.padEnd(14) + line.trimStart() : line)) : [];

  const tellFinding = (finding: Finding): string[] => {
    const { statement, remedy } = ruleOf(finding.rule);
    const [mark, style] = isFailure(finding) ? ['✗', 'red'] : ['!', 'yellow'];
    const more = finding.count - finding.places.length;
    return [
      `${paint(style as Style, `${mark} ${finding.rule}`)} ${paint('dim', several(finding.count, 'time'))}`,
      ...indented(statement, 2),
      ...finding.places.flatMap((place) => [
        ...indented(placeOf(place), 4).map((line) => paint('bold', line)),
        ...indented(place.seen, 6),
      ]),
      ...(more > 0 ? indented(`and ${several(more, 'more place')}`, 4) : []),
      ...indented(remedy, 4).map((line, at) => (at === 0 ? line.replace('    ', '  → ') : line)),
      '',
    ];
  };

  return [
    '',
    ...wrap(inOneLine(report.source.name), WIDTH).map((line) => paint('bold', line)),
    '',
    ...fact('records', facts.records),
    ...fact('sites', facts.sites),
    ...fact('observations', facts.span),
    ...fact('size', facts.size),
    ...fact('profile', facts.profile),
    ...fact('judged for', facts.judgedFor),
    '',
    ...report.findings.flatMap(tellFinding),
    ...indented(meaningOf(report), 0),
    ...report.unjudged.flatMap((sentence) => indented(`? ${sentence}`, 0)),
    ...report.remarks.flatMap((sentence) => indented(`· ${sentence}`, 0)),
    ...(report.findings.length > 0 ? ['More of a rule: mrs feed --explain RULE'] : []),
    '',
    paint(report.outcome === 'conformant' ? 'green' : 'red', lastLine(report)),
  ].join('\n');
}

/** `/ods_data/3/site_lat_deg, line 12`. */
export const placeOf = ({ pointer, line }: Location): string =>
  `${pointer || 'the body'}${line === undefined ? '' : `, line ${line}`}`;

/** What a rule asks, why, where that comes from, and what to do. */
export function renderRule({ id, class: ruleClass, statement, why, source, remedy }: Rule): string {
  return [
    `${id} (${MEANING[ruleClass]})`,
    ...indented(statement, 2),
    '',
    ...indented(`Why: ${why}`, 2),
    ...indented(`What to do: ${remedy}`, 2),
    `  Source: ${source}`,
  ].join('\n');
}

const MEANING: Record<Rule['class'], string> = {
  S: 'a finding: follows from published text',
  D: 'a finding: a defect seen in public data or code',
  H: 'a warning: a guess worth a look',
};

const indented = (text: string, indent: number): string[] =>
  wrap(inOneLine(text), WIDTH - indent).map((line) => ' '.repeat(indent) + line);
