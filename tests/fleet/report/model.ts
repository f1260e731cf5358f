/** A report on a fleet as the shared renderers see it: once with an item for each deployment, once for each verdict. */
import { prose, section } from '../../report/markdown-text.ts';
import { markup } from '../../report/markup.ts';
import { anchorOf, type Count, type Item, type ReportModel, type Section } from '../../report/model.ts';
import { suiteFacts, suiteProperties } from '../../report/suite-facts.ts';
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

/** `first`: sections of the page before the list of deployments; `last`: after it. */
export function modelOf(
  fleet: Fleet,
  parts: { first?: Section[]; last?: Section[]; style?: string } = {},
): ReportModel {
  const { outcome, startedAt, problems, remarks, deployments } = fleet;
  const { first = [], last = [], style = '' } = parts;
  const statements = statementsOf(fleet);
  return {
    kind: 'Fleet report',
    topic: 'Mitigation Request Service Interface Specification',
    command: 'mrs fleet',
    subject: { name: 'Fleet', text: deploymentsInWords(deployments) },
    outcome,
    headline: headlineOf(fleet),
    next: nextOf(fleet),
    remarks,
    counts: countsOf(fleet),
    tally: tallyOf(fleet),
    facts: suiteFacts(fleet),
    properties: suiteProperties(fleet),
    startedAt,
    items: {
      title: 'Deployments',
      about: 'The worst first, each with what its own report says. Open a line for more.',
      noun: 'deployment',
      list: worstFirst(deployments).map((one) => itemOf(one, statements)),
    },
    problems,
    own: {
      style,
      first,
      sections: last,
      footer: markup`Quoted text comes from the reports of the deployments. <code>fleet.json</code> holds everything.`,
      markdown: { beforeItems: section('Changes', changesOf(deployments)), last: [] },
    },
  };
}

/** The same with an item for each verdict, in the class of its deployment, for JUnit. */
export function verdictsModelOf(fleet: Fleet): ReportModel {
  const statements = statementsOf(fleet);
  const list = fleet.deployments.flatMap((deployment) =>
    deployment.requirements.length === 0
      ? [{ ...itemOf(deployment, statements), statement: 'Its run leaves a report.', findings: [] }]
      : deployment.requirements.map((one) => verdictItem(deployment, one, statements)),
  );
  const model = modelOf(fleet);
  return { ...model, items: { ...model.items, noun: 'verdict', list } };
}

export const anchorOfDeployment = (name: string): string => `deployment-${anchorOf(name)}`;

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
    anchor: anchorOfDeployment(name),
    className: name,
    statement: wrong ?? address,
    verdict,
    ...(verdict === 'failed' && {
      severity: SEVERITIES.find((severity) => failed.some((one) => one.severity === severity)),
      trouble: wrong,
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
    durationMs: deployment.durationMs,
    ...(page !== undefined && {
      evidence: markup`<p class="full"><a href="${page}">Report of ${name}</a></p>`,
    }),
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

function factsOf(deployment: Deployment): [string, string][] {
  const { kind, address, profile, labels, contact, since, changes, comparedWith, outcome, exitCode } =
    deployment;
  const { folder } = deployment;
  const changed = changes.map(({ id, before, after }) => `${id} ${before} → ${after}`);
  const facts: [string, string | false | undefined][] = [
    ['Address', VERDICT[outcome] === 'failed' && address],
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
  return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
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
    anchor: `${anchorOfDeployment(name)}-${anchorOf(id)}`,
    className: name,
    statement: statements.get(id) ?? id,
    verdict,
    ...(verdict === 'failed' && { severity, violation, summary: seen ?? VERDICTS.failed.word }),
    ...(verdict !== 'failed' && verdict !== 'passed' && { reason: seen ?? VERDICTS[verdict].word }),
    facts:
      verdict === 'failed' && seen !== undefined
        ? [
            ['Deployment', name],
            ['Found', seen],
          ]
        : [],
    findings: [],
  };
}

function countsOf({ counts }: Fleet): Count[] {
  return (Object.keys(OUTCOME_WORDS) as DeploymentOutcome[])
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => ({
      value: counts[outcome],
      word: OUTCOME_WORDS[outcome].word,
      verdict: VERDICT[outcome],
    }));
}

/** For the summary of a CI step: what changed since the last run. */
function changesOf(deployments: readonly Deployment[]): string[] {
  return deployments.flatMap(({ name, changes }) =>
    changes
      .slice(0, 10)
      .map(
        ({ id, before, after, isRegression }) =>
          `- ${isRegression ? '✗' : '✓'} ${prose(name)}: ${prose(id)} ${before} → ${after}`,
      ),
  );
}
