/** Words that every rendering of a conformance report shares. */
import { several } from '../../report/text.ts';
import type { Outcome } from '../../support/outcome.ts';
import type { Proof } from '../../support/proof.ts';
import type { Exchange, Json } from '../support/evidence.ts';
import type { Report } from './report.ts';

interface Meaning {
  meaning: string;
  next: string;
}

const OUTCOMES: Record<Outcome, Meaning> = {
  conformant: {
    meaning: 'The deployment keeps every clause that binds a service and could be tried in this run.',
    next: 'Nothing has to change. Keep this report, and run again when the deployment changes.',
  },
  'conformant-to-profile': {
    meaning:
      'The deployment matches its profile. The profile leaves out statements of the specification, so the deployment does not conform to the specification.',
    next: 'Nothing has to change for clients that know the profile. Keep this report, and run again when the deployment changes.',
  },
  nonconformant: {
    meaning: 'The deployment violates the specification.',
    next: 'Give this report to the operator of the deployment. Each failed clause shows what was expected, what was seen and how to reproduce it.',
  },
  incomplete: {
    meaning: 'No clause failed, but some clauses could not be checked.',
    next: 'Resolve the reasons listed below, and run again.',
  },
  error: {
    meaning: 'The run itself failed, so this report does not judge the deployment as a whole.',
    next: 'Fix the fault of the run, and run again.',
  },
};

export const UNVERIFIED =
  'This run did not verify certificates, since NODE_TLS_REJECT_UNAUTHORIZED is 0: another server may have answered. ' +
  'Unset it, and run again. For a private authority, set NODE_EXTRA_CA_CERTS to its PEM file.';

/** What the outcome of a report means, and what to do next. */
export function meaningOf({ outcome, profile }: Pick<Report, 'outcome' | 'profile'>): Meaning {
  if (outcome !== 'nonconformant' || !profile || profile.specification === 'nonconformant')
    return OUTCOMES[outcome];
  return {
    meaning: `No clause of the specification failed, but the deployment differs from what the profile ${profile.name} declares.`,
    next: 'Find out which of the two is right: correct the profile, or give this report to the operator of the deployment.',
  };
}

const MOST_FIELDS = 12;

/** What the body of an answer holds, without its values; undefined without an answer. */
export function bodyInWords({ response }: Pick<Exchange, 'response'>): string | undefined {
  if (!response) return undefined;
  const { json, bodyBytes, tokenResponse } = response;
  if (bodyBytes === 0) return 'empty';
  const parts = [json.wellFormed ? jsonInWords(json) : `${several(bodyBytes, 'byte')} that are not JSON`];
  if (tokenResponse?.issued) parts.push('with a token');
  if (tokenResponse?.takenFrom) parts.push(`with a token at ${tokenResponse.takenFrom}`);
  return parts.join(', ');
}

function jsonInWords({ type, fields, records, empty }: Extract<Json, { wellFormed: true }>): string {
  const rest = (fields?.length ?? 0) - MOST_FIELDS;
  const names = (fields ?? []).slice(0, MOST_FIELDS).concat(rest > 0 ? `${rest} more` : []);
  const members = type === 'object' || type === 'array' ? `: { ${names.join(', ')} }` : '';
  const kept = records?.length ? ', with records' : '';
  return `${empty ? 'an empty' : 'a'} JSON ${type === 'array' ? 'list of objects' : type}${fields?.length ? members : ''}${kept}`;
}

/** The sentences of a schema validator, as a reader expects them. */
const PLAIN_WORDS: [schema: RegExp, words: string][] = [
  [/^that its body must have required property '(\w+)'/, 'the field $1'],
  [/^that its body must NOT have additional properties: (.*)$/, 'no field besides token, but there is $1'],
  [/^that \/(\w+) must be string/, 'the field $1 to be a string'],
  [/^that \/(\w+) must NOT have fewer than 1 characters/, 'the field $1 not to be empty'],
  [/^that its body must be object/, 'a JSON object'],
];

/** What was expected of a failed requirement, as a noun phrase. */
export function expectedInWords(expected: string): string {
  const [pattern, words] = PLAIN_WORDS.find(([schema]) => schema.test(expected)) ?? [];
  return pattern && words ? expected.replace(pattern, words) : expected;
}

/** What the proof of the suite found, as sentences. */
export function proofInWords(proof: Proof | undefined): string {
  if (!proof) return 'The suite has not been proved. Run npm run prove.';
  const { defects, variants } = proof;
  return (
    `The suite caught ${defects.caught} of ${several(defects.total, 'mock')} with one defect each, ` +
    `and accepted ${variants.accepted} of ${several(variants.total, 'mock')} that differ only where the specification is open.`
  );
}

/** Why a statement has no verdict. */
export function whyNotJudged({ kind, reason }: Report['notJudged'][number]): string {
  return reason ?? (kind === 'client' ? 'It binds the client.' : 'It cannot be observed from outside.');
}
