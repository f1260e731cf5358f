/** Words that every rendering of a conformance report shares. */
import { several } from '../../report/text.ts';
import type { Proof } from '../../support/proof.ts';
import type { Outcome } from '../../support/verdict.ts';
import type { Exchange, Json } from '../support/evidence.ts';
import { acceptedInWords } from './baseline.ts';
import { nonAnswersInWords } from './non-answers.ts';
import type { Report } from './report.ts';

const NEXT: Record<Outcome, string> = {
  conformant: 'Nothing has to change. Keep this report, and run again when the deployment changes.',
  'conformant-to-profile':
    'Nothing has to change for clients that know the profile. Keep this report, and run again when the deployment changes.',
  nonconformant:
    'Fix what failed, and run again. The report has a command for each failure that sends its request again.',
  incomplete: 'Resolve the reasons above, and run again.',
  error: 'Fix the fault of the run, and run again.',
};

export const UNVERIFIED =
  'This run did not verify certificates, since NODE_TLS_REJECT_UNAUTHORIZED is 0: another server may have answered. ' +
  'Unset it, and run again. For a private authority, give --ca its PEM file.';

/** What a run came to, as a short sentence without its full stop. */
export function headlineOf(report: Report): string {
  const what = report.target.bundledMock ? ['bundled mock'] : [];
  const marks = (report.judgedAgain ? [...what, 'judged again'] : what).join(', ');
  const sentence = sentenceOf(report);
  if (marks === '') return sentence;
  return `${marks.charAt(0).toUpperCase()}${marks.slice(1)}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

function sentenceOf({ outcome, counts, requirements, cause, profile, baseline }: Report): string {
  const { failed, passed } = counts;
  const untested = counts['could-not-run'];
  const all = requirements.length;
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0)
    return `${failed} of ${several(all, 'requirement')} ${failed === 1 ? 'is' : 'are'} violated${acceptance(failed, baseline)}`;
  if (cause) return cause.headline;
  if (untested > 0) return `${untested} of ${several(all, 'requirement')} could not be tested`;
  if (outcome === 'incomplete') return 'Nothing was tested';
  if (outcome === 'conformant-to-profile') return `The deployment matches its profile ${profile?.name}`;
  return passed === all
    ? `All ${several(all, 'requirement')} are met`
    : `${passed} of ${several(all, 'requirement')} are met, the others do not apply`;
}

/** How much of what failed a baseline accepts. */
function acceptance(failed: number, baseline: Report['baseline']): string {
  const accepted = (baseline?.accepted ?? []).filter(({ verdict }) => verdict === 'failed').length;
  if (accepted === 0) return '';
  return accepted === failed ? ', which the baseline accepts' : `, of which the baseline accepts ${accepted}`;
}

/** What to do next, as sentences. */
export function nextOf({ outcome, cause, profile, baseline }: Report): string {
  if (baseline?.outcome === 'accepted') {
    const [first] = baseline.accepted.map(({ until }) => until).toSorted();
    return `Have the accepted deviations fixed: from the day after ${first}, the exit code is 1.`;
  }
  if (baseline && baseline.faults.length > 0)
    return 'Correct the baseline and what else failed, and run again.';
  if (outcome === 'incomplete' && cause)
    return 'Correct the settings of the run. This report says nothing against the deployment.';
  if (outcome === 'nonconformant' && profile && profile.specification !== 'nonconformant')
    return `No clause of the specification failed. Find out whether the deployment or its profile ${profile.name} is right, and correct the other.`;
  return NEXT[outcome];
}

/** What else belongs to the outcome, as sentences. */
export function remarksOf(report: Report): string[] {
  const { outcome, target, judgedAgain, baseline } = report;
  return [
    ...(target.bundledMock
      ? ['The bundled mock was judged, since no URL was given: this says nothing about a deployment.']
      : []),
    ...(judgedAgain
      ? ['No request was sent: this judges the evidence of an earlier run, and nothing vouches for that.']
      : []),
    ...(outcome === 'conformant-to-profile'
      ? [
          'The profile leaves out statements of the specification, so the deployment does not conform to the specification.',
        ]
      : []),
    ...(baseline?.accepted ?? []).map((one) => `${one.requirement} is ${acceptedInWords(one)}`),
    ...(baseline?.faults ?? []),
    ...nonAnswersInWords(report),
  ];
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
  if (!proof) return 'Self-test of the suite: not run; it is optional (mrs prove).';
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
