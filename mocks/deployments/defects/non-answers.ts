/** Deployments that are wrong, and do not answer all requests. */
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { OUTAGES, outage } from '../outages.ts';
import { combine, mapReplyTo, mapSomeRepliesTo } from '../overrides.ts';
import { json, sequence, status } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';
import { isSigned, signTokens } from '../signed-tokens.ts';

const acceptsUnsigned = signTokens(
  (sent) => isSigned(sent) || (sent.header.alg === 'none' && sent.signature.length === 0),
);

const GIVEN = /^expected that the data is not given\b.*; seen: .*unsigned by its own header.*: 200\b/;

export const nonAnswerDefects: readonly Defect[] = [
  ...[500, 503, 429].map(
    (code): Defect => ({
      name: `expired-always-${code}`,
      summary: `answers an expired token with ${code}, whenever it is sent`,
      fails: {
        'MRS-7a': new RegExp(`^expected status 403; seen: the data with the expired token: ${code}\\b`),
      },
      cannotRun: ['MRS-5.6a', 'MRS-5.6b'],
      override: combine(serveRecords, mapReplyTo(answers.expired, status(code))),
    }),
  ),
  ...(
    [
      ['missing-token', answers.missingToken, 'MRS-1.3', 'without a token'],
      ['expired-token', answers.expired, 'MRS-5.6a', 'with the expired token'],
    ] as const
  ).map(
    ([name, answer, id, what]): Defect => ({
      name: `busy-leak-${name}`,
      summary: `answers the first two reads ${what} with 503 and the data, and later ones as stated`,
      fails: {
        [id]: new RegExp(
          `^expected that the data is not given\\b.*; seen: the data ${what}( again)?: 503\\b`,
        ),
      },
      mayNotRun: true,
      override: combine(
        serveRecords,
        mapSomeRepliesTo(
          answer,
          sequence(
            status(503),
            json(() => ({ ods_data: servedRecords })),
          ),
          (nth) => nth <= 2,
        ),
      ),
    }),
  ),
  {
    name: 'resets-from-40-accepts-unsigned',
    summary: 'accepts a JWT with the algorithm none, and resets each connection from request 40 on',
    fails: { 'MRS-5.5b': GIVEN },
    mayNotRun: true,
    override: combine(serveRecords, acceptsUnsigned, outage(40, Number.POSITIVE_INFINITY, 'reset')),
  },
  ...OUTAGES.flatMap((from) =>
    ([6, Number.POSITIVE_INFINITY] as const).map((seconds): Defect => {
      const isShort = Number.isFinite(seconds);
      return {
        name: `${isShort ? 'outage' : 'down'}-from-${from}-accepts-unsigned`,
        summary: `accepts a JWT with the algorithm none, and answers everything with 503 ${isShort ? 'for six seconds, ' : ''}from request ${from} on`,
        fails: { 'MRS-5.5b': GIVEN },
        ...((!isShort || from < 20) && { mayNotRun: true }),
        override: combine(serveRecords, acceptsUnsigned, outage(from, seconds)),
      };
    }),
  ),
];
