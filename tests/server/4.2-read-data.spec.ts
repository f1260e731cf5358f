/** Clause 4.2: `GET /ods_data/` with the token. */
import { requirement, test } from './suite.ts';
import { decision, isJson, obtainsData } from './support/expectations.ts';
import { notApplicable } from './support/judgement.ts';

test(...requirement('MRS-4.2a', ['valid-token'], obtainsData));

test(
  ...requirement(
    'MRS-4.2b',
    ['valid-token body'],
    decision((answer) =>
      [204, 205].includes(answer.response.status)
        ? notApplicable('The answers have status 204 or 205, which have no content to judge.')
        : isJson(answer),
    ),
  ),
);
