/** A report on a fleet as text for a terminal. */
import type { Report, Row } from '../../report/report.ts';
import { reportOf } from './model.ts';
import { deploymentsInWords, type Fleet, summaryOf, worstFirst } from './wording.ts';

/** Deployments that are not conformant; the rest are counted. */
const SHOWN = 40;

/** The report for a terminal: a line for each deployment that is not conformant, the worst first, then what changed. */
export function terminalReportOf(fleet: Fleet): Report {
  const { deployments } = fleet;
  const wrong = worstFirst(deployments).filter(({ outcome }) => !outcome.startsWith('conformant'));
  const report = reportOf(fleet);
  const rows = wrong.slice(0, SHOWN).map(
    (one): Row => ({
      verdict: one.outcome === 'incomplete' ? 'could-not-run' : 'failed',
      cells: [one.name, `${summaryOf(one)}.`],
    }),
  );
  const table = { name: 'wrong', caption: '', columns: ['Deployment', 'Result'], inTerminal: [0, 1], rows };
  const more = wrong.length > SHOWN ? [`${wrong.length - SHOWN} more deployments are not conformant.`] : [];
  const none = wrong.length === 0 ? [`${deploymentsInWords(deployments)}, none of them worse than that`] : [];
  return {
    ...report,
    items: [],
    problems: [],
    sections: [{ id: 'wrong', title: '', blocks: [{ table }] }, ...report.sections],
    remarks: [...more, ...none, ...report.remarks],
  };
}
