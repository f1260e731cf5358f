/** What a fleet needs of the report of one deployment or feed, which may come from anywhere. */

import type { ValidateFunction } from 'ajv/dist/2020.js';
import type { FeedSchema } from '../feed/report/feed.schema.ts';
import { outcomeOfFeed } from '../feed/report/report.ts';
import { findRule } from '../feed/rules.ts';
import { readSchema } from '../report/schema.ts';
import { clip, inOneLine, several } from '../report/text.ts';
import type { ReportSchema } from '../server/report/report.schema.ts';
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

const validators = new Map<'report' | 'feed', ValidateFunction>();

/** What a report.json says; a sentence where it is not a report of `mrs verify` or `mrs feed`. */
export function judgedOf(value: unknown): Judged | string {
  const isOfFeed = typeof value === 'object' && value !== null && 'findings' in value;
  const validate = validatorOf(isOfFeed ? 'feed' : 'report');
  if (!validate(value)) {
    const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
    return `report.json does not have the form of a report: ${instancePath || 'it'} ${message}.`;
  }
  const judged = isOfFeed ? feedOf(value as FeedSchema) : serviceOf(value as ReportSchema);
  if (judged.requirements.length > MOST_REQUIREMENTS)
    return `report.json has more than ${MOST_REQUIREMENTS} requirements.`;
  const outcome = isOfFeed ? outcomeOfFeed(value as FeedSchema) : outcomeOfRun(value as ReportSchema);
  if (outcome !== judged.outcome)
    return `report.json states the outcome ${judged.outcome}, and its verdicts come to ${outcome}.`;
  const startedAt = judged.startedAt === undefined ? undefined : momentIn(judged.startedAt);
  if (judged.startedAt !== undefined && startedAt === undefined)
    return `report.json states that the run began at ${clip(inOneLine(judged.startedAt), 40)}. Set the clock of the machine, and run it again.`;
  return { ...judged, ...(startedAt !== undefined && { startedAt }) };
}

function validatorOf(name: 'report' | 'feed'): ValidateFunction {
  const validate = validators.get(name) ?? compileOwn(JSON.parse(readSchema(name)));
  validators.set(name, validate);
  return validate;
}

function serviceOf({ outcome, target, profile, suite, cause, problems, ...report }: ReportSchema): Judged {
  const why = cause?.sentence ?? problems[0];
  return {
    kind: 'service',
    outcome,
    address: target.baseUrl,
    ...(profile && { profile: profile.name }),
    ...(suite && { suite }),
    ...(why !== undefined && { cause: clip(why, LONGEST) }),
    startedAt: report.startedAt,
    durationMs: report.durationMs,
    requirements: report.requirements.map(({ id, statement, verdict, severity, violation, evidence }) => {
      const { expected, seen, reason } = evidence;
      const isFailed = verdict === 'failed';
      const detail = isFailed ? `Expected ${expected}; seen: ${seen}` : reason;
      return {
        id,
        statement: clip(statement, LONGEST),
        verdict,
        ...(isFailed && severity && { severity }),
        ...(isFailed && violation !== undefined && { violation: clip(violation, LONGEST) }),
        ...(detail !== undefined && verdict !== 'passed' && { seen: clip(detail, LONGEST) }),
      };
    }),
  };
}

function feedOf({ outcome, source, profile, suite, findings, unjudged, records }: FeedSchema): Judged {
  const isWhole = unjudged.length === 0;
  return {
    kind: 'feed',
    outcome,
    address: source.name,
    profile: profile.name,
    ...(suite && { suite }),
    requirements: [
      ...findings.map(({ rule, class: kind, severity, count, places }): Judgement => {
        const isFailed = kind !== 'H';
        return {
          id: clip(rule, 100),
          statement: knownRule(rule),
          verdict: isFailed ? 'failed' : 'warned',
          ...(isFailed && severity && { severity }),
          ...(isFailed && { violation: knownRule(rule) }),
          seen: clip(
            `${several(count, 'time')}; the first: ${places[0]?.pointer || 'the body'}: ${places[0]?.seen}`,
            LONGEST,
          ),
        };
      }),
      {
        id: 'feed-complete',
        statement: 'Every record is read, and every rule is applied.',
        verdict: isWhole ? 'passed' : 'could-not-run',
        seen: isWhole ? several(records, 'record') : clip(unjudged.join(' '), LONGEST),
      },
    ],
  };
}

/** Another version of the suite can have other rules. */
const knownRule = (id: string): string => findRule(id)?.statement ?? clip(id, 100);
