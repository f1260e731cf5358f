/** A requirement with the function that judges it. */
import { ledger } from '../../support/requirements.ts';
import { causeOf, concerns } from './cause.ts';
import type { Answered, Evidence } from './evidence.ts';
import { couldNotRun, type Judgement, notApplicable } from './judgement.ts';
import { accepted } from './needs.ts';

/**
 * Judges the evidence of a run. `acceptance` is the exchange that meets what the requirement `needs` by the ledger;
 * a function that takes it belongs to a requirement that needs something.
 */
export type JudgeRequirement = (evidence: Evidence, acceptance: Answered) => Judgement;

export interface JudgedBy {
  /** In tests/requirements.yaml, or of a profile. */
  id: string;
  /** What is judged, as a sentence. */
  title: string;
  judge: JudgeRequirement;
}

/** Throws an Error for a function that takes an acceptance where the ledger states no need for one. */
export function requirement(id: string, title: string, judge: JudgeRequirement): JudgedBy {
  if (judge.length > 1 && needOf(id) === undefined)
    throw new Error(`${id} takes an acceptance. Write in tests/requirements.yaml what it needs.`);
  return { id, title, judge };
}

const needOf = (id: string) => ledger.find((row) => row.id === id)?.needs;

/** The judgement on one requirement: a pure function of the evidence. Throws only for a fault of the suite. */
export function judge(requirement: JudgedBy, evidence: Evidence): Judgement {
  const { id } = requirement;
  const { name, notOffered = [] } = evidence.profile ?? {};
  if (notOffered.includes(id))
    return notApplicable(`The profile ${name} says that the deployment does not offer it.`);
  const cause = causeOf(evidence);
  if (cause && concerns(cause, id)) return couldNotRun(cause.sentence);
  const need = needOf(id);
  const acceptance = need && accepted[need](evidence);
  if (acceptance && 'verdict' in acceptance) return acceptance;
  // Without a need, no function takes it: requirement() sees to that.
  return requirement.judge(evidence, acceptance as Answered);
}
