/** Deployments that are wrong about the expiry of tokens, and about tokens that are still valid (sections 5.3, 5.6, 7). */
import { answers } from '../../contract/answers.ts';
import { instead, on, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, type Override, UNDECIDED, wrong } from '../deployment.ts';
import { again, type Lookup, status, tokens } from '../tokens.ts';

/** Accepts an expired token at times. */
const reopens = (...does: Override[]) => wrong('MRS-5.6a MRS-7a', [serveRecords, ...does]);

/** An expired token is valid then. */
const validIf = (isValid: (lookup: Lookup) => boolean): Override =>
  status((lookup) => (lookup.found.status === 'expired' && isValid(lookup) ? 'valid' : lookup.found.status));

/** Does not know a token then. */
const unknownIf = (isUnknown: (lookup: Lookup) => boolean): Override =>
  status((lookup) => (isUnknown(lookup) ? 'unknown' : lookup.found.status));

/** One of two replicas, which have their turns, does not let tokens expire. */
const replica = (turn: number) =>
  reopens(({ selectAnswer }) => {
    let nth = 0;
    return {
      selectAnswer(call) {
        const own = selectAnswer(call);
        return nth++ % 2 === turn && own === answers.expired ? answers.served : own;
      },
    };
  });
const always = (code: number) => wrong('MRS-7a', [serveRecords, on('expired', code)], UNDECIDED);

/** Forgets a token after a number of calls. Reads with a valid token that are refused as bad tokens are look like a ban. */
const forgets = (calls: number) =>
  wrong(
    'MRS-5.3b',
    unknownIf(({ found, times }) => found.status === 'valid' && times > calls),
    UNDECIDED,
  );

const ONLY = 'b25lIHRva2VuIGZvciBldmVy';
const revived = tokens((own, issued) => ({
  issue(options) {
    own.issue(options);
    return ONLY;
  },
  find: (token) => own.find(token === ONLY ? (issued.at(-1) ?? '') : ''),
}));

export const expiryDefects: readonly Defect[] = defectsOf({
  'token-works-once: forgets a token after one call': () => forgets(1),
  'token-works-twice: forgets a token after two calls': () => forgets(2),
  'token-works-thrice: forgets a token after three calls': () => forgets(3),
  'token-works-five-times: forgets a token after five calls': () => forgets(5),
  'never-expires: accepts a token forever': () =>
    wrong('MRS-5.6a MRS-7a', instead('expired', 'served'), UNDECIDED),
  'expired-401: answers an expired token with 401': () => wrong('MRS-7a', instead('expired', 'unknownToken')),
  'expired-token-again: issues the same token forever, expired or not': () =>
    wrong(
      'MRS-5.6b',
      again(([only]) => only),
      UNDECIDED,
    ),
  'expired-token-revived: issues one token forever, and makes it valid again with each token request': () =>
    wrong('MRS-5.6b', revived),
  'expired-once: refuses an expired token once, and accepts it from then on': () =>
    wrong(
      'MRS-5.6a MRS-7a',
      validIf(({ times }) => times > 1),
    ),
  'replica-never-expires: accepts expired tokens in every second request that it gets': () => replica(0),
  'other-replica-never-expires: accepts expired tokens in the requests between': () => replica(1),
  'expired-last-time: accepts an expired token the fifth time': () =>
    reopens(instead({ to: 'expired', nth: 5 }, 'served')),
  'later-tokens-never-expire: accepts every token but its first one forever': () =>
    wrong(
      'MRS-5.6a MRS-7a',
      validIf(({ token, issued }) => token !== issued[0]),
    ),
  'expired-forgotten-later: forgets expired tokens when it issues a new one': () =>
    wrong('MRS-7a', [serveRecords, unknownIf(({ found, newer }) => found.status === 'expired' && newer > 0)]),
  'expired-purged: forgets a token half a minute after its end': () =>
    wrong('MRS-7a', [serveRecords, unknownIf(({ sinceExpiryMs }) => sinceExpiryMs > 30_000)]),
  'expired-always-500: answers an expired token with 500, whenever it is sent': () => always(500),
  'expired-always-429: answers an expired token with 429, whenever it is sent': () => always(429),
});
