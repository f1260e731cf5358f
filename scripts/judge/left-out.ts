/** What a recorder has left out of all entries of a file, or replaced in all: no single entry shows that. */
import type { RecordedCall } from '../../tests/traffic/call.ts';
import { credentialsIn } from '../../tests/traffic/credentials.ts';
import type { Field } from '../../tests/traffic/exchange.ts';
import { isUnset } from '../../tests/traffic/tokens.ts';
import type { Judged } from './read-recording.ts';

type Facts = Pick<RecordedCall, 'kind' | 'status' | 'token' | 'authorization' | 'startMs'>;

const isSuccess = ({ status = 0 }: Pick<Facts, 'status'>): boolean => status >= 200 && status <= 299;

/** Whether all Authorization headers are missing, or all those of reads were replaced. `facts` in the order of time. */
export function lacksTokens(facts: readonly Facts[]): boolean {
  const own = facts.filter(({ authorization }) => authorization !== undefined);
  const ofReads = own.filter(({ kind }) => kind === 'data');
  return (
    (ofReads.length > 0 ? ofReads : own).every(({ authorization }) => authorization === 'masked') ||
    areEmpty(ofReads) ||
    areOthers(facts)
  );
}

/** Whether all reads have the word Bearer without a token, or a mark in its place, and were served. */
const areEmpty = (reads: readonly Facts[]): boolean =>
  reads.some(isSuccess) &&
  reads.every(({ token, authorization }) => token === '' || authorization === 'masked');

/**
 * Whether reads were served with tokens that were not issued, while none that was issued was sent: they were replaced. The
 * text of an unset variable is what a faulty client sends; where some of its reads were refused, others had a token.
 */
function areOthers(facts: readonly Facts[]): boolean {
  const issues = facts.filter((call) => call.kind === 'token' && call.token !== undefined && isSuccess(call));
  const [first] = issues;
  if (!first) return false;
  const issued = new Set(issues.map(({ token }) => token));
  const sent = facts.filter(({ kind, token }) => kind === 'data' && token !== undefined);
  const someRefused = sent.some(({ status }) => status === 401 || status === 403);
  const reads = sent.filter(({ token = '' }) => someRefused || !isUnset(token));
  return (
    !reads.some(({ token }) => issued.has(token)) &&
    reads.some((call) => isSuccess(call) && call.startMs > first.startMs)
  );
}

/** Whether no token request has a secret, and tokens were issued: the secrets were removed. */
export function lacksSecrets(judged: readonly Judged[]): boolean {
  const requests = judged.filter(({ kind }) => kind === 'token');
  return (
    requests.some(({ recorded }) => recorded.token !== undefined) &&
    requests.every(({ exchange }) => credentialsIn(exchange).clientSecret === undefined)
  );
}

/** A form with its secret as one that was replaced. */
export const withSecret = (form: readonly Field[]): Field[] => [
  ...form.filter(([name]) => name !== 'client_secret'),
  ['client_secret', '‹not kept›'],
];
