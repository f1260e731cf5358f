import { obtainsNoData } from '../support/expectations.ts';
import { allOf } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const service = [
  requirement('MRS-1.3', 'a request without a token is not given the data', (evidence, served) => {
    const { withoutToken, malformedToken, otherScheme } = evidence.data;
    const probes = [withoutToken, malformedToken, otherScheme];
    return allOf(probes.map((probe) => obtainsNoData(probe, served, evidence)));
  }),
];
