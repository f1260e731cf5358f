/** What `mrs mock` and `mrs prove` list, in 80 columns. */
import type { Assumption } from '../../mocks/contract/document.ts';
import type { Deployment } from '../../mocks/deployments/deployment.ts';
import { SCENARIO_SECRET, scenarios } from '../../mocks/scenarios.ts';
import { wrap } from '../../tests/report/text.ts';

/** What the mock assumes where the specification is open. */
export function listOfAssumptions(assumptions: readonly Assumption[]): string {
  const entries = assumptions.map(({ answers, choice, reason }) => {
    const lines = [...wrap(choice, 70), ...wrap(reason, 70)];
    return lines.map((line, at) => (at === 0 ? answers : '').padEnd(10) + line).join('\n');
  });
  return `${assumptions.length} assumptions, made where the specification leaves a choice open.
A deployment is free to choose otherwise.

${entries.join('\n\n')}`;
}

/** Defects and variants by name, as paragraphs. */
export const listOfDeployments = (
  defects: readonly Deployment[],
  variants: readonly Deployment[],
): string[] => [
  ...listOfNamed(defects, 'defects. Each deployment breaks the specification in one way:'),
  ...listOfNamed(variants, 'variants. Each differs in one way where the specification is open:'),
];

/** A paragraph with what each does, in 80 columns; none for an empty list. */
export function listOfNamed(
  subjects: readonly Pick<Deployment, 'name' | 'summary' | 'profile'>[],
  title: string,
): string[] {
  const entries = subjects.flatMap(({ name, summary, profile }) => [
    profile === undefined ? name : `${name} (--profile ${profile})`,
    ...wrap(`${summary}.`, 76).map((line) => `    ${line}`),
  ]);
  return subjects.length === 0 ? [] : [[`${subjects.length} ${title}`, ...entries].join('\n')];
}

/** The client ids that play a scenario. */
export function listOfScenarios(): string {
  const about = wrap(
    `${scenarios.length} scenarios. Give your client one of these ids and the secret ${SCENARIO_SECRET}. To give ` +
      'each developer or test a client with its own count of calls, add a dot and a word to the id: ' +
      'demo-steady.alice.',
    80,
  );
  const entries = scenarios.flatMap(({ name, summary, secretSuffix = '' }) => [
    `demo-${name}`,
    ...wrap(summary.endsWith('?') ? summary : `${summary}.`, 76).map((line) => `    ${line}`),
    ...(secretSuffix === '' ? [] : [`    Its secret is ${SCENARIO_SECRET}${secretSuffix}.`]),
  ]);
  return [...about, '', ...entries].join('\n');
}
