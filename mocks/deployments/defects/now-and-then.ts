/** Deployments that are wrong on some calls only. */
import { type Answer, answers } from '../../contract/answers.ts';
import type { Reply } from '../../http.ts';
import type { Defect } from '../deployment.ts';
import {
  combine,
  mapReply,
  mapReplyTo,
  mapSomeRepliesTo,
  type Nth,
  substituteSome,
  wrapTokens,
} from '../overrides.ts';
import { json, noContent, sequence, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';

const given = (what: string) =>
  new RegExp(`^expected that the data is not given\\b.*; seen: .*${what}.*?: 200\\b`);
const not403 = (code: number) =>
  new RegExp(`^expected status 403; seen: .*the data with the expired token.*?: ${code}\\b`);
const every =
  (count: number): Nth =>
  (nth) =>
    nth % count === 0;
const ordinal = (count: number) => ['second', 'third', 'fourth', 'fifth'][count - 2] ?? '';

const withoutToken = (count: number): Defect => ({
  name: `every-${ordinal(count)}-missing-token`,
  summary: `gives the data to every ${ordinal(count)} request without a token`,
  fails: { 'MRS-1.3': given('the data without a token') },
  override: combine(serveRecords, substituteSome(answers.missingToken, answers.served, every(count))),
});

const unknownToken = (count: number): Defect => ({
  name: `every-${ordinal(count)}-unknown-token`,
  summary: `gives the data to every ${ordinal(count)} request with a token that it never issued`,
  fails: {
    ...(count <= 3 && { 'MRS-5.5a': given('the data with (a random|another|one more|the) token') }),
    'MRS-5.5b': given('the data with (the token|a random token)'),
  },
  override: combine(serveRecords, substituteSome(answers.unknownToken, answers.served, every(count))),
});

/** Gives the data for an expired token on some calls. */
const expired = (name: string, summary: string, when: Nth): Defect => ({
  name: `expired-${name}`,
  summary,
  fails: { 'MRS-5.6a': given('the data with the expired token'), 'MRS-7a': not403(200) },
  override: combine(serveRecords, substituteSome(answers.expired, answers.served, when)),
});

/** Answers an expired token with 403 the first time. */
const onceExpired = (name: string, summary: string, code: number, override: Defect['override']): Defect => ({
  name: `expired-once-403-then-${name}`,
  summary: `answers an expired token with 403 once, and with ${summary} from then on`,
  fails: { 'MRS-7a': not403(code) },
  override: combine(serveRecords, override),
});

const after =
  (count: number): Nth =>
  (nth) =>
    nth > count;

/** Gives the data for anything once it has refused this number of requests for it. */
const opensAfter = (count: number): Defect['override'] => {
  const refusals: readonly Answer[] = [answers.missingToken, answers.malformedToken, answers.unknownToken];
  return ({ selectAnswer }) => {
    let refused = 0;
    return {
      selectAnswer(call) {
        const expected = selectAnswer(call);
        return refusals.includes(expected) && ++refused > count ? answers.served : expected;
      },
    };
  };
};

/** Once it has refused ten requests, answers the two requests after a refusal in the same way, whatever their tokens. */
const cachedRefusals: Defect['override'] = (parts) => {
  const refusals: readonly Answer[] = [answers.missingToken, answers.malformedToken, answers.unknownToken];
  let [refused, left] = [0, 0];
  let kept: Reply | undefined;
  return mapReply((reply, { expected }) => {
    if (expected && refusals.includes(expected)) {
      [refused, left, kept] = [refused + 1, 2, reply];
      return reply;
    }
    const isRead = expected === answers.served || expected === answers.expired;
    return isRead && kept && refused > 10 && left-- > 0 ? kept : reply;
  })(parts);
};

export const nowAndThenDefects: readonly Defect[] = [
  {
    name: 'refusals-cached-by-path',
    summary: 'keeps a refusal in a cache for the next two requests, whatever their tokens',
    fails: {
      'MRS-4.2a': /^expected a 2xx status; seen: .*the data with the newest token, at the end: 401\b/,
      'MRS-7a': not403(401),
    },
    override: combine(serveRecords, cachedRefusals),
  },
  {
    ...withoutToken(2),
    name: 'first-missing-token',
    summary: 'gives the data to the first request without a token',
    override: combine(
      serveRecords,
      substituteSome(answers.missingToken, answers.served, (nth) => nth === 1),
    ),
  },
  {
    ...unknownToken(3),
    name: 'first-unknown-token',
    summary: 'gives the data to the first request with a token that it never issued',
    fails: { 'MRS-5.5a': given('the data with a token') },
    override: combine(
      serveRecords,
      substituteSome(answers.unknownToken, answers.served, (nth) => nth === 1),
    ),
  },
  withoutToken(2),
  withoutToken(3),
  withoutToken(4),
  withoutToken(5),
  unknownToken(2),
  unknownToken(3),
  expired('every-second-time', 'gives the data for an expired token every other time', every(2)),
  expired(
    'third-time',
    'gives the data for an expired token when it is sent for the third time',
    (nth) => nth === 3,
  ),
  expired(
    'last-time',
    'gives the data for an expired token when it is sent for the fourth time',
    (nth) => nth === 4,
  ),
  {
    ...expired(
      'revived-later',
      'accepts an expired token again once it has issued two newer ones',
      () => false,
    ),
    override: combine(
      serveRecords,
      wrapTokens((tokens) => ({
        find(token) {
          const found = tokens.find(token);
          const { issued } = found;
          if (found.status !== 'expired' || !issued) return found;
          return tokens.countOf(issued.client) < issued.number + 2 ? found : { ...found, status: 'valid' };
        },
      })),
    ),
  },
  onceExpired('401', '401', 401, substituteSome(answers.expired, answers.unknownToken, after(1))),
  onceExpired('404', '404', 404, mapSomeRepliesTo(answers.expired, status(404), after(1))),
  onceExpired('204', '204', 204, mapSomeRepliesTo(answers.expired, noContent, after(1))),
  onceExpired(
    'error-200',
    'an error and status 200',
    200,
    mapSomeRepliesTo(
      answers.expired,
      sequence(
        status(200),
        json(() => ({ error: 'expired' })),
      ),
      after(1),
    ),
  ),
  {
    name: 'expired-forgotten-later',
    summary: 'forgets expired tokens when it issues a new one, and answers them with 401 then',
    fails: { 'MRS-7a': not403(401) },
    override: combine(
      serveRecords,
      wrapTokens((tokens) => ({
        find(token) {
          const found = tokens.find(token);
          const { issued } = found;
          if (found.status !== 'expired' || !issued) return found;
          return tokens.countOf(issued.client) === issued.number ? found : { ...found, status: 'unknown' };
        },
      })),
    ),
  },
  {
    name: 'opens-after-eight-refusals',
    summary: 'gives the data for any token, or none, once it has refused eight requests for it',
    fails: {
      'MRS-1.3': given('the data without a token'),
      'MRS-5.5a': given('the data with (a random|another|one more|the) token'),
      'MRS-5.5b': given('the data with the token'),
    },
    override: combine(serveRecords, opensAfter(8)),
  },
  {
    name: 'cached-for-the-next',
    summary: 'gives the data to a request without a token if the one before it was given the data',
    fails: { 'MRS-1.3': given('the data without a token') },
    override: combine(serveRecords, ({ selectAnswer }) => {
      let previous: Answer | undefined;
      return {
        selectAnswer(call) {
          const expected = selectAnswer(call);
          const isCached = previous === answers.served && expected === answers.missingToken;
          previous = expected;
          return isCached ? answers.served : expected;
        },
      };
    }),
  },
  {
    name: 'data-third-read-500',
    summary: 'fails with 500 on every third request with a valid token',
    fails: {
      'MRS-4.2a': /^expected a 2xx status; seen: .*the data with the (new|newest|fourth) token: 500\b/,
      'MRS-5.3b': /^expected a 2xx status; seen: .*the data with the same token once more: 500\b/,
    },
    override: combine(serveRecords, mapSomeRepliesTo(answers.served, status(500), every(3))),
  },
  {
    name: 'second-bad-form-served',
    summary: 'issues a token for every other form that it should refuse',
    fails: Object.fromEntries(
      ['MRS-4.1f', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'].map((id) => [
        id,
        /^expected no token; seen: .*: 200\b/,
      ]),
    ),
    override: (parts) => {
      let refused = 0;
      const [client] = parts.state.clients.list();
      const refusals = [answers.invalidRequest, answers.unsupportedGrantType, answers.wrongCredentials];
      return mapReplyTo(refusals, (reply) => {
        if (++refused % 2 === 1 || !client) return reply;
        const token = parts.tokens.issue({ client, lifetimeSeconds: 60 });
        return sequence(
          status(200),
          json(() => ({ token })),
        )(reply);
      })(parts);
    },
  },
];
