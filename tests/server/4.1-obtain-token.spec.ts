/** Clause 4.1: `POST /token/`, a form with the credentials of the client. */
import { requirement, test } from './suite.ts';
import { firstIssue, ifSettled, settled, tokenResponses } from './support/condition.ts';
import { inWords, isIssued, refusedKinds } from './support/evidence.ts';
import { isJson, matchContract, matchesContract, obtainNoToken } from './support/expectations.ts';
import { allOf, couldNotRun, failed, passed } from './support/judgement.ts';

test(
  ...requirement('MRS-4.1a', (evidence) => {
    const valid = settled(evidence.probes['token.valid']);
    const responses = tokenResponses(evidence);
    if ('verdict' in valid && responses.length === 0) return valid;
    if ('response' in valid && valid.response.status === 404)
      return failed('status 200; check the base URL first, since a wrong path looks the same', valid);
    const answers = 'verdict' in valid ? responses : [valid, ...responses];
    return allOf(
      answers.map((one) => (one.response.status === 200 ? passed(one) : failed('status 200', one))),
    );
  }),
);

test(
  ...requirement('MRS-4.1b', (evidence) => {
    const plain = settled(firstIssue(evidence));
    if ('verdict' in plain) return plain;
    if (isIssued(plain)) return passed(plain);
    const authorized = settled(evidence.probes['token.withAuthorization']);
    if ('verdict' in authorized) return allOf([passed(plain), authorized]);
    if (isIssued(authorized)) return failed('a token without an Authorization header', plain, authorized);
    return couldNotRun(
      `No token was obtained, with or without an Authorization header (see MRS-4.1a): ${inWords(plain)}.`,
      plain,
    );
  }),
);

for (const id of ['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'] as const)
  test(...requirement(id, (evidence, valid) => obtainNoToken(refusedKinds(evidence, id), valid, evidence)));

test(
  ...requirement('MRS-4.1k', (evidence) =>
    allOf(
      tokenResponses(evidence).flatMap((response) => [
        isJson(response),
        matchesContract(response, ({ pointer, keyword }) => pointer === '' && keyword === 'type'),
      ]),
    ),
  ),
);

test(
  ...requirement('MRS-4.1l', (evidence) =>
    matchContract(evidence, ({ keyword }) => keyword === 'additionalProperties' || keyword === 'twice'),
  ),
);

test(
  ...requirement('MRS-4.1m', ({ probes }, first) => {
    const again = settled(probes['token.again']);
    if ('verdict' in again) return again;
    const later = ifSettled(probes['token.another'], probes['token.last']);
    return allOf(
      [again, ...later].map((answer) =>
        isIssued(answer) ? passed(answer, first) : failed('a token for the same credentials again', answer),
      ),
    );
  }),
);
