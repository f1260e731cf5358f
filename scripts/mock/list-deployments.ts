/** Defects and variants by name, as `mrs mock --list-defects` and `mrs prove --list` print them, in 80 columns. */
import type { Deployment } from '../../mocks/deployments/deployment.ts';
import { wrap } from '../../tests/report/wrap.ts';

export function listOfDeployments(defects: readonly Deployment[], variants: readonly Deployment[]): string {
  const entry = ({ name, summary, profile }: Deployment) => [
    profile === undefined ? name : `${name} (--profile ${profile})`,
    ...wrap(`${summary}.`, 76).map((line) => `    ${line}`),
  ];
  return [
    `${defects.length} defects. Each deployment breaks the specification in one way; it`,
    ...defects.flatMap(entry),
    '',
    `${variants.length} variants. Each differs in one way where the specification is open; it`,
    ...variants.flatMap(entry),
  ].join('\n');
}
