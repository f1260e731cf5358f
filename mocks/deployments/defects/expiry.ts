/** Deployments that are wrong about the expiry of tokens, and about tokens that are still valid (sections 5.3, 5.6, 7). */

import { answers } from '../../contract/answers.ts';
import type { Reply } from '../../http.ts';
import { again, instead, type Lookup, on, REFUSED, serveRecords, status, tokens } from '../behaviour.ts';
import { all, type Defect, defectsOf, type Override, type Wrong, wrong } from '../deployment.ts';

const EXPIRED = 'the data with the expired token';
const SECOND = 'the data with the newest token, after its end';

/** Accepts a token for too long: the run never sees a new token's data. */
const tooLate = (does: Override): Wrong =>
  wrong({ 'MRS-5.6a': `${EXPIRED}: 200`, 'MRS-7a': `${EXPIRED}: 200` }, does, { cannotRun: ['MRS-5.6b'] });

/** Accepts an expired token at times. */
const reopens = (which: string, ...does: Override[]): Wrong =>
  wrong({ 'MRS-5.6a': `${EXPIRED}${which}: 200`, 'MRS-7a': `${EXPIRED}${which}: 200` }, does);

/** One of two replicas, which have their turns, does not let tokens expire. */
const replica = (turn: number): Wrong =>
  reopens('.*?', serveRecords, ({ selectAnswer }) => {
    let nth = 0;
    return {
      selectAnswer(call) {
        const own = selectAnswer(call);
        return nth++ % 2 === turn && own === answers.expired ? answers.served : own;
      },
    };
  });
const always = (code: number): Wrong =>
  wrong({ 'MRS-7a': `${EXPIRED}: ${code}` }, [serveRecords, on('expired', code)], {
    cannotRun: ['MRS-5.6a', 'MRS-5.6b'],
  });

/** Renews a token in a way that does not help. */
const renewal = (code: number, does: Override): Wrong =>
  wrong({ 'MRS-5.6b': `the data with the new token: ${code}` }, does, { mayNotRun: true });

/** Forgets a token after a number of calls. Reads with a valid token that are refused as bad tokens are look like a ban. */
const forgets = (calls: number, what: string): Wrong =>
  wrong(
    { 'MRS-5.3b': `${what}: 401` },
    status(({ found, times }) => (found.status === 'valid' && times > calls ? 'unknown' : found.status)),
    { mayNotRun: true },
  );

/** Once it has refused ten requests, answers the two requests after a refusal in the same way, whatever their tokens. */
const cachedRefusals: Override = (parts) => {
  let [refused, left] = [0, 0];
  let kept: Reply | undefined;
  return all(
    on(REFUSED, (reply) => {
      [refused, left, kept] = [refused + 1, 2, reply];
      return reply;
    }),
    on({ to: ['served', 'expired'], if: () => refused > 10 && left-- > 0 }, (reply) => kept ?? reply),
  )(parts);
};
const onlyOne = again(([only]) => only);
const forgotten = status(({ found, newer }) =>
  found.status === 'expired' && newer > 0 ? 'unknown' : found.status,
);

/** Forgets a token this number of seconds after its end. */
const purged = (seconds: number): Override =>
  tokens((own, _, { state: { clock } }) => ({
    find(token) {
      const found = own.find(token);
      const sinceMs = clock.now() - (found.issued?.expiresAt ?? Number.POSITIVE_INFINITY);
      return sinceMs > seconds * 1000 ? { status: 'unknown' } : found;
    },
  }));

/** An expired token is valid then. */
const validIf = (isValid: (lookup: Lookup) => boolean): Override =>
  status((lookup) => (lookup.found.status === 'expired' && isValid(lookup) ? 'valid' : lookup.found.status));

const ONLY = 'b25lIHRva2VuIGZvciBldmVy';
const revived = tokens((own, issued) => ({
  issue(options) {
    own.issue(options);
    return ONLY;
  },
  find: (token) => own.find(token === ONLY ? (issued.at(-1) ?? '') : ''),
}));

export const expiryDefects: readonly Defect[] = defectsOf({
  'token-works-once: forgets a token after one call': () => forgets(1, 'the data with the same token again'),
  'token-works-twice: forgets it after two calls': () => forgets(2, 'the data with the same token once more'),
  'token-works-thrice: forgets a token after three calls': () =>
    forgets(3, 'the data with the same token a fourth time'),
  'token-works-five-times: forgets a token after five calls': () =>
    forgets(5, 'the data with the token shortly before it expires'),
  'never-expires: accepts a token forever': () => tooLate(instead('expired', 'served')),
  'expired-401: answers an expired token with 401': () =>
    wrong({ 'MRS-7a': `${EXPIRED}: 401` }, instead('expired', 'unknownToken')),
  'expired-token-again: issues the same token forever, expired or not': () => renewal(403, onlyOne),
  'expired-token-revived: issues one token forever, and makes it valid again with each token request': () =>
    wrong(
      { 'MRS-5.6b': 'another token than the one that has expired; seen: the form with the same' },
      revived,
    ),
  'expired-once: refuses an expired token once, and accepts it from then on': () =>
    reopens(
      ' again',
      validIf(({ times }) => times > 1),
    ),
  'replica-never-expires: accepts expired tokens in every second request that it gets': () => replica(0),
  'other-replica-never-expires: accepts expired tokens in the requests between': () => replica(1),
  'expired-last-time: accepts an expired token the fifth time': () =>
    reopens('.*?', serveRecords, instead({ to: 'expired', nth: 5 }, 'served')),
  'later-tokens-never-expire: accepts every token but its first one forever': () =>
    wrong(
      { 'MRS-5.6a': `${SECOND}: 200`, 'MRS-7a': `${SECOND}: 200` },
      validIf(({ token, issued }) => token !== issued[0]),
    ),
  'expired-forgotten-later: forgets expired tokens when it issues a new one': () =>
    wrong({ 'MRS-7a': `${EXPIRED}.*?: 401` }, [serveRecords, forgotten]),
  'refusals-cached-by-path: keeps a refusal in a cache for the next two requests, whatever their tokens':
    () => wrong({ 'MRS-7a': `${EXPIRED}.*?: 401` }, [serveRecords, cachedRefusals], { mayNotRun: true }),
  'expired-purged: forgets a token half a minute after its end': () =>
    wrong({ 'MRS-7a': `${EXPIRED}, long after its end: 401` }, [serveRecords, purged(30)]),
  'expired-always-500: answers an expired token with 500, whenever it is sent': () => always(500),
  'expired-always-429: answers an expired token with 429, whenever it is sent': () => always(429),
});
