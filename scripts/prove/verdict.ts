/** Whether the suite judged each deployment as it should have. Pure: the reports are given. */

import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import type { Item, Report } from '../../tests/report/report.ts';
import { isBinding, type Requirement } from '../../tests/support/requirements.ts';
import type { ItemVerdict } from '../../tests/support/verdict.ts';
import { pointOf, type Selection } from './selection.ts';

/** What a verdict of a defect should be, and what it is. */
export interface Cell {
  id: string;
  verdict: ItemVerdict;
  /** Why it is not as stated, as a sentence. */
  fault?: string;
}

const WORDS: Record<ItemVerdict, string> = {
  passed: 'passed',
  failed: 'failed',
  'could-not-run': 'could not be run',
  'not-applicable': 'was not applicable',
  warned: 'warned',
  'not-seen': 'was not seen',
};

const isDeclared = (id: string): boolean => id.includes('@');

/** One cell for each requirement. */
export function cellsOf(defect: Defect, report: Report): Cell[] {
  return report.items.map((requirement) => {
    const isLeftOut = (report.properties['not-offered'] ?? '').split(' ').includes(requirement.id);
    const fault = faultOf(defect, requirement, isLeftOut);
    const { id, verdict } = requirement;
    return { id, verdict, ...(fault !== undefined && { fault: `${defect.name}: ${fault}` }) };
  });
}

function faultOf(
  { fails, cannotRun = [], mayNotRun }: Defect,
  requirement: Item,
  isLeftOut: boolean,
): string | undefined {
  const { id, verdict } = requirement;
  if (mayNotRun && verdict === 'could-not-run') return undefined;
  const pattern = fails[id];
  if (pattern) {
    if (verdict !== 'failed') return `${id} ${WORDS[verdict]} and should have failed. ${said(requirement)}`;
    if (pattern.test(said(requirement))) return undefined;
    return `${id} failed for another reason than ${pattern}. It said: ${said(requirement)}`;
  }
  const expected = cannotRun.includes(id) ? 'could-not-run' : 'passed';
  if (verdict === expected) return undefined;
  // What a run does not bring about by itself, such as a limit, is judged where it is met.
  if ((isDeclared(id) || isLeftOut) && verdict === 'not-applicable' && expected === 'passed')
    return undefined;
  return `${id} ${WORDS[verdict]}, which this defect does not explain. ${said(requirement)}`;
}

/** What a report says of a verdict. */
export function said({ verdict, expected, reason, seen }: Item): string {
  if (verdict === 'failed') return `expected ${expected}; seen: ${seen}`;
  return reason ?? `seen: ${seen || 'nothing'}`;
}

export const isCaught = (defect: Defect, report: Report): boolean =>
  cellsOf(defect, report).every(({ fault }) => fault === undefined);

/** No requirement failed, and exactly those that are stated could not be run. */
export function isAccepted({ cannotRun = [], mayNotRun }: Variant, report: Report | undefined): boolean {
  if (!report) return false;
  const { outcome, items } = report;
  if (mayNotRun && outcome === 'incomplete') return true;
  const left = items.filter(({ verdict }) => verdict === 'could-not-run').map(({ id }) => id);
  if (cannotRun.length === 0) return outcome.startsWith('conformant');
  return outcome === 'incomplete' && left.toSorted().join() === cannotRun.toSorted().join();
}

/** Everything that is not as it should be, as sentences. `reports` are by the name of the deployment. */
export function proofFaults(
  ledger: readonly Requirement[],
  { defects, variants, scope }: Selection,
  reports: ReadonlyMap<string, Report>,
): string[] {
  const binding = ledger.filter(isBinding).map(({ id }) => id);
  const declared = [...reports.values()].flatMap(({ items }) =>
    items.filter(({ id, verdict }) => isDeclared(id) && verdict === 'passed').map(({ id }) => id),
  );
  // A point is judged by the same test under every profile.
  const expected = [...binding, ...new Set(declared.map(pointOf))];
  const known = [...reports.values()].flatMap(({ items }) => items.map(({ id }) => id));
  return [
    ...[...defects, ...variants]
      .filter(({ name }) => !reports.has(name))
      .map(({ name }) => `${name}: it was not judged.`),
    ...defects.flatMap((defect) => {
      const report = reports.get(defect.name);
      const silent = Object.keys(defect.fails).length === 0 ? [`${defect.name}: it breaks nothing.`] : [];
      const strangers = [...Object.keys(defect.fails), ...(defect.cannotRun ?? [])]
        .filter((id) => !binding.includes(id) && !known.includes(id))
        .map((id) => `${defect.name}: ${id} is not a requirement that binds a deployment.`);
      return [
        ...silent,
        ...strangers,
        ...(report ? cellsOf(defect, report) : []).flatMap(({ fault }) => fault ?? []),
      ];
    }),
    ...variants.flatMap((variant) => {
      const { name, summary } = variant;
      const report = reports.get(name);
      if (!report || isAccepted(variant, report)) return [];
      const odd = report.items.filter(({ verdict }) => !['passed', 'not-applicable'].includes(verdict));
      const sentences = odd.map((one) => `${one.id} ${WORDS[one.verdict]}: ${said(one).replace(/\.$/, '')}.`);
      return [
        `${name}, which ${summary}, is permitted, and came out ${report.outcome}. ${sentences.join(' ')}`,
      ];
    }),
    ...(scope === 'named' ? [] : expected)
      .filter((id) => !defects.some(({ fails }) => Object.keys(fails).some((one) => pointOf(one) === id)))
      .map(
        (id) =>
          `${id} has no defect, so nothing shows that its test can fail. Add one to mocks/deployments/defects/.`,
      ),
  ];
}
