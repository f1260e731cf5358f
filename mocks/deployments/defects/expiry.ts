/** Deployments that are wrong about the expiry of tokens, and about tokens that are still valid (sections 5.3, 5.6, 7). */

import type { Reply } from '../../wire/reply.ts';
import {
  again,
  aged,
  instead,
  livesLonger,
  on,
  REFUSED,
  serveRecords,
  status,
  tokens,
  type When,
} from '../behaviour.ts';
import { combine, type Defect, defect, type Override } from '../deployment.ts';
import { type Edit, give, loginPage, noContent, toLoginPage } from '../edits.ts';

const EXPIRED = 'the data with the expired token';

/** Accepts a token for too long: the run never sees a new token's data. */
const tooLate = (name: string, summary: string, does: Override): Defect =>
  defect(name, summary, {
    fails: { 'MRS-5.6a': `${EXPIRED}: 200`, 'MRS-7a': `${EXPIRED}: 200` },
    cannotRun: ['MRS-5.6b'],
    does,
  });

/** Accepts an expired token at times. */
const reopens = (name: string, summary: string, which: string, ...does: Override[]): Defect =>
  defect(name, summary, {
    fails: { 'MRS-5.6a': `${EXPIRED}${which}: 200`, 'MRS-7a': `${EXPIRED}${which}: 200` },
    does,
  });
const opensOn = (name: string, summary: string, when: Pick<When, 'every' | 'nth'>) =>
  reopens(name, summary, '.*?', serveRecords, instead({ to: 'expired', ...when }, 'served'));

/** Answers an expired token with another status than 403: always, or from the second time on. */
const otherwise = (rows: Record<string, [what: string, code: number, ...edits: Edit[]]>): Defect[] =>
  Object.entries(rows).map(([name, [what, code, ...edits]]) =>
    defect(`expired-${name}`, `answers an expired token with ${what}`, {
      fails: { 'MRS-7a': `${EXPIRED}: ${code}` },
      does: on('expired', code, ...edits),
    }),
  );
const onceOnly = (name: string, what: string, code: number, does: Override): Defect =>
  defect(
    `expired-once-403-then-${name}`,
    `answers an expired token with 403 once, and with ${what} from then on`,
    { fails: { 'MRS-7a': `${EXPIRED}.*?: ${code}` }, does: [serveRecords, does] },
  );
const afterOnce = { to: 'expired', from: 2 } as const;

/** Renews a token in a way that does not help. */
const renewal = (name: string, summary: string, code: number, does: Override): Defect =>
  defect(name, summary, {
    fails: { 'MRS-5.6b': `the data with the new token: ${code}` },
    cannotRun: ['MRS-7a'],
    does,
  });

/** Forgets a token after a number of calls. */
const forgets = (word: string, summary: string, calls: number, what: string): Defect =>
  defect(`token-works-${word}`, `forgets a token after ${summary}`, {
    fails: { 'MRS-5.3b': `${what}: 401` },
    does: status(({ found, times }) =>
      found.status === 'valid' && times > calls ? 'unknown' : found.status,
    ),
  });

/** Once it has refused ten requests, answers the two requests after a refusal in the same way, whatever their tokens. */
const cachedRefusals: Override = (parts) => {
  let [refused, left] = [0, 0];
  let kept: Reply | undefined;
  return combine(
    on(REFUSED, (reply) => {
      [refused, left, kept] = [refused + 1, 2, reply];
      return reply;
    }),
    on({ to: ['served', 'expired'], if: () => refused > 10 && left-- > 0 }, (reply) => kept ?? reply),
  )(parts);
};

export const expiryDefects: readonly Defect[] = [
  forgets('once', 'one call', 1, 'the data with the same token again'),
  forgets('twice', 'two calls', 2, 'the data with the same token once more'),
  forgets('thrice', 'three calls', 3, 'the data with the token shortly before it expires'),
  tooLate('never-expires', 'accepts a token forever', instead('expired', 'served')),
  tooLate('expires-late', 'accepts a token for five times the agreed time', livesLonger(5)),
  tooLate(
    'expires-after-the-watch',
    'accepts a token for a tenth more than twice the agreed time',
    livesLonger(2.1),
  ),
  reopens(
    'expired-opens-long-after',
    'refuses a token at its end, and accepts it again when it is a little older',
    ' again',
    serveRecords,
    aged((sinceExpiryMs, lifetimeMs) => sinceExpiryMs < 0 || sinceExpiryMs > lifetimeMs / 20 + 1000),
  ),
  defect('expired-401', 'answers an expired token with 401', {
    fails: { 'MRS-7a': `${EXPIRED}: 401` },
    does: instead('expired', 'unknownToken'),
  }),
  ...[400, 404, 410, 419].flatMap((code) => otherwise({ [code]: [`${code}`, code] })),
  ...otherwise({
    redirect: ['a redirect to a login page', 302, toLoginPage],
    'login-page': ['a login page and status 200', 200, loginPage],
    'error-with-200': ['an error and status 200', 200, give({ error: 'expired' })],
    204: ['204', 204, noContent],
  }),
  ...[500, 503, 429].map((code) =>
    defect(`expired-always-${code}`, `answers an expired token with ${code}, whenever it is sent`, {
      fails: { 'MRS-7a': `${EXPIRED}: ${code}` },
      cannotRun: ['MRS-5.6a', 'MRS-5.6b'],
      does: [serveRecords, on('expired', code)],
    }),
  ),
  renewal(
    'second-token-dead',
    'accepts only the first token',
    401,
    status(({ token, issued, found }) => (token === issued[0] ? found.status : 'unknown')),
  ),
  renewal(
    'expired-token-again',
    'issues the same token forever, expired or not',
    403,
    again(([only]) => only),
  ),
  renewal(
    'refuses-all-after-expiry',
    'refuses every token with 403 once one has expired',
    403,
    status(({ found, isAnyExpired }) => (isAnyExpired ? 'expired' : found.status)),
  ),
  defect(
    'expired-token-revived',
    'issues one token forever, and makes it valid again with each token request',
    {
      fails: {
        'MRS-5.6b': 'another token than the one that has expired; seen: the form with the same',
      },
      does: tokens((own, issued) => {
        const only = 'b25lIHRva2VuIGZvciBldmVy';
        return {
          issue(options) {
            own.issue(options);
            return only;
          },
          find: (token) => own.find(token === only ? (issued.at(-1) ?? '') : ''),
        };
      }),
    },
  ),
  reopens(
    'expired-once',
    'refuses an expired token once, and accepts it from then on',
    ' again',
    status(({ found, times }) => (found.status === 'expired' && times > 1 ? 'valid' : found.status)),
  ),
  opensOn('expired-every-second-time', 'gives the data for an expired token every other time', { every: 2 }),
  opensOn('expired-third-time', 'gives the data for an expired token when it is sent for the third time', {
    nth: 3,
  }),
  opensOn('expired-last-time', 'gives the data for an expired token when it is sent for the fourth time', {
    nth: 4,
  }),
  reopens(
    'expired-revived-later',
    'accepts an expired token again once it has issued two newer ones',
    '.*?',
    serveRecords,
    status(({ found, newer }) => (found.status === 'expired' && newer >= 2 ? 'valid' : found.status)),
  ),
  onceOnly('401', '401', 401, instead(afterOnce, 'unknownToken')),
  onceOnly('404', '404', 404, on(afterOnce, 404)),
  onceOnly('204', '204', 204, on(afterOnce, noContent)),
  onceOnly('error-200', 'an error and status 200', 200, on(afterOnce, 200, give({ error: 'expired' }))),
  defect(
    'expired-forgotten-later',
    'forgets expired tokens when it issues a new one, and answers them with 401 then',
    {
      fails: { 'MRS-7a': `${EXPIRED}.*?: 401` },
      does: [
        serveRecords,
        status(({ found, newer }) => (found.status === 'expired' && newer > 0 ? 'unknown' : found.status)),
      ],
    },
  ),
  defect(
    'refusals-cached-by-path',
    'keeps a refusal in a cache for the next two requests, whatever their tokens',
    {
      fails: {
        'MRS-4.2a': 'the data with the newest token, at the end: 401',
        'MRS-7a': `${EXPIRED}.*?: 401`,
      },
      does: [serveRecords, cachedRefusals],
    },
  ),
];
