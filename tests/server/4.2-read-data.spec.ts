/** Clause 4.2: `GET /ods_data/` with the token. */

import { requirement, test } from './suite.ts';
import { dataAnswers, firstRead, ifSent, ifSettled, readsAtEnd, settled } from './support/condition.ts';
import { isSuccess } from './support/evidence.ts';
import { isJson, obtainsData } from './support/expectations.ts';
import { allOf, notApplicable } from './support/judgement.ts';

test(
  ...requirement('MRS-4.2a', (evidence) => {
    const { probes } = evidence;
    const { 'data.first': first, 'token.valid': valid } = probes;
    // What had no decision decides nothing where others were served.
    const decisive = 'verdict' in settled(first) ? firstRead(evidence) : first;
    // Where the new token after expiry is refused already, MRS-5.6b says so.
    const isRenewed = ifSettled(probes['data.freshToken']).some(isSuccess);
    const later = [
      ...ifSent(probes['data.newestToken']).map((probe) =>
        obtainsData(probe, probes['token.another'], evidence),
      ),
      ...[...ifSent(probes['data.lastToken']), ...readsAtEnd(evidence)].map((probe) =>
        obtainsData(probe, probes['token.last'], evidence),
      ),
    ];
    return allOf([obtainsData(decisive, valid, evidence), ...(isRenewed ? later : [])]);
  }),
);

test(
  ...requirement('MRS-4.2b', (evidence) => {
    const withContent = dataAnswers(evidence).filter(({ response }) => ![204, 205].includes(response.status));
    return withContent.length === 0
      ? notApplicable('The answers have status 204 or 205, which have no content to judge.')
      : allOf(withContent.map(isJson));
  }),
);
