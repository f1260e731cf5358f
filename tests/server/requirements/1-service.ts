import { refusedKinds } from '../requests/requests.ts';
import { obtainNoData } from '../support/expectations.ts';
import { requirement } from '../support/requirement.ts';

export const service = [
  requirement('MRS-1.3', 'a request without a token is not given the data', (evidence, served) =>
    obtainNoData(refusedKinds(evidence, 'MRS-1.3'), served, evidence),
  ),
];
