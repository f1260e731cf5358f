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

const DIGESTS = [
  ['requirements', 'Requirements'],
  ['specification', 'Specification'],
  ['contract', 'Contract'],
] as const;

export const suiteFacts = ({ suite, runId }: Made): Fact[] => [
  ...(suite ? [{ name: 'Suite', text: `${suite.name} ${suite.version}` }] : []),
  ...DIGESTS.flatMap(([name, title]) => {
    const digest = suite?.[name];
    return digest === undefined ? [] : [{ name: title, text: digest.slice(0, SHORT), isCode: true }];
  }),
  ...(runId === undefined ? [] : [{ name: 'Run', text: runId, isCode: true }]),
];

export const suiteProperties = ({ suite, runId }: Made): Record<string, string> => ({
  ...(suite && { suite: `${suite.name} ${suite.version}` }),
  ...Object.fromEntries(
    DIGESTS.flatMap(([name]) => (suite?.[name] === undefined ? [] : [[name, suite[name]]])),
  ),
  ...(runId !== undefined && { run: runId }),
});
