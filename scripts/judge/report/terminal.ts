/** A report on traffic in a terminal. */
import { type Item, itemsInOrder } from '../../../tests/report/model.ts';
import { createPen, type Pen, renderBroken, renderTerminal, WIDTH } from '../../../tests/report/terminal.ts';
import { VERDICTS } from '../../../tests/report/text.ts';
import { wrap } from '../../../tests/report/wrap.ts';
import { modelOf } from './model.ts';
import type { TrafficReport } from './report.ts';
import { lifetimesInWords, partInWords, recordingInWords, timeInWords } from './wording.ts';

export function renderReport(
  report: TrafficReport,
  { color, page }: { color: boolean; page?: string | undefined },
): string {
  const pen = createPen(color);
  const model = modelOf(report);
  const items = itemsInOrder(model);
  const of = (verdict: Item['verdict']) => items.filter((item) => item.verdict === verdict);
  const parts = {
    headline: [
      ...(report.proxy ? [] : [report.baseUrl]),
      recordingInWords(report),
      `recorded ${timeInWords(report)}`,
      `token lifetime: ${lifetimesInWords(report)}`,
    ],
    body: [
      ...[...of('failed'), ...of('warned')].flatMap((item) => [
        ...renderBroken(item, { findings: item.findings.slice(0, MOST_FINDINGS), more: [] }, pen),
        '',
      ]),
      ...together('passed', of('passed'), pen),
      ...together('not-seen', of('not-seen'), pen),
      '',
    ],
    closing: [
      ...model.remarks,
      `service: ${partInWords(report.server)}`,
      `client: ${partInWords(report.client)}`,
    ],
    page,
  };
  return renderTerminal(model, parts, pen);
}

/** Findings of a rule in the terminal; the page shows all. */
const MOST_FINDINGS = 3;

/** Items of one verdict in one paragraph; the page has their reasons. */
function together(verdict: Item['verdict'], items: readonly Item[], { mark }: Pen): string[] {
  if (items.length === 0) return [];
  const [first, ...rest] = wrap(
    `${VERDICTS[verdict].word}: ${items.map(({ id }) => id).join(', ')}`,
    WIDTH - 2,
  );
  return [`${mark(verdict)} ${first}`, ...rest.map((line) => `  ${line}`)];
}
