/** Clause 2: the resources. */

import { requirement, test } from './suite.ts';
import { matchContract } from './support/expectations.ts';

test(
  ...requirement('MRS-2a', (evidence) =>
    matchContract(evidence, ({ pointer, keyword }) => pointer === '/token' || keyword === 'required'),
  ),
);
