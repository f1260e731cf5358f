/** What makes a part of a report on traffic incomplete, and what to record to complete it. */
import { rules } from '../../../tests/client/rules.ts';
import { several } from '../../../tests/report/text.ts';
import { NO_REQUEST } from '../../../tests/server/passive/judge-traffic.ts';
import { takesOption } from '../../../tests/support/option-advice.ts';
import { ledger } from '../../../tests/support/requirements.ts';

/** A requirement or a rule that makes a part incomplete, and why it is not seen, as a sentence. */
interface Missing {
  id: string;
  reason?: string;
}

/** The requirements and rules without which a part is incomplete. */
export const needed: ReadonlySet<string> = new Set([
  ...ledger.flatMap((one) => (one.passive === 'usual' ? one.id : [])),
  ...rules.flatMap((rule) => (rule.required === true ? rule.id : [])),
]);

const ISSUE = 'a token request, with the body of its answer';
const RENEWAL = 'until a token has expired and the client has renewed it';

/** What shows them, as the rest of a sentence that begins with "Record". */
export const SHOWN_BY: Readonly<Record<string, string>> = {
  'MRS-2a': ISSUE,
  'MRS-4.1a': ISSUE,
  'MRS-4.1b': 'a token request without an Authorization header',
  'MRS-4.1k': ISSUE,
  'MRS-4.1l': ISSUE,
  'MRS-4.1m': 'a second token request with the same credentials',
  'MRS-4.2a': 'a read of the data, with its Authorization header',
  'MRS-4.2b': 'a read of the data, with its Authorization header and the body of its answer',
  'MRS-5.3b': 'at least two reads with one token',
  'token-path': 'a token request',
  'form-content-type': 'a token request',
  'token-accept': 'a token request',
  'form-fields': 'a token request',
  'credentials-place': 'a token request',
  'data-path': 'a read of the data',
  'data-accept': 'a read of the data',
  'bearer-header': 'reads with their Authorization headers',
  'token-place': 'reads with their Authorization headers',
  'token-member': 'a token request with the body of its answer, and a read with that token',
  renewal: RENEWAL,
  'token-reuse': RENEWAL,
};

/** Whether a part is incomplete because this is not seen. */
export const isMissing = ({ id, verdict }: { id: string; verdict: string }): boolean =>
  verdict === 'not-seen' && needed.has(id);

/** More would hide what to do first. */
const MOST_CAUSES = 2;

/** For each cause, a line: which are not seen, why, and what to record or to give. */
export function missingInWords(whose: string, missing: readonly Missing[]): string[] {
  const byCause = new Map<string, string[]>();
  for (const { id, reason = '' } of missing) {
    const record = takesOption(reason) ? '' : `Record ${SHOWN_BY[id] ?? 'a request that shows it'}.`;
    const cause = [reason === NO_REQUEST ? '' : reason, record].filter((text) => text !== '').join(' ');
    byCause.set(cause, [...(byCause.get(cause) ?? []), id]);
  }
  const causes = [...byCause].map(([cause, ids]) => `Not seen of the ${whose}: ${ids.join(', ')}. ${cause}`);
  const left = causes.length - MOST_CAUSES;
  if (left <= 0) return causes;
  const [last = '', ...before] = causes.slice(0, MOST_CAUSES).reverse();
  return [...before.reverse(), `${last} The report has ${several(left, 'more cause')}.`];
}
