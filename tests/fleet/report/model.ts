/** A fleet as a report: once with an item for each deployment, once for each verdict. */
import { anchorOf, type Block, type Fact, frame, type Item, type Report } from '../../report/report.ts';
import { VERDICTS } from '../../report/text.ts';
import { SEVERITIES } from '../../support/verdict.ts';
import type { DeploymentOutcome, FleetVerdict } from '../fleet-outcome.ts';
import {
  type Deployment,
  dayOf,
  deploymentsInWords,
  type Fleet,
  failuresOf,
  headlineOf,
  named,
  nextOf,
  OUTCOME_WORDS,
  summaryOf,
  tallyOf,
  worstFirst,
} from './wording.ts';

/** What a deployment is to renderers that know verdicts only. A run without a report shows nothing against it. */
const VERDICT: Readonly<Record<DeploymentOutcome, FleetVerdict>> = {
  conformant: 'passed',
  'conformant-to-profile': 'passed',
  nonconformant: 'failed',
  incomplete: 'could-not-run',
  error: 'could-not-run',
  'no-report': 'could-not-run',
};

export function reportOf(fleet: Fleet): Report {
  const { outcome, startedAt, problems, remarks, deployments, runId } = fleet;
  const statements = statementsOf(fleet);
  const changes = changesOf(deployments);
  return {
    ...frame('fleet', runId, []),
    subject: { name: 'Fleet', text: deploymentsInWords(deployments) },
    outcome,
    headline: headlineOf(fleet),
    next: nextOf(fleet),
    remarks,
    counts: countsOf(fleet),
    tally: tallyOf(fleet),
    properties: {},
    startedAt,
    items: worstFirst(deployments).map((one) => itemOf(one, statements)),
    // The page shows changes in its matrix.
    sections:
      changes.length > 0 ? [{ id: 'changes', title: 'Changes', inSummary: true, blocks: changes }] : [],
    exchanges: [],
    problems,
  };
}

/** The same with an item for each verdict, in the class of its deployment, for JUnit. */
export function verdictsOf(fleet: Fleet): Report {
  const statements = statementsOf(fleet);
  const items = fleet.deployments.flatMap((deployment) =>
    deployment.requirements.length === 0
      ? [{ ...itemOf(deployment, statements), statement: 'Its run leaves a report.', findings: [] }]
      : deployment.requirements.map((one) => verdictItem(deployment, one, statements)),
  );
  return { ...reportOf(fleet), items };
}

/** The page has the id of its item as its anchor. */
export const anchorOfDeployment = anchorOf;

const statementsOf = ({ clauses }: Fleet): ReadonlyMap<string, string> =>
  new Map(clauses.map(({ id, statement }) => [id, statement]));

function itemOf(deployment: Deployment, statements: ReadonlyMap<string, string>): Item {
  const { name, outcome, address = 'an entry of the fleet', requirements, page } = deployment;
  const verdict = VERDICT[outcome];
  const failed = failuresOf(deployment);
  const wrong = verdict === 'failed' ? violationOf(deployment) : undefined;
  const shown = requirements.filter((one) => one.verdict === 'failed' || one.verdict === 'warned');
  return {
    id: name,
    group: name,
    statement: address,
    violation: wrong,
    verdict,
    ...(verdict === 'failed' && {
      severity: SEVERITIES.find((severity) => failed.some((one) => one.severity === severity)),
    }),
    // What shares a reason is one line: a machine that was lost has many deployments.
    ...(verdict === 'could-not-run' && {
      reason: `${outcome === 'no-report' ? '' : `${name}: `}${summaryOf(deployment)}.`,
    }),
    facts: factsOf(deployment),
    findings: shown.map((one) => ({
      verdict: one.verdict === 'failed' ? 'failed' : 'warned',
      where: one.id,
      seen: [one.violation ?? statements.get(one.id), one.seen].filter(Boolean).join(' '),
    })),
    exchanges: [],
    durationMs: deployment.durationMs,
    page,
  };
}

/** The gravest violation in its own words, and the ids of all. */
function violationOf(deployment: Deployment): string {
  const gravity = ({ severity }: Deployment['requirements'][number]) =>
    severity === undefined ? SEVERITIES.length : SEVERITIES.indexOf(severity);
  const [first, ...others] = failuresOf(deployment).toSorted((one, other) => gravity(one) - gravity(other));
  if (!first) return `${summaryOf(deployment)}.`;
  const more = others.length > 0 ? ` Also violated: ${named(others.map(({ id }) => id))}.` : '';
  return `${first.id}: ${first.violation ?? 'Not as the profile declares.'}${more}`;
}

function factsOf(deployment: Deployment): Fact[] {
  const { kind, profile, labels, contact, since, changes, comparedWith, outcome, exitCode } = deployment;
  const { folder } = deployment;
  const changed = changes.map(({ id, before, after }) => `${id} ${before} → ${after}`);
  const facts: [string, string | false | undefined][] = [
    ['Outcome', OUTCOME_WORDS[outcome].word + (isAccepted(deployment) ? ', accepted by its baseline' : '')],
    ['Since', since && dayOf(since)],
    ['Changes', comparedWith !== undefined && (changed.join(', ') || `none since ${dayOf(comparedWith)}`)],
    ['Profile', profile],
    ['Kind', kind === 'feed' && 'feed of records'],
    ['Labels', labels.join(', ')],
    ['Reports', folder],
    ['Contact', contact],
    ['Exit code', exitCode !== 0 && outcome.startsWith('conformant') && `${exitCode}, by its baseline`],
  ];
  return facts.flatMap(([name, text]) => (text ? [{ name, text }] : []));
}

export const isAccepted = ({ outcome, exitCode }: Deployment): boolean =>
  exitCode === 0 && !outcome.startsWith('conformant');

function verdictItem(
  { name }: Deployment,
  { id, verdict, severity, violation, seen }: Deployment['requirements'][number],
  statements: ReadonlyMap<string, string>,
): Item {
  return {
    id,
    group: name,
    statement: statements.get(id) ?? id,
    verdict,
    ...(verdict === 'failed' && { severity, violation, seen: seen ?? VERDICTS.failed.word }),
    ...(verdict !== 'failed' && verdict !== 'passed' && { reason: seen ?? VERDICTS[verdict].word }),
    facts: [],
    exchanges: [],
    findings: [],
  };
}

function countsOf({ counts }: Fleet): Report['counts'] {
  return (Object.keys(OUTCOME_WORDS) as DeploymentOutcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => ({
      value: counts[outcome],
      word: OUTCOME_WORDS[outcome].word,
      verdict: VERDICT[outcome],
    }));
}

/** What changed since the last run. */
function changesOf(deployments: readonly Deployment[]): Block[] {
  const changed = deployments.filter(({ changes }) => changes.length > 0);
  if (changed.length === 0) return [];
  const rows = changed.map(({ name, changes, comparedWith = '' }) => ({
    verdict: changes.some(({ isRegression }) => isRegression) ? ('failed' as const) : ('passed' as const),
    cells: [
      name,
      changes
        .slice(0, MOST_CHANGES)
        .map(({ id, before, after }) => `${id} ${before} → ${after}`)
        .join(', '),
      dayOf(comparedWith),
    ],
  }));
  const columns = ['Deployment', 'Changed', 'Since'];
  return [
    { table: { name: 'changes', caption: 'Since the last run', columns, inTerminal: [0, 2, 1], rows } },
  ];
}

const MOST_CHANGES = 10;
