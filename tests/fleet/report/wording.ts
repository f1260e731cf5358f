/** Words that every rendering of the report on a fleet shares. */
import { clip, several } from '../../report/text.ts';
import type { Outcome } from '../../support/verdict.ts';
import type { DeploymentOutcome } from '../fleet-outcome.ts';
import type { FleetSchema } from './fleet.schema.ts';

export type Fleet = FleetSchema;
export type Deployment = FleetSchema['deployments'][number];

/** Of a deployment, in a table. The mark repeats what the colour shows. */
export const OUTCOME_WORDS: Readonly<Record<DeploymentOutcome, { mark: string; word: string }>> = {
  conformant: { mark: '✓', word: 'conformant' },
  'conformant-to-profile': { mark: '✓', word: 'conformant to profile' },
  nonconformant: { mark: '✗', word: 'nonconformant' },
  incomplete: { mark: '?', word: 'incomplete' },
  error: { mark: '!', word: 'error' },
  'no-report': { mark: '∅', word: 'no report' },
};

/** The order in which deployments are read. */
const WORST_FIRST: readonly DeploymentOutcome[] = [
  'nonconformant',
  'no-report',
  'error',
  'incomplete',
  'conformant-to-profile',
  'conformant',
];

/** The gravest outcome first, then the most failures, then by name. */
export const worstFirst = (deployments: readonly Deployment[]): Deployment[] =>
  deployments.toSorted(
    (one, other) =>
      WORST_FIRST.indexOf(one.outcome) - WORST_FIRST.indexOf(other.outcome) ||
      failuresOf(other).length - failuresOf(one).length ||
      (one.name < other.name ? -1 : 1),
  );

export const failuresOf = ({ requirements }: Deployment): Deployment['requirements'] =>
  requirements.filter(({ verdict }) => verdict === 'failed');

/** What a deployment came to, as a short text without its full stop. */
export function summaryOf(deployment: Deployment): string {
  const { outcome, reason, requirements, kind } = deployment;
  const noun = kind === 'feed' ? 'rule' : 'requirement';
  const failed = failuresOf(deployment);
  const open = requirements.filter(({ verdict }) => verdict === 'could-not-run').length;
  if (outcome === 'no-report') return `No report: ${withoutStop(reason ?? '')}`;
  if (outcome === 'error')
    return `The run itself failed${reason === undefined ? '' : `: ${withoutStop(reason)}`}`;
  if (failed.length > 0) {
    const are = failed.length === 1 ? 'is' : 'are';
    return `${several(failed.length, noun)} ${are} violated: ${named(failed.map(({ id }) => id))}`;
  }
  if (outcome === 'incomplete') return withoutStop(reason ?? `${several(open, noun)} could not be tested`);
  if (outcome === 'nonconformant') return 'Warnings fail this feed, as strict is set';
  return kind === 'feed' ? 'No rule is violated' : 'All requirements that apply are met';
}

/** `3 deployments and 1 feed`. */
export function deploymentsInWords(deployments: readonly Deployment[]): string {
  const feeds = deployments.filter(({ kind }) => kind === 'feed').length;
  const services = deployments.length - feeds;
  return [services > 0 && several(services, 'deployment'), feeds > 0 && several(feeds, 'feed')]
    .filter(Boolean)
    .join(' and ');
}

/** What a fleet came to, as a short sentence without its full stop. */
export function headlineOf({ outcome, counts, deployments }: Fleet): string {
  const all = deploymentsInWords(deployments);
  const parts = [
    counts.nonconformant > 0 && `${counts.nonconformant} nonconformant`,
    counts.error > 0 && `${counts.error} with a failed run`,
    counts['no-report'] > 0 && `${counts['no-report']} without a report`,
    counts.incomplete > 0 && `${counts.incomplete} incomplete`,
  ].filter(Boolean);
  if (parts.length > 0) return `Of ${all}, ${inWords(parts as string[])}`;
  return outcome === 'conformant'
    ? `All of ${all} conformant`
    : `All of ${all} conformant, some of them to a profile`;
}

const NEXT: Readonly<Record<Outcome, string>> = {
  conformant: 'Nothing has to change. Run again when a deployment changes.',
  'conformant-to-profile': 'Nothing has to change for clients that know the profiles.',
  nonconformant:
    'Send the contact of each nonconformant deployment its own report, which has a command for each failure.',
  incomplete:
    'Find out why reports are missing or incomplete, and run these deployments again with --resume.',
  error: 'Fix the runs that failed, and run them again with --resume.',
};

export const nextOf = ({ outcome }: Fleet): string => NEXT[outcome];

const COUNTED: readonly DeploymentOutcome[] = [
  'conformant',
  'conformant-to-profile',
  'nonconformant',
  'error',
  'incomplete',
  'no-report',
];

/** For the last line, which programs read. */
export const tallyOf = ({ counts }: Fleet): string =>
  COUNTED.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ');

const MOST_NAMED = 6;

/** `a, b and 3 more`. */
export function named(names: readonly string[], most = MOST_NAMED): string {
  const rest = names.length - most;
  return clip(names.slice(0, most).join(', '), 300) + (rest > 0 ? ` and ${rest} more` : '');
}

export const inWords = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

const withoutStop = (text: string): string => text.replace(/\.$/, '');

/** `2026-11-22`, as it is; a moment in ISO 8601 as its day. */
export const dayOf = (moment: string): string => moment.slice(0, 10);
