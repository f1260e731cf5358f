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

const DIGESTS = ['requirements', 'specification', 'contract'] as const;

/** The digests of the requirements and of the contract are in report.json and junit.xml: a page has no room for them. */
export function suiteFacts({ suite, runId }: Made): Fact[] {
  const specification = suite?.specification;
  return [
    ...(suite ? [{ name: 'Suite', text: `${suite.name} ${suite.version}` }] : []),
    ...(specification === undefined
      ? []
      : [{ name: 'Specification', text: specification.slice(0, SHORT), isCode: true }]),
    ...(runId === undefined ? [] : [{ name: 'Run', text: runId, isCode: true }]),
  ];
}

export const suiteProperties = ({ suite, runId }: Made): Record<string, string> => ({
  ...(suite && { suite: `${suite.name} ${suite.version}` }),
  ...Object.fromEntries(
    DIGESTS.flatMap((name) => (suite?.[name] === undefined ? [] : [[name, suite[name]]])),
  ),
  ...(runId !== undefined && { run: runId }),
});
