/** What a fleet needs of the report of one deployment or feed, which may come from anywhere. */

import type { ValidateFunction } from 'ajv/dist/2020.js';
import { type Item, plain, type Report, reportSchema } from '../report/report.ts';
import { clip, inOneLine } from '../report/text.ts';
import { outcomeOfRun } from '../server/report/report.ts';
import { compileOwn } from '../support/own-schema.ts';
import type { Outcome, Severity } from '../support/verdict.ts';
import type { Suite } from '../support/version.ts';
import type { FleetVerdict } from './fleet-outcome.ts';
import { momentIn } from './moment.ts';

/** A requirement, or a rule for records. */
export interface Judgement {
  id: string;
  statement: string;
  verdict: FleetVerdict;
  severity?: Severity;
  violation?: string;
  seen?: string;
}

export interface Judged {
  kind: 'service' | 'feed';
  outcome: Outcome;
  address: string;
  profile?: string;
  suite?: Suite;
  /** The one cause that kept everything from being tested. */
  cause?: string;
  startedAt?: string;
  durationMs?: number;
  requirements: Judgement[];
}

/** Characters of what a deployment sent that the report of a fleet repeats. */
const LONGEST = 300;
/** More would be no report of this suite. */
const MOST_REQUIREMENTS = 500;

let validate: ValidateFunction<Report> | undefined;

/** What a report.json says; a sentence where it is not a report of `mrs verify` or `mrs feed`. */
export function judgedOf(value: unknown): Judged | string {
  validate ??= compileOwn<Report>(JSON.parse(reportSchema()));
  if (!validate(value)) {
    const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
    return `report.json does not have the form of a report: ${instancePath || 'it'} ${message}.`;
  }
  const { judge, subject, outcome, properties, suite, cause, problems, items } = value;
  if (judge !== 'verify' && judge !== 'feed') return `report.json is a report of mrs ${judge}.`;
  if (items.length > MOST_REQUIREMENTS) return `report.json has more than ${MOST_REQUIREMENTS} requirements.`;
  const byVerdicts = outcomeByVerdicts(value);
  if (byVerdicts !== outcome)
    return `report.json states the outcome ${outcome}, and its verdicts come to ${byVerdicts}.`;
  const startedAt = value.startedAt === undefined ? undefined : momentIn(value.startedAt);
  if (value.startedAt !== undefined && startedAt === undefined)
    return `report.json states that the run began at ${clip(inOneLine(value.startedAt), 40)}. Set the clock of the machine, and run it again.`;
  const why = cause ?? problems[0];
  const { profile } = properties;
  return {
    kind: judge === 'feed' ? 'feed' : 'service',
    outcome,
    address: properties.target ?? subject.text,
    ...(profile !== undefined && { profile }),
    suite,
    ...(why !== undefined && { cause: clip(why, LONGEST) }),
    ...(startedAt !== undefined && { startedAt }),
    ...(value.durationMs !== undefined && { durationMs: value.durationMs }),
    requirements: items.map(judgementOf),
  };
}

/** A report that says otherwise was changed. A strict run of a feed fails by warnings. */
function outcomeByVerdicts({ judge, items, problems, properties, outcome }: Report): Outcome {
  if (judge === 'verify') return outcomeOfRun(items, problems, profileIn(properties));
  const isFailedByWarnings = outcome === 'nonconformant' && items.some(({ verdict }) => verdict === 'warned');
  return isFailedByWarnings ? 'nonconformant' : outcomeOfRun(items, problems, undefined);
}

const profileIn = ({ profile, 'not-offered': notOffered = '' }: Report['properties']) =>
  profile === undefined ? undefined : { notOffered: notOffered.split(' ').filter(Boolean) };

function judgementOf({
  id,
  statement,
  verdict,
  severity,
  violation,
  expected,
  seen,
  reason,
  findings,
}: Item): Judgement {
  const isFailed = verdict === 'failed';
  const [first] = findings;
  const found = first && `${plain(first.where)}: ${first.seen}`;
  const wrong = expected === undefined ? (found ?? seen) : `Expected ${expected}; seen: ${seen}`;
  const detail = isFailed || verdict === 'warned' ? wrong : reason;
  return {
    id: clip(id, 100),
    statement: clip(statement, LONGEST),
    verdict: verdict === 'not-seen' ? 'not-applicable' : verdict,
    ...(isFailed && severity && { severity }),
    ...(isFailed && { violation: clip(violation ?? statement, LONGEST) }),
    ...(detail !== undefined && verdict !== 'passed' && { seen: clip(detail, LONGEST) }),
  };
}
