/** Clause 2: the resources. */
import { requirement, test } from './suite.ts';
import { matchesContract } from './support/expectations.ts';

test(
  ...requirement(
    'MRS-2a',
    ['valid-credentials', 'valid-credentials with a header'],
    matchesContract(({ pointer, keyword }) => pointer === '/token' || keyword === 'required'),
  ),
);
