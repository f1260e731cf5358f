/** Records without a profile: the specification describes none, so the mock assumes those that are publicly documented. */
import type { Contract } from '../contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../contract/profile.ts';
import { isCount } from './records.ts';

/** The profile whose records are assumed. */
const DOCUMENTED = 'ods-record';
const ANSWERS = 'MRS-4.2g';

const assumed = new WeakMap<Contract, Promise<Contract>>();

/**
 * The contract with records, and with the assumption that they are; as it is under any profile, and where `given` is not
 * a number of records.
 */
export async function withAssumedRecords(
  contract: Contract,
  given: number | string | undefined,
): Promise<Contract> {
  if (contract.profile !== SPECIFICATION || given === undefined || !isCount(given)) return contract;
  const known = assumed.get(contract) ?? assume(contract);
  assumed.set(contract, known);
  return known;
}

async function assume(contract: Contract): Promise<Contract> {
  const { document } = await loadProfile(DOCUMENTED);
  return {
    ...contract,
    document: { ...contract.document, 'x-records': document['x-records'] },
    assumptions: contract.assumptions.map((assumption) =>
      assumption.answers === ANSWERS
        ? {
            answers: ANSWERS,
            choice:
              'an object whose one member is named after the path and holds a list of generated records',
            reason: `They have the shape that NRAO documents publicly (profile ${DOCUMENTED}). With --records 0 the list is empty.`,
          }
        : assumption,
    ),
  };
}
