/** Clause 1: access is for clients with a token. */
import { requirement, test } from './suite.ts';
import { ifSettled } from './support/condition.ts';
import { refusedKinds } from './support/evidence.ts';
import { obtainNoData } from './support/expectations.ts';
import { allOf } from './support/judgement.ts';

test(
  ...requirement('MRS-1.3', (evidence, served) => {
    // No clause says how OPTIONS is answered, so only records that a valid token opens are held against it.
    const options = ifSettled(evidence.probes['open.options'])
      .filter(({ response }) => (response.values?.found ?? 0) > 1)
      .map((one) => obtainNoData([{ probes: [one] }], served, evidence))
      .filter(({ verdict }) => verdict === 'failed');
    return allOf([obtainNoData(refusedKinds(evidence, 'MRS-1.3'), served, evidence), ...options]);
  }),
);
