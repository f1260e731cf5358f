/** Clause 1: access is for clients with a token. */
import { requirement, test } from './suite.ts';
import { refusedKinds } from './support/evidence.ts';
import { obtainNoData } from './support/expectations.ts';

test(
  ...requirement('MRS-1.3', (evidence, served) =>
    obtainNoData(refusedKinds(evidence, 'MRS-1.3'), served, evidence),
  ),
);
