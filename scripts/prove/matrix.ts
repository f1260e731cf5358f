/** The kill matrix: a row for each defect, a column for each requirement, in 80 columns. */
import type { Cell } from './expected.ts';

export interface Row {
  name: string;
  cells: readonly Cell[];
}

const LEGEND =
  '✗ broken, for the stated reason  ? cannot be judged then  · kept  – asks nothing\n! not as stated';
const MARKS: Partial<Record<Cell['verdict'], string>> = {
  failed: '✗',
  'could-not-run': '?',
  passed: '·',
  'not-applicable': '–',
};

/** One for each set of requirements that deployments are judged by, as a profile adds its own; then the legend. */
export function renderMatrices(rows: readonly Row[]): string[] {
  const idsOf = ({ cells }: Row) => cells.map(({ id }) => id).join(' ');
  const matrices = [...new Set(rows.map(idsOf))].flatMap((ids) => {
    const profile = /@(\S+)/.exec(ids)?.[1];
    const own = rows.filter((row) => idsOf(row) === ids);
    if (profile === undefined) return [renderMatrix(own), ''];
    // What the specification asks is kept by all of them, but for what is shown.
    const isShown = ({ id, verdict, fault }: Cell) =>
      id.includes('@') || fault !== undefined || verdict === 'failed' || verdict === 'could-not-run';
    const shown = new Set(own.flatMap(({ cells }) => cells.filter(isShown).map(({ id }) => id)));
    const narrowed = own.map((row) => ({ ...row, cells: row.cells.filter(({ id }) => shown.has(id)) }));
    return [`Under the profile ${profile}:`, '', renderMatrix(narrowed), ''];
  });
  return matrices.length > 0 ? [...matrices, LEGEND, ''] : [];
}

/** Empty without a row. The ids stand upright above their columns, without the MRS- that all begin with. */
export function renderMatrix(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const ids = (rows[0]?.cells ?? []).map(({ id }) => id.replace(/^MRS-|@.*$/g, ''));
  const height = Math.max(0, ...ids.map((id) => id.length));
  const line = (name: string, marks: string[]) => `${name.padEnd(width)} ${marks.join(' ')}`.trimEnd();
  const mark = ({ verdict, fault }: Cell) => (fault === undefined ? (MARKS[verdict] ?? '!') : '!');
  const head = Array.from({ length: height }, (_, at) => {
    const letters = ids.map((id) => id[at] ?? ' ');
    return line(at === 0 ? 'MRS-' : '', letters);
  });
  return [...head, ...rows.map(({ name, cells }) => line(name, cells.map(mark)))].join('\n');
}
