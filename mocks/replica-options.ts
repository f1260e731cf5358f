/** Options that cannot be combined with a token key: what they change or count would be that of one replica. */
import { MockError } from './contract/mock-error.ts';
import type { MockOptions } from './mock-options.ts';
import { oneReplica, WHY } from './state/one-replica.ts';

/** `why` follows "Several replicas may serve this address, and". */
const ROWS: readonly { isGiven(options: MockOptions): boolean; why: string }[] = [
  { isGiven: ({ scenarios }) => scenarios === true, why: 'a scenario counts the calls of one of them' },
  { isGiven: ({ defect }) => defect !== undefined, why: 'a defect remembers the calls of one of them' },
  { isGiven: ({ variant }) => variant !== undefined, why: 'a variant remembers the calls of one of them' },
  { isGiven: ({ clock }) => clock === 'frozen', why: 'each would stop its clock at its own start' },
  { isGiven: ({ startsAt }) => startsAt !== undefined, why: 'each would start its clock at its own start' },
  { isGiven: ({ journalSize = 0 }) => journalSize > 0, why: WHY.calls },
];

/** Throws MockError for the first such option. */
export function checkReplicaOptions(options: MockOptions): void {
  const found = ROWS.find(({ isGiven }) => isGiven(options));
  if (found) throw new MockError(oneReplica(found.why));
}
