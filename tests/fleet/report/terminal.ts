/** A report on a fleet as text for a terminal. */
import { createPen, hanging, renderTerminal } from '../../report/terminal.ts';
import { inOneLine } from '../../report/text.ts';
import { modelOf } from './model.ts';
import { dayOf, deploymentsInWords, type Fleet, summaryOf, worstFirst } from './wording.ts';

/** Deployments that are not conformant; the others are counted. */
const SHOWN = 40;

/** The worst deployments first, then what changed. The lines fit 80 columns. */
export function renderFleet(fleet: Fleet, { color, page }: { color: boolean; page?: string }): string {
  const pen = createPen(color);
  const { deployments } = fleet;
  const wrong = worstFirst(deployments).filter(({ outcome }) => !outcome.startsWith('conformant'));
  const changed = deployments.filter(({ changes }) => changes.length > 0);
  const body = [
    ...wrong.slice(0, SHOWN).flatMap((one) => {
      const verdict = one.outcome === 'incomplete' ? 'could-not-run' : 'failed';
      const [first = '', ...rest] = hanging('  ', `${one.name}: ${summaryOf(one)}.`, 0);
      return [`${pen.mark(verdict)}${first.slice(1)}`, ...rest];
    }),
    ...(wrong.length > SHOWN ? [`  ${wrong.length - SHOWN} more`] : []),
    ...(changed.length > 0 ? ['', 'Changed since the last run:'] : []),
    ...changed.slice(0, SHOWN).flatMap(({ name, changes, comparedWith = '' }) => {
      const all = changes.map(({ id, before, after }) => `${id} ${before} → ${after}`).join(', ');
      const mark = changes.some(({ isRegression }) => isRegression) ? '✗ ' : '✓ ';
      return hanging(mark, inOneLine(`${name}: ${all} (since ${dayOf(comparedWith)})`), 0);
    }),
  ];
  const model = modelOf(fleet);
  return renderTerminal(
    { ...model, items: { ...model.items, list: [] }, problems: [] },
    {
      headline: [],
      body: body.length > 0 ? body : [`${deploymentsInWords(deployments)}, none of them worse than that`],
      closing: fleet.remarks,
      page,
    },
    pen,
  );
}
