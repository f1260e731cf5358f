/** Clause 1: access is for clients with a token. */
import { requirement, test } from './suite.ts';
import { obtainsNoData } from './support/expectations.ts';

test(...requirement('MRS-1.3', ['missing-token', 'malformed-token'], obtainsNoData));
