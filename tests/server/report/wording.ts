/** Words that every rendering of a conformance report shares. */
import { several } from '../../report/text.ts';
import type { Proof } from '../../support/proof.ts';
import type { Outcome } from '../../support/verdict.ts';
import type { Exchange } from '../support/evidence.ts';
import { decided } from '../support/judgement.ts';
import { acceptedInWords } from './baseline.ts';
import type { ReportSchema } from './report.schema.ts';
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

/** The requests without a decision, as sentences: a reader must see them next to the verdicts. */
export function nonAnswersInWords({
  nonAnswers = [],
  requests,
  exchanges: all,
}: Pick<ReportSchema, 'nonAnswers' | 'requests'> & { exchanges: readonly Exchange[] }): string[] {
  const waited = all.reduce((sum, { waitedSeconds = 0 }) => sum + waitedSeconds, 0);
  const again = all.filter((exchange) => exchange.again);
  const settled = again.filter((exchange) => !('verdict' in decided(exchange)));
  return [
    ...nonAnswers.map(
      (one) =>
        `${one.requests} of ${several(requests, 'request')} ${one.requests === 1 ? 'was' : 'were'} answered with ${one.answer}, ${whenOf(one)}.`,
    ),
    ...(again.length > 0
      ? [
          `${several(again.length, 'request')} without a decision had a second try; ${settled.length} had a decision then.`,
        ]
      : []),
    ...(waited > 0 ? [`The run waited ${waited} s as the deployment asked (Retry-After).`] : []),
  ];
}

function whenOf({ requests, fromMs, toMs, lasts }: NonNullable<ReportSchema['nonAnswers']>[number]): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  if (requests === 1) return `${seconds(fromMs)} into the run`;
  return `from ${seconds(fromMs)} into the run until ${lasts ? 'its end' : seconds(toMs)}`;
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
