import { inWords } from '../support/evidence.ts';
import {
  hasStatus,
  ifSent,
  isIssued,
  isJson,
  matchesContract,
  obtainsNoToken,
  tokenResponses,
} from '../support/expectations.ts';
import { allOf, couldNotRun, failed, passed, settled } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const obtainToken = [
  requirement('MRS-4.1a', 'valid credentials, posted as a form, are answered with 200', (evidence) => {
    const valid = settled(evidence.token.valid);
    if ('verdict' in valid) return valid;
    const { status } = valid.response;
    if ([400, 401, 403].includes(status))
      return failed(
        'status 200; check MRS_CLIENT_ID and MRS_CLIENT_SECRET first, since wrong ones look the same',
        valid,
      );
    if (status === 404)
      return failed('status 200; check MRS_BASE_URL first, since a wrong path looks the same', valid);
    return allOf(tokenResponses(valid, evidence).map((response) => hasStatus(response, 'obtainToken', 200)));
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

  requirement('MRS-4.1e', 'a form without grant_type obtains no token', ({ token }, valid) =>
    obtainsNoToken(token.withoutGrantType, valid),
  ),

  requirement('MRS-4.1f', 'a form with another grant_type obtains no token', ({ token }, valid) =>
    obtainsNoToken(token.otherGrantType, valid),
  ),

  requirement('MRS-4.1g', 'a form without client_id obtains no token', ({ token }, valid) =>
    obtainsNoToken(token.withoutClientId, valid),
  ),

  requirement('MRS-4.1h', 'an unknown client_id obtains no token', ({ token }, valid) =>
    obtainsNoToken(token.unknownClientId, valid),
  ),

  requirement('MRS-4.1i', 'a form without client_secret obtains no token', ({ token }, valid) => {
    const probes = [token.withoutClientSecret, ...ifSent(token.emptyClientSecret)];
    return allOf(probes.map((probe) => obtainsNoToken(probe, valid)));
  }),

  requirement('MRS-4.1j', 'a wrong client_secret obtains no token', ({ token }, valid) =>
    obtainsNoToken(token.wrongClientSecret, valid),
  ),

  requirement('MRS-4.1k', 'the token response is a JSON object, of a JSON media type', (evidence, first) =>
    allOf(
      tokenResponses(first, evidence).flatMap((response) => [
        isJson(response),
        matchesContract(response, ({ pointer, keyword }) => pointer === '' && keyword === 'type'),
      ]),
    ),
  ),

  requirement('MRS-4.1l', 'the token response has no field besides token', (evidence, first) =>
    allOf(
      tokenResponses(first, evidence).map((response) =>
        matchesContract(response, ({ keyword }) => keyword === 'additionalProperties'),
      ),
    ),
  ),

  requirement('MRS-4.1m', 'the same credentials obtain a token again', ({ token }, first) => {
    const again = settled(token.again);
    if ('verdict' in again) return again;
    return isIssued(again) ? passed(again, first) : failed('a token for the same credentials again', again);
  }),
];
