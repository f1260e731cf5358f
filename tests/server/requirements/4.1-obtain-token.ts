import { refusedKinds } from '../requests/requests.ts';
import { inWords } from '../support/evidence.ts';
import {
  hasStatus,
  ifSettled,
  isIssued,
  isJson,
  matchesContract,
  obtainNoToken,
  tokenResponses,
} from '../support/expectations.ts';
import { allOf, couldNotRun, failed, passed, settled } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const obtainToken = [
  requirement('MRS-4.1a', 'valid credentials, posted as a form, are answered with 200', (evidence) => {
    const valid = settled(evidence.token.valid);
    if ('verdict' in valid) return valid;
    const { status } = valid.response;
    if (status === 404)
      return failed('status 200; check the base URL first, since a wrong path looks the same', valid);
    const answers = [valid, ...tokenResponses(evidence)];
    return allOf(answers.map((answer) => hasStatus(answer, 'obtainToken', 200)));
  }),

  requirement('MRS-4.1b', 'the token endpoint asks for no Authorization header', ({ token }) => {
    const plain = settled(token.valid);
    if ('verdict' in plain) return plain;
    if (isIssued(plain)) return passed(plain);
    const authorized = settled(token.withAuthorization);
    if ('verdict' in authorized) return allOf([passed(plain), authorized]);
    if (isIssued(authorized)) return failed('a token without an Authorization header', plain, authorized);
    return couldNotRun(
      `No token was obtained, with or without an Authorization header (see MRS-4.1a): ${inWords(plain)}.`,
      plain,
    );
  }),

  ...(
    [
      ['MRS-4.1e', 'a form without grant_type obtains no token'],
      ['MRS-4.1f', 'a form with another grant_type obtains no token'],
      ['MRS-4.1g', 'a form without client_id obtains no token'],
      ['MRS-4.1h', 'an unknown client_id obtains no token'],
      ['MRS-4.1i', 'a form without client_secret obtains no token'],
      ['MRS-4.1j', 'a wrong client_secret obtains no token'],
    ] as const
  ).map(([id, title]) =>
    requirement(id, title, (evidence, valid) => obtainNoToken(refusedKinds(evidence, id), valid, evidence)),
  ),

  requirement('MRS-4.1k', 'the token response is a JSON object, of a JSON media type', (evidence) =>
    allOf(
      tokenResponses(evidence).flatMap((response) => [
        isJson(response),
        matchesContract(response, ({ pointer, keyword }) => pointer === '' && keyword === 'type'),
      ]),
    ),
  ),

  requirement('MRS-4.1l', 'the token response has no field besides token', (evidence) =>
    allOf(
      tokenResponses(evidence).map((response) =>
        matchesContract(response, ({ keyword }) => keyword === 'additionalProperties'),
      ),
    ),
  ),

  requirement('MRS-4.1m', 'the same credentials obtain a token again', ({ token }, first) => {
    const again = settled(token.again);
    if ('verdict' in again) return again;
    const later = ifSettled(token.another, token.last);
    return allOf(
      [again, ...later].map((answer) =>
        isIssued(answer) ? passed(answer, first) : failed('a token for the same credentials again', answer),
      ),
    );
  }),
];
