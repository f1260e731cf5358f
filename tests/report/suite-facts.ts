/** Which suite made a report, in every format. */
import type { Suite } from '../support/version.ts';
import type { Fact } from './model.ts';

/** Absent from reports of older versions. */
interface Made {
  suite?: Readonly<Suite>;
  runId?: string;
}

/** Characters of a digest that people compare. */
const SHORT = 19;

export const suiteFacts = ({ suite, runId }: Made): Fact[] => [
  ...(suite ? [{ name: 'Suite', text: `${suite.name} ${suite.version}` }] : []),
  ...(suite ? [{ name: 'Specification', text: suite.specification.slice(0, SHORT), isCode: true }] : []),
  ...(runId === undefined ? [] : [{ name: 'Run', text: runId, isCode: true }]),
];

export const suiteProperties = ({ suite, runId }: Made): Record<string, string> => ({
  ...(suite && { suite: `${suite.name} ${suite.version}`, specification: suite.specification }),
  ...(runId !== undefined && { run: runId }),
});
