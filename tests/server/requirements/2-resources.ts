import { matchesContract, tokenResponses } from '../support/expectations.ts';
import { allOf } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const resources = [
  requirement('MRS-2a', 'the token response has the field token, a string that is not empty', (evidence) =>
    allOf(
      tokenResponses(evidence).map((response) =>
        matchesContract(response, ({ pointer, keyword }) => pointer === '/token' || keyword === 'required'),
      ),
    ),
  ),
];
