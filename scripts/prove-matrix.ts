/** The kill matrix: a row for each defect, a column for each requirement, in 80 columns. */
import type { Verdict } from '../tests/support/report/report.ts';
import type { Cell } from './prove-verdict.ts';

export interface Row {
  name: string;
  cells: readonly Cell[];
}

const MARKS: Record<Verdict, string> = {
  failed: '✗',
  'could-not-run': '?',
  passed: '·',
  'not-applicable': '–',
};

/** Empty without a row. The ids stand upright above their columns, without the MRS- that all begin with. */
export function renderMatrix(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return '';
  const width = Math.max(...rows.map(({ name }) => name.length));
  const ids = first.cells.map(({ id }) => id.replace(/^MRS-/, ''));
  const height = Math.max(...ids.map((id) => id.length));
  const line = (name: string, marks: string[]) => `${name.padEnd(width)} ${marks.join(' ')}`.trimEnd();
  const head = Array.from({ length: height }, (_, at) =>
    line(
      at === 0 ? 'MRS-' : '',
      ids.map((id) => id[at] ?? ' '),
    ),
  );
  const body = rows.map(({ name, cells }) =>
    line(
      name,
      cells.map(({ verdict, fault }) => (fault === undefined ? MARKS[verdict] : '!')),
    ),
  );
  const legend =
    '✗ broken, for the stated reason  ? cannot be told then  · kept  – asks nothing\n! not as stated';
  return [...head, ...body, legend].join('\n');
}
