/** The rules of the sample certificates, in words of their own. */
import type { Finding, JudgedRule, RuleVerdict } from '../../certificate.ts';

type Row = readonly [id: string, clause: string | undefined, statement: string, advice: string];

const ROWS: readonly Row[] = [
  [
    'form-content-type',
    'MRS-4.1c',
    'The credentials are posted as application/x-www-form-urlencoded.',
    'Set the header Content-Type of the token request, and encode the body as a form.',
  ],
  [
    'token-accept',
    'MRS-4.1d',
    'A token request says accept: application/json.',
    'Send the header Accept: application/json with the token request.',
  ],
  [
    'data-accept',
    'MRS-4.2c',
    'A request for the data says accept: application/json.',
    'Send the header Accept: application/json with the request for the data.',
  ],
  [
    'form-fields',
    'MRS-5.2',
    'The form has grant_type, client_id and client_secret.',
    'Send the three fields that the specification names, and leave out the others.',
  ],
  [
    'credentials-place',
    'MRS-5.2',
    'The secret is in the form of the token request and nowhere else.',
    'Take the secret out of addresses and headers: what stands there ends up in the logs of every server on the way.',
  ],
  [
    'token-reuse',
    'MRS-5.3a',
    'A token is used until it expires.',
    'Keep the token where all requests of the process find it, together with the moment at which it was obtained, and ask for another one only when it has expired or was refused. A function that obtains a token on each call is where this usually goes wrong.',
  ],
  [
    'bearer-header',
    'MRS-5.4',
    'The token is sent as Authorization: Bearer TOKEN.',
    'Build the header from the word Bearer, one space and the token.',
  ],
  [
    'token-place',
    'MRS-5.4',
    'The token is in the Authorization header and nowhere else.',
    'Take the token out of addresses and bodies.',
  ],
  [
    'renewal',
    'MRS-5.6c',
    'An expired token is replaced, with the same credentials.',
    'Ask for a new token with the same credentials when the old one has expired.',
  ],
  [
    'retry',
    'MRS-7b',
    'What was refused is asked for again with the new token.',
    'Repeat the request that was refused once the new token is there: whoever called your client waits for the data and not for a token.',
  ],
  [
    'dead-token',
    'MRS-5c',
    'A token is not sent again once there is a new one.',
    'Put the new token in the place of the old one for all that run in parallel.',
  ],
  [
    'no-loop',
    'MRS-5c',
    'A 403 that stays ends in an error, after a few tries.',
    'Count the tries: after one new token and one more 403 the fault is not the age of the token. Give up then, report the error, and come back after a pause that grows with each attempt.',
  ],
  [
    'stampede',
    undefined,
    'Parallel requests share one renewal.',
    'Let the first that is refused renew the token, and let the others wait for it.',
  ],
  [
    'back-off',
    undefined,
    'Tries at a token endpoint that fails come further and further apart.',
    'Double the pause after each attempt that failed, up to a minute, and add some chance to it.',
  ],
  [
    'retry-after',
    undefined,
    'A Retry-After is waited for.',
    'Read the header Retry-After of an answer 429 or 503, and do not ask again before.',
  ],
  [
    'recovers',
    undefined,
    'After an outage the data is read again.',
    'See that an error of the token endpoint does not end the loop that reads the data.',
  ],
  [
    'refresh-once',
    undefined,
    'For a request that was refused one new token is asked for.',
    'Look whether the token has been replaced since the request was sent before you ask for another one.',
  ],
  [
    'margin',
    undefined,
    'A token is replaced neither long before its expiry nor at its very moment.',
    'Renew when some ten percent of the lifetime are left.',
  ],
  [
    'token-request-without-token',
    undefined,
    'A token request carries no token.',
    'Leave the header Authorization out of the token request.',
  ],
];

/** What a sample says of a rule that did not simply pass. */
export interface Judgement {
  verdict: RuleVerdict;
  reason?: string;
  findings?: readonly Finding[];
}

/** Every rule, passed where `judgements` says nothing else. */
export function sampleRules(judgements: Record<string, Judgement> = {}): JudgedRule[] {
  return ROWS.map(([id, clause, statement, advice]) => {
    const { verdict, reason, findings = [] } = judgements[id] ?? { verdict: 'passed' as const };
    return {
      ...{ id, verdict, statement, advice, findings },
      ...(clause === undefined ? {} : { clause, severity: 'burdens-service' }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}
