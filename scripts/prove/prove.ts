/** A proof: everything that was selected is judged, and compared with what it should come to. */
import { availableParallelism } from 'node:os';
import { wrap } from '../../tests/report/text.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { deploymentResults, runDeployments, unprovedRequirements } from './deployments.ts';
import type { Result } from './expected.ts';
import { type Group, type Selection, type Subjects, subjectsIn } from './selection.ts';
import { clientResults, feedResults } from './subjects.ts';
import type { Verdicts } from './verdicts.ts';

/** What is printed of each kind: its name, and what became of those that are wrong and those that are permitted. */
const LINES: Readonly<Record<keyof Subjects, readonly [name: string, wrong: string, permitted: string]>> = {
  deployments: ['proof', 'defects caught for the stated reason', 'variants accepted'],
  clients: ['clients', 'wrong clients caught for the stated reason', 'permitted clients certified'],
  readers: ['readers', 'wrong readers caught for the stated reason', 'permitted readers certified'],
  feeds: ['feeds', 'wrong feeds reported by the right rule', 'permitted feeds accepted'],
};

/**
 * Prints what came of it. The exit code: 0 the proof holds, 1 it does not, 2 it could not be carried out. The clients are
 * examined in this thread, while the deployments are judged in others: in as many as there are cores, since whichever
 * kind is judged first leaves its core to the other.
 */
export async function prove(selection: Selection): Promise<{ exitCode: number; verdicts: Verdicts }> {
  const { deployments, clients, readers, feeds, scope } = selection;
  const [ofClients, posted] = await Promise.all([
    clientResults({ clients, readers }),
    runDeployments(deployments, availableParallelism()),
  ]);
  const ofDeployments = deploymentResults(deployments, posted);
  const results = new Map([...ofClients, ...ofDeployments, ...(await feedResults(feeds))]);
  const unproved = scope === 'named' ? [] : unprovedRequirements(ledger, deployments.wrong, posted);
  const verdicts: Verdicts = new Map();
  let exitCode = 0;
  for (const kind of Object.keys(LINES) as (keyof Subjects)[]) {
    const subjects = subjectsIn(selection[kind]);
    if (subjects.length === 0) continue;
    for (const { name } of subjects) {
      const text = results.get(name)?.verdicts;
      if (text !== undefined) verdicts.set(`${kind.slice(0, -1)} ${name}`, text);
      if (scope === 'named') console.log(wrap(`${name}: ${text}`, 80).join('\n'));
    }
    const part = concludeKind(kind, selection[kind], results, kind === 'deployments' ? unproved : []);
    console.log(part.text);
    exitCode = Math.max(exitCode, part.exitCode);
  }
  return { exitCode, verdicts };
}

/** What the subjects of a kind came to: in 80 columns each fault, and a last line for machines. Pure. */
export function concludeKind(
  kind: keyof Subjects,
  { wrong, permitted }: Group,
  results: ReadonlyMap<string, Result>,
  unproved: readonly string[] = [],
) {
  const resultOf = ({ name }: { name: string }): Result =>
    results.get(name) ?? { faults: [`${name}: it was not judged.`] };
  const countOf = (of: Group['wrong']) =>
    of.map(resultOf).filter(({ faults, problems = [] }) => faults.length + problems.length === 0).length;
  const counts = {
    defects: { caught: countOf(wrong), total: wrong.length },
    variants: { accepted: countOf(permitted), total: permitted.length },
  };
  const all = [...wrong, ...permitted].map(resultOf);
  const problems = all.flatMap((result) => result.problems ?? []);
  const faults = [...problems, ...all.flatMap((result) => result.faults), ...unproved];
  const [name, caught, accepted] = LINES[kind];
  const { defects, variants } = counts;
  const lines = [
    ...faults.flatMap((fault) => [...wrap(fault, 80), '']),
    `${name}: ${defects.caught}/${defects.total} ${caught}, ${variants.accepted}/${variants.total} ${accepted}`,
  ];
  return { counts, text: lines.join('\n'), exitCode: problems.length > 0 ? 2 : faults.length > 0 ? 1 : 0 };
}
