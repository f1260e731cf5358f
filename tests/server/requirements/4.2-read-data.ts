import { isJson, obtainsData } from '../support/expectations.ts';
import { notApplicable } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const readData = [
  requirement('MRS-4.2a', 'the data is served with a valid token', (evidence) =>
    obtainsData(evidence.data.first, evidence.token.valid, evidence),
  ),

  requirement('MRS-4.2b', 'the data is well-formed JSON, of a JSON media type', (_, served) =>
    served.response.status === 204
      ? notApplicable('The answer has status 204, which has no content to judge.')
      : isJson(served),
  ),
];
