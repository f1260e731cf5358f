/** What recorded traffic lacks to judge by. */
import { OPTION_ADVICE } from '../support/option-advice.ts';

/** Why a call counts for no condition, or not for each. */
export type Gap =
  | {
      code:
        | 'lacks-authorization'
        | 'lacks-times'
        | 'lacks-body'
        | 'left-out'
        | 'may-be-identified'
        | 'no-plain-check'
        | 'no-health-paths'
        | 'may-be-wrong-credentials'
        | 'may-lack-a-scope'
        | 'accepts-no-json'
        | 'has-another-query';
    }
  | { code: 'lifetime-contradicted'; doubt: string }
  | { code: 'accepted-late'; ageSeconds: number; lifetimeSeconds: number }
  | { code: 'may-have-expired'; status: number; ageSeconds?: number | undefined; isAgreed: boolean };

/** A gap as a sentence. */
export function inWords(gap: Gap): string {
  switch (gap.code) {
    case 'lacks-authorization':
      return 'The file has no Authorization header at all, or only replaced ones: browsers leave it out of an export unless sensitive data is included.';
    case 'lacks-times':
      return 'The file does not have the times of all requests, or they are too coarse: their order is not known.';
    case 'lacks-body':
      return 'The file does not have the body of the answer.';
    case 'left-out':
      return 'The recording leaves it out: mrs proxy writes no secrets, and no body that is long or may hold one.';
    case 'may-be-identified':
      return 'A read without a bearer token had a replaced header, a cookie or a query that may hold one.';
    case 'no-plain-check':
      return 'Each health check carried a token, a cookie or a key.';
    case 'no-health-paths':
      return `The specification does not show the paths of health checks (clause 4.3). ${OPTION_ADVICE.healthPaths}`;
    case 'may-be-wrong-credentials':
      return 'Credentials were refused that never obtained a token: they may be wrong.';
    case 'may-lack-a-scope':
      return 'A client was refused with its new tokens each time: it may lack a scope, and what the service answers then is open.';
    case 'accepts-no-json':
      return 'A request does not accept application/json. What the service answers to it is open.';
    case 'has-another-query':
      return 'A request has query parameters with which none was accepted. What the service answers to them is open.';
    case 'lifetime-contradicted':
      return gap.doubt;
    case 'accepted-late':
      return `A token was accepted at the age of ${gap.ageSeconds.toFixed(1)} s, and the traffic does not show when it expired: ${gap.lifetimeSeconds} s are agreed.`;
    case 'may-have-expired': {
      const age = gap.ageSeconds === undefined ? '' : ` at the age of ${gap.ageSeconds.toFixed(1)} s`;
      const advice = gap.isAgreed ? '' : ` ${OPTION_ADVICE.lifetime}`;
      return `A token was refused with ${gap.status}${age}, and the traffic does not show whether it had expired.${advice}`;
    }
  }
}
