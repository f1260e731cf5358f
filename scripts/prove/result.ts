/** What a proof came to: counts, faults and an exit code, and their text in 80 columns. */

import type { Report } from '../../tests/report/report.ts';
import { wrap } from '../../tests/report/wrap.ts';
import type { Proof } from '../../tests/support/proof.ts';
import type { Requirement } from '../../tests/support/requirements.ts';
import { type Row, renderMatrices } from './matrix.ts';
import type { Selection } from './selection.ts';
import { cellsOf, isAccepted, isCaught, proofFaults } from './verdict.ts';

export interface ProofResult {
  proof: Omit<Proof, 'digest'>;
  rows: readonly Row[];
  /** Sentences. */
  faults: readonly string[];
  /** 0 it holds, 1 it does not, 2 it could not be carried out. */
  exitCode: 0 | 1 | 2;
}

/** `reports` are by the name of the deployment; `problems` came up in addition. */
export function judgeProof(
  ledger: readonly Requirement[],
  selection: Selection,
  reports: ReadonlyMap<string, Report>,
  problems: readonly string[],
): ProofResult {
  const { defects, variants } = selection;
  const judged = defects.flatMap((defect) => {
    const report = reports.get(defect.name);
    return report ? [{ defect, report }] : [];
  });
  const broken = [
    ...problems,
    ...[...reports].flatMap(([name, report]) => report.problems.map((problem) => `${name}: ${problem}`)),
  ];
  const faults = [...broken, ...proofFaults(ledger, selection, reports)];
  return {
    proof: {
      defects: {
        caught: judged.filter(({ defect, report }) => isCaught(defect, report)).length,
        total: defects.length,
      },
      variants: {
        accepted: variants.filter((variant) => isAccepted(variant, reports.get(variant.name))).length,
        total: variants.length,
      },
    },
    rows: judged.map(({ defect, report }) => ({ name: defect.name, cells: cellsOf(defect, report) })),
    faults,
    exitCode: broken.length > 0 ? 2 : faults.length > 0 ? 1 : 0,
  };
}

/** The last line is for machines. */
export function renderProof({ proof, rows, faults }: ProofResult, digest: string): string {
  const { defects, variants } = proof;
  return [
    ...(rows.length > 0 ? [renderMatrices(rows), ''] : []),
    ...faults.flatMap((fault) => [...wrap(fault, 80), '']),
    `suite ${digest}`,
    `proof: ${defects.caught}/${defects.total} defects caught for the stated reason, ` +
      `${variants.accepted}/${variants.total} variants accepted`,
  ].join('\n');
}
