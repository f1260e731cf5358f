/**
 * The requirements, each with the function that judges it. A spec file states them once, and they have two front ends:
 * `judgeAll` calls the functions in process, and Playwright runs each as a test (playwright.config.ts).
 */
import type { TestInfo, TestType } from '@playwright/test';
import { groupBy } from '../support/collections.ts';
import { ledger, type Need, type Requirement } from '../support/requirements.ts';
import { shownIn } from './conditions.ts';
import { offersTokens, type Profile } from './profile.ts';
import type { Condition } from './requests.ts';
import { firstIssue, firstRead, settled, tokenResponses } from './support/condition.ts';
import { assess, endsFor } from './support/decisions.ts';
import {
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isIssued,
  isSuccess,
  type Probe,
} from './support/evidence.ts';
import {
  allOf,
  couldNotRun,
  type Judgement,
  type JudgeShown,
  notApplicable,
  type Shown,
} from './support/judgement.ts';

/** A requirement of the specification: it asks for what was shown in some conditions, whoever sent the requests. */
export interface Stated {
  /** In tests/requirements.yaml. */
  id: string;
  of: readonly Condition[];
  each: JudgeShown;
}

/** What is judged by the evidence of a run: a requirement, or what a profile declares. */
export interface JudgedBy {
  id: string;
  of?: readonly Condition[];
  judge(evidence: Evidence): Judgement;
}

/** Of the spec files that were loaded, in their order. */
export const stated: Stated[] = [];

/**
 * States a requirement of the ledger: the conditions by which it asks for answers, and how it judges each. Returns the arguments of
 * a test, for `test(...requirement(…))`: the call of `test` has to be in the spec file, since Playwright shows its place. Throws
 * an Error for an id that is not in the ledger.
 */
export function requirement(id: string, of: readonly Condition[], each: JudgeShown): TestArguments {
  const row = ledger.find((one) => one.id === id);
  if (!row) throw new Error(`${id} is not in tests/requirements.yaml.`);
  const own = { id, of, each };
  stated.push(own);
  return testOf(row, byRun(own));
}

/** Judges a requirement by the evidence of a run. */
export const byRun = ({ id, of, each }: Stated): JudgedBy => ({
  ...{ id, of },
  judge(evidence) {
    const unmet = unmetIn(evidence, needOf(id));
    if (unmet) return unmet;
    if (of.includes('healthy')) {
      const { healthPaths } = evidence.target;
      if (healthPaths.length === 0)
        return notApplicable(
          'The paths are not shown (clause 4.3). Set --health-paths (MRS_HEALTH_PATHS) to those of this deployment.',
        );
      if (evidence.health.length < healthPaths.length)
        return couldNotRun('The evidence lacks a health check that was to be asked.');
    }
    return ofAll(
      shownOf(evidence).filter(({ when }) => of.includes(when)),
      each,
    );
  },
});

const known = new WeakMap<Evidence, Shown[]>();

/** What a run shows, found once for all requirements. */
function shownOf(evidence: Evidence): Shown[] {
  const shown = known.get(evidence) ?? shownIn(evidence);
  known.set(evidence, shown);
  return shown;
}

/** The judgement on one call of recorded traffic; undefined where it does not concern the requirement. */
export const judgeCall = ({ id, each }: Stated, shown: Shown): Judgement | undefined =>
  (needOf(id) === 'token-response' ? undefined : unmet(needOf(id), shown)) ?? excused(each, shown);

function excused(each: JudgeShown, shown: Shown): Judgement | undefined {
  const judgement = each(shown);
  return judgement?.verdict === 'failed' && shown.doubt ? shown.doubt : judgement;
}

/**
 * The judgement on all: a decision is needed on each kind of request, and none may violate the requirement. Once one kind was
 * refused by an answer, another may be refused by silence.
 */
export function ofAll(all: readonly Shown[], each: JudgeShown): Judgement {
  const judged = all.flatMap((shown) => {
    const judgement = excused(each, shown);
    return judgement ? [{ ...shown, judgement }] : [];
  });
  const isUnsent = ({ probe }: Shown) => 'isOptional' in probe;
  const asked = judged.some((one) => !isUnsent(one)) ? judged.filter((one) => !isUnsent(one)) : judged;
  const kinds = [...groupBy(asked, (one) => one.kind ?? one).values()].map((own) => ({
    own,
    // Where an answer may hold what it must not, another answer does not decide it.
    decisive: own.filter(({ judgement: { verdict, isUnclear } }) => verdict !== 'could-not-run' || isUnclear),
  }));
  const isRefusedByAnswer = kinds.some(
    ({ own, decisive }) => decisive.length > 0 && !own.some((one) => one.isAside),
  );
  return allOf(
    kinds.flatMap(({ own, decisive }) => {
      const isEnough =
        own.every((one) => one.isOptional) || (isRefusedByAnswer && own.some((one) => one.mayBeSilent));
      return (decisive.length > 0 || isEnough ? decisive : own).map(({ judgement }) => judgement);
    }),
  );
}

/** The judgement on one requirement: a pure function of the evidence. Throws only for a fault of the suite. */
export function judge({ id, of = [], judge: judgeIt }: JudgedBy, given: Evidence): Judgement {
  const { cause, counted: evidence } = assess(given);
  const { name, notOffered = [] } = evidence.profile ?? {};
  if (notOffered.includes(id))
    return notApplicable(`The profile ${name} says that the deployment does not offer it.`);
  if (cause && endsFor(cause, of)) return couldNotRun(cause.sentence);
  const judgement = judgeIt(evidence);
  // A request that was not sent has the same cause, unless later requests were answered.
  const isUnsent = judgement.verdict === 'could-not-run' && judgement.exchanges.length === 0;
  const isOfSettings = evidence.expiry.kind === 'none';
  return isUnsent && cause?.isOpen && !isOfSettings ? couldNotRun(cause.sentence) : judgement;
}

const needOf = (id: string): Need | undefined => ledger.find((row) => row.id === id)?.needs;

/** Why a run did not obtain what a requirement needs: without an acceptance, no refusal proves anything. Undefined where it did. */
export const unmetIn = (evidence: Evidence, need: Need | undefined): Judgement | undefined =>
  unmet(need, {
    issue: (need === 'token-response' && tokenResponses(evidence)[0]) || firstIssue(evidence),
    read: firstRead(evidence),
    offersNone: !offersTokens(evidence.profile),
  });

type Accepted = { issue?: Probe | undefined; read?: Probe | undefined; offersNone?: boolean };

function unmet(need: Need | undefined, { issue, read, offersNone }: Accepted): Judgement | undefined {
  if (need === undefined) return undefined;
  const issued = settled(issue);
  if (!offersNone && 'verdict' in issued) return issued;
  if (!offersNone && 'response' in issued && !(need === 'token-response' ? isSuccess : isIssued)(issued)) {
    const broken = need !== 'token-response' && isSuccess(issued) ? 'MRS-2a' : 'MRS-4.1a';
    return couldNotRun(`No token was obtained (see ${broken}).`, issued);
  }
  if (need !== 'data') return undefined;
  const served = settled(read);
  if ('verdict' in served) return served;
  return isSuccess(served) ? undefined : couldNotRun('The data was not served (see MRS-4.2a).', served);
}

/** What a test of Playwright gets: the evidence of the run, which the setup project left. */
export interface EvidenceFixture {
  evidence: Evidence;
}
type TestBody = (fixtures: EvidenceFixture, info: TestInfo) => Promise<void>;
type TestArguments = [title: string, body: TestBody];
type PlaywrightTest = TestType<object, EvidenceFixture>;

/** Playwright's `test` where Playwright loads the spec files; elsewhere it does nothing. */
export let test: (...test: TestArguments) => void = () => {};
/** Of a run of Playwright: what the deployment declares. */
export let profileOfRun: Profile | undefined;

/** For the configuration of Playwright, before it loads a spec file. */
export function runAsTests(playwright: PlaywrightTest, profile?: Profile): void {
  test = playwright;
  profileOfRun = profile;
}

/** A test is red where the requirement is violated or could not run, and skipped where it is not applicable. */
export function testOf(row: Requirement, own: JudgedBy): TestArguments {
  return [
    `${row.id} ${row.statement}`,
    async ({ evidence }, info) => {
      const { verdict, expected, reason, exchanges: ids } = judge(own, evidence);
      const decisive = ids.flatMap((id) => exchanges(evidence).find((one) => one.id === id) ?? []);
      for (const exchange of decisive)
        await info.attach(`request ${exchange.id}: ${exchange.what}`, {
          body: JSON.stringify(exchange, null, 2),
          contentType: 'application/json',
        });
      if (verdict === 'not-applicable') info.skip(true, reason);
      if (verdict === 'could-not-run') fail(`Could not run. ${reason}`);
      const seen = decisive.map(
        (exchange) =>
          `\n  ${isAnswered(exchange) ? inWords(exchange) : `${exchange.what}: ${exchange.failure}`}`,
      );
      const what = row.violation === undefined ? '' : `${row.violation}\n\n`;
      if (verdict === 'failed') fail(`${what}Expected: ${expected}\nSeen:${seen.join('')}`);
    },
  ];
}

/** Fails a test of Playwright without a stack: it would point at this program, and not at the deployment. */
export function fail(message: string): never {
  const error = new Error(message);
  error.stack = message;
  throw error;
}
