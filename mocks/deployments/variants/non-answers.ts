/** Permitted deployments that do not answer all requests, or not at once. */
import { type Answer, answers } from '../../contract/answers.ts';
import type { Override, Variant } from '../deployment.ts';
import { OUTAGES, outage } from '../outages.ts';
import { combine, mapReply, mapSomeRepliesTo } from '../overrides.ts';
import { body, headers, sequence, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';

/** Answers no more than `most` requests in so many seconds of its clock, and the others with 429. */
const limited = (
  name: string,
  summary: string,
  { most, seconds, operation }: { most: number; seconds: number; operation?: Answer['operation'] },
): Variant => ({
  name: `limits-${name}`,
  summary: `answers more than ${summary} with 429 and Retry-After`,
  override(parts) {
    const { now } = parts.state.clock;
    const answered: number[] = [];
    return mapReply((reply, { expected }) => {
      if (operation !== undefined && expected?.operation !== operation) return reply;
      const leftMs = (answered.at(-most) ?? Number.NEGATIVE_INFINITY) + seconds * 1000 - now();
      if (leftMs > 0)
        return sequence(
          status(429),
          headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) }),
          body('{"error":"slow_down"}'),
        )(reply);
      answered.push(now());
      return reply;
    })(parts);
  },
});

/** Answers the first refusals of each sort, and later ones with `code`. */
const evasive = (code: number): Variant => {
  const after = (answer: Answer, first: number): Override =>
    mapSomeRepliesTo(answer, status(code), (nth) => nth > first);
  return {
    name: `evasive-${code}`,
    summary: `answers only the plainest of the requests that it must refuse, and the others with ${code}`,
    cannotRun: ['MRS-4.1f', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j', 'MRS-5.5a', 'MRS-5.5b'],
    override: combine(
      serveRecords,
      after(answers.unknownToken, 2),
      after(answers.invalidRequest, 3),
      after(answers.unsupportedGrantType, 1),
      after(answers.wrongCredentials, 2),
    ),
  };
};

export const nonAnswerVariants: readonly Variant[] = [
  limited('all-requests', '20 requests in a second', { most: 20, seconds: 1 }),
  limited('forms', '10 forms in a minute', { most: 10, seconds: 60, operation: 'obtainToken' }),
  evasive(503),
  evasive(429),
  evasive(500),
  {
    name: 'resets-from-40',
    summary: 'resets each connection for six seconds, from request 40 on',
    override: combine(serveRecords, outage(40, 6, 'reset')),
  },
  ...OUTAGES.flatMap((from): Variant[] => [
    {
      name: `outage-from-${from}`,
      summary: `answers everything with 503 for six seconds, from request ${from} on`,
      ...(from < 20 && { mayNotRun: true }),
      override: combine(serveRecords, outage(from, 6)),
    },
    {
      name: `down-from-${from}`,
      summary: `answers everything with 503 from request ${from} on`,
      mayNotRun: true,
      override: combine(serveRecords, outage(from, Number.POSITIVE_INFINITY)),
    },
  ]),
];
