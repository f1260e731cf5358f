/** Clause 4.1: `POST /token/`, a form with the credentials of the client. */
import { requirement, test } from './suite.ts';
import { settled } from './support/condition.ts';
import { inWords, isIssued } from './support/evidence.ts';
import {
  decision,
  isJson,
  matchesContract,
  obtainsNoToken,
  ofTokenResponse,
} from './support/expectations.ts';
import { allOf, couldNotRun, failed, passed } from './support/judgement.ts';

const RESPONSES = ['valid-credentials', 'valid-credentials with a header'] as const;

test(
  ...requirement(
    'MRS-4.1a',
    [...RESPONSES, 'valid-credentials refused'],
    decision((answer) => {
      if (answer.response.status === 200) return passed(answer);
      const isMissing = answer.response.status === 404;
      return failed(
        `status 200${isMissing ? '; check the base URL first, since a wrong path looks the same' : ''}`,
        answer,
      );
    }),
  ),
);

test(
  ...requirement(
    'MRS-4.1b',
    ['valid-credentials', 'valid-credentials refused'],
    decision((plain, { authorized }) => {
      if (isIssued(plain)) return passed(plain);
      if (!authorized) return undefined;
      const other = settled(authorized);
      if ('verdict' in other) return allOf([passed(plain), other]);
      if (isIssued(other)) return failed('a token without an Authorization header', plain, other);
      return couldNotRun(
        `No token was obtained, with or without an Authorization header (see MRS-4.1a): ${inWords(plain)}.`,
        plain,
      );
    }),
  ),
);

test(...requirement('MRS-4.1e', ['malformed-request without grant_type'], obtainsNoToken));
test(...requirement('MRS-4.1f', ['other-grant-type'], obtainsNoToken));
test(...requirement('MRS-4.1g', ['malformed-request without client_id'], obtainsNoToken));
test(...requirement('MRS-4.1h', ['wrong-credentials client_id'], obtainsNoToken));
test(...requirement('MRS-4.1i', ['malformed-request without client_secret'], obtainsNoToken));
test(...requirement('MRS-4.1j', ['wrong-credentials client_secret'], obtainsNoToken));

test(
  ...requirement('MRS-4.1k', RESPONSES, (shown) => {
    const isObject = matchesContract(({ pointer, keyword }) => pointer === '' && keyword === 'type')(shown);
    return isObject && allOf([ofTokenResponse(isJson)(shown) ?? isObject, isObject]);
  }),
);

test(
  ...requirement(
    'MRS-4.1l',
    RESPONSES,
    matchesContract(({ keyword }) => keyword === 'additionalProperties' || keyword === 'twice'),
  ),
);

test(
  ...requirement(
    'MRS-4.1m',
    ['valid-credentials again'],
    decision((answer, { issue }) =>
      isIssued(answer) ? passed(answer, issue) : failed('a token for the same credentials again', answer),
    ),
  ),
);
