/** Clause 2: the resources. */

import { requirement, test } from './suite.ts';
import { matchesContract, tokenResponses } from './support/expectations.ts';
import { allOf } from './support/judgement.ts';

test(
  ...requirement('MRS-2a', (evidence) =>
    allOf(
      tokenResponses(evidence).map((response) =>
        matchesContract(response, ({ pointer, keyword }) => pointer === '/token' || keyword === 'required'),
      ),
    ),
  ),
);
