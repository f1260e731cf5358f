/** What the mock assumes where the specification is open, as `mrs mock --assumptions` prints it. */
import type { Assumption } from '../../mocks/contract/operation.ts';
import { joined } from './wrap-list.ts';

export function listOfAssumptions(assumptions: readonly Assumption[]): string {
  const indent = `\n${' '.repeat(10)}`;
  const entries = assumptions.map(
    ({ answers, choice, reason }) =>
      answers.padEnd(10) +
      joined(choice.split(' '), ' ', indent) +
      indent +
      joined(reason.split(' '), ' ', indent),
  );
  return `${assumptions.length} assumptions, made where the specification leaves a choice open.
A deployment is free to choose otherwise.

${entries.join('\n\n')}`;
}
