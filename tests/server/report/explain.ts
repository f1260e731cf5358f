/** What a report adds to a violation for its readers: what the answer held, and how to see it again. */
import { curlFor } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { bodyInWords } from './wording.ts';

/** `report` with an explanation of each failed requirement. */
export const explain = (report: Report): Report => ({
  ...report,
  requirements: report.requirements.map((one) => (one.verdict === 'failed' ? explained(one, report) : one)),
});

function explained(requirement: JudgedRequirement, report: Report): JudgedRequirement {
  const { evidence } = requirement;
  const deciding = report.exchanges.find(({ id }) => id === evidence.exchanges[0]);
  const body = deciding && bodyInWords(deciding);
  return {
    ...requirement,
    evidence: {
      ...evidence,
      ...(body !== undefined && { body }),
      ...(deciding && { reproduction: curlFor(deciding, report.target) }),
    },
  };
}
