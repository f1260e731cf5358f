/** A draft as the file that a person reads and edits. */
import { stringify } from 'yaml';
import type { Draft } from './draft.ts';

const HEADER = `# A draft of a profile: what one run saw of this deployment where the specification is open.
# Read each statement, ask the operator whether it is meant so, and take out what is chance. A seen: 1 was seen once.
`;

export const writeDraft = ({ overlay }: Draft): string =>
  HEADER + stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false });
