/** A proof: everything that was selected is judged, and compared with what it should come to. */
import { availableParallelism } from 'node:os';
import { wrap } from '../../tests/report/text.ts';
import { keepProof, suiteDigest } from '../../tests/support/proof.ts';
import { ledger, type Requirement } from '../../tests/support/requirements.ts';
import { deploymentResults, runDeployments, unprovedRequirements } from './deployments.ts';
import type { Cell, Result } from './expected.ts';
import { type Selection, type Subjects, subjectsIn } from './selection.ts';
import { clientResults, feedResults } from './subjects.ts';
import type { Verdicts } from './verdicts.ts';

/** What is printed of each kind, the long matrix first: what is at the end is read first. */
const LINES: Record<keyof Subjects, (caught: string, accepted: string) => string> = {
  deployments: (caught, accepted) =>
    `proof: ${caught} defects caught for the stated reason, ${accepted} variants accepted`,
  clients: (caught, accepted) =>
    `clients: ${caught} wrong clients caught for the stated reason, ${accepted} permitted clients certified`,
  readers: (caught, accepted) =>
    `readers: ${caught} wrong readers caught for the stated reason, ${accepted} permitted readers certified`,
  feeds: (caught, accepted) =>
    `feeds: ${caught} wrong feeds reported by the right rule, ${accepted} permitted feeds accepted`,
};

/** Prints what came of it. The exit code: 0 the proof holds, 1 it does not, 2 it could not be carried out. */
export async function prove(selection: Selection): Promise<{ exitCode: number; verdicts: Verdicts }> {
  const results = await judge(selection);
  const verdicts: Verdicts = new Map();
  let exitCode = 0;
  for (const kind of Object.keys(LINES) as (keyof Subjects)[]) {
    const subjects = subjectsIn(selection[kind]);
    if (subjects.length === 0) continue;
    for (const { name } of subjects) {
      const text = results.get(name)?.verdicts;
      if (text !== undefined) verdicts.set(`${kind.slice(0, -1)} ${name}`, text);
    }
    const part = concludeKind(kind, selection, results, ledger);
    if (kind === 'deployments' && selection.scope === 'whole') {
      const [defects, variants] = part.counts;
      const proof = {
        defects: { caught: defects.good, total: defects.total },
        variants: { accepted: variants.good, total: variants.total },
      };
      keepProof(part.exitCode === 0 ? { ...proof, digest: suiteDigest() } : undefined);
    }
    console.log(part.text);
    exitCode = Math.max(exitCode, part.exitCode);
  }
  return { exitCode, verdicts };
}

/**
 * By the names of the subjects. The clients are examined in this thread, while the deployments are judged in others: in as
 * many as there are cores, since whichever kind is judged first leaves its core to the other.
 */
async function judge(selection: Selection): Promise<Map<string, Result>> {
  const { deployments, clients, readers, feeds } = selection;
  const hasClients = [clients, readers].flatMap(subjectsIn).length > 0;
  const [ofClients, posted] = await Promise.all([
    hasClients ? clientResults({ clients, readers }) : [],
    runDeployments(deployments, availableParallelism()),
  ]);
  const ofDeployments = deploymentResults(deployments, posted, ledger);
  return new Map([...ofClients, ...ofDeployments, ...(await feedResults(feeds))]);
}

/** How many of the subjects are as they should be. */
interface Count {
  good: number;
  total: number;
}

interface Conclusion {
  /** Of those that are wrong, and of those that are permitted. */
  counts: [wrong: Count, permitted: Count];
  /** In 80 columns: the matrix of deployments, each fault, and a last line for machines. */
  text: string;
  exitCode: 0 | 1 | 2;
}

/** What the subjects of a kind came to. Pure: the results are given, by the names of the subjects. */
export function concludeKind(
  kind: keyof Subjects,
  selection: Selection,
  results: ReadonlyMap<string, Result>,
  requirements: readonly Requirement[],
): Conclusion {
  const { wrong, permitted } = selection[kind];
  const isDeployments = kind === 'deployments';
  const resultOf = ({ name }: { name: string }): Result =>
    results.get(name) ?? { faults: [`${name}: it was not judged.`] };
  const isGood = ({ faults, problems = [] }: Result) => faults.length + problems.length === 0;
  const countOf = (of: readonly { name: string }[]): Count => ({
    good: of.map(resultOf).filter(isGood).length,
    total: of.length,
  });
  const counts: Conclusion['counts'] = [countOf(wrong), countOf(permitted)];
  const [caught = '', accepted = ''] = counts.map(({ good, total }) => `${good}/${total}`);
  const all = subjectsIn(selection[kind]).map(resultOf);
  const problems = all.flatMap((result) => result.problems ?? []);
  const isUnproved = isDeployments && selection.scope !== 'named';
  const faults = [
    ...problems,
    ...all.flatMap((result) => result.faults),
    ...(isUnproved ? unprovedRequirements(requirements, selection.deployments.wrong, results) : []),
  ];
  const rows = wrong.map(({ name }) => ({ name, cells: results.get(name)?.cells ?? [] }));
  const lines = [
    ...renderMatrices(rows.filter(({ cells }) => cells.length > 0)),
    ...faults.flatMap((fault) => [...wrap(fault, 80), '']),
    ...(isDeployments ? [`suite ${suiteDigest()}`] : []),
    LINES[kind](caught, accepted),
  ];
  return { counts, text: lines.join('\n'), exitCode: problems.length > 0 ? 2 : faults.length > 0 ? 1 : 0 };
}

// The kill matrix: a row for each defect, a column for each requirement, in 80 columns.

/** A defect, and what the run said of each requirement. */
interface Row {
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
function renderMatrices(rows: readonly Row[]): string[] {
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
