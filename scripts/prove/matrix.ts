/** The kill matrix: a row for each defect, a column for each requirement, in 80 columns. */
import type { ItemVerdict } from '../../tests/support/verdict.ts';

/** What a verdict of a deployment should be, and what it is. */
export interface Cell {
  id: string;
  verdict: ItemVerdict;

  /** Why it is not as stated, as a sentence. */
  fault?: string;
}

const LEGEND =
  '✗ broken, for the stated reason  ? cannot be judged then  · kept  – asks nothing\n! not as stated';

export interface Row {
  name: string;
  cells: readonly Cell[];
}

const MARKS: Partial<Record<ItemVerdict, string>> = {
  failed: '✗',
  'could-not-run': '?',
  passed: '·',
  'not-applicable': '–',
};

/** One for each set of requirements that deployments are judged by: a profile adds its own. */
export function renderMatrices(rows: readonly Row[]): string {
  const idsOf = ({ cells }: Row) => cells.map(({ id }) => id).join(' ');
  const sets = [...new Set(rows.map(idsOf))];
  const matrices = sets.map((ids) => {
    const profile = /@(\S+)/.exec(ids)?.[1];
    const own = rows.filter((row) => idsOf(row) === ids);
    if (profile === undefined) return renderMatrix(own);
    // What the specification asks is kept by all of them, but for what is shown.
    const isShown = ({ id, verdict, fault }: Cell) =>
      id.includes('@') || fault !== undefined || verdict === 'failed' || verdict === 'could-not-run';
    const shown = new Set(own.flatMap(({ cells }) => cells.filter(isShown).map(({ id }) => id)));
    const narrowed = own.map((row) => ({ ...row, cells: row.cells.filter(({ id }) => shown.has(id)) }));
    return `Under the profile ${profile}:\n\n${renderMatrix(narrowed)}`;
  });
  return [...matrices, LEGEND].join('\n\n');
}

/** Empty without a row. The ids stand upright above their columns, without the MRS- that all begin with. */
export function renderMatrix(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return '';
  const width = Math.max(...rows.map(({ name }) => name.length));
  const ids = first.cells.map(({ id }) => id.replace(/^MRS-|@.*$/g, ''));
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
      cells.map(({ verdict, fault }) => (fault === undefined ? (MARKS[verdict] ?? '!') : '!')),
    ),
  );
  return [...head, ...body].join('\n');
}
