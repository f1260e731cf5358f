/**
 * The requirements, each with the function that judges it. A spec file states them once, and they have two front ends:
 * `judgeAll` calls the functions in process, and Playwright runs each as a test (playwright.config.ts).
 */
import type { TestInfo, TestType } from '@playwright/test';
import { ledger, type Need, type Requirement } from '../support/requirements.ts';
import { offersTokens, type Profile } from './profile.ts';
import { firstIssue, firstRead, settled, tokenResponses } from './support/condition.ts';
import { causeOf, countedIn, endsFor } from './support/decisions.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isIssued,
  isSuccess,
} from './support/evidence.ts';
import { couldNotRun, type Judgement, notApplicable } from './support/judgement.ts';

/**
 * Judges the evidence of a run. `acceptance` is the exchange that meets what the requirement `needs` by the ledger;
 * a function that takes it belongs to a requirement that needs something.
 */
type JudgeRequirement = (evidence: Evidence, acceptance: Answered) => Judgement;

export interface JudgedBy {
  /** In tests/requirements.yaml, or of a profile. */
  id: string;
  judge: JudgeRequirement;
}

/** Of the spec files that were loaded, in their order. */
export const stated: JudgedBy[] = [];

/**
 * States how a requirement of the ledger is judged. Returns the arguments of a test, for `test(...requirement(…))`: the
 * call of `test` has to be in the spec file, since Playwright shows its place. Throws an Error for an id that is not in
 * the ledger, and for a function that takes an acceptance where the ledger states no need for one.
 */
export function requirement(id: string, judgeIt: JudgeRequirement): TestArguments {
  const row = ledger.find((one) => one.id === id);
  if (!row) throw new Error(`${id} is not in tests/requirements.yaml.`);
  if (judgeIt.length > 1 && !row.needs)
    throw new Error(`${id} takes an acceptance. Write in tests/requirements.yaml what it needs.`);
  stated.push({ id, judge: judgeIt });
  return testOf(row, judgeIt);
}

/** The judgement on one requirement: a pure function of the evidence. Throws only for a fault of the suite. */
export function judge({ id, judge: judgeIt }: JudgedBy, given: Evidence): Judgement {
  const evidence = countedIn(given);
  const { name, notOffered = [] } = evidence.profile ?? {};
  if (notOffered.includes(id))
    return notApplicable(`The profile ${name} says that the deployment does not offer it.`);
  const cause = causeOf(evidence);
  if (cause && endsFor(cause, id)) return couldNotRun(cause.sentence);
  const need = ledger.find((row) => row.id === id)?.needs;
  const acceptance = need && acceptanceOf(need, evidence);
  if (acceptance && 'verdict' in acceptance) return acceptance;
  // Without a need, no function takes it: requirement() sees to that.
  const judgement = judgeIt(evidence, acceptance as Answered);
  // A request that was not sent has the same cause, unless later requests were answered.
  const isUnsent = judgement.verdict === 'could-not-run' && judgement.exchanges.length === 0;
  const isOfSettings = evidence.expiry.kind === 'none';
  return isUnsent && cause?.isOpen && !isOfSettings ? couldNotRun(cause.sentence) : judgement;
}

/** The exchange that meets a need, or the verdict on every requirement that has it. */
export const acceptanceOf = (need: Need, evidence: Evidence): Answered | Judgement =>
  accepted[need](evidence);

/** By need: the exchange that meets it, or the verdict on every requirement that has it. */
const accepted: Record<Need, (evidence: Evidence) => Answered | Judgement> = {
  /** Valid credentials were answered with success. */
  'token-response': (evidence) => {
    const exchange = tokenResponses(evidence)[0] ?? settled(evidence.probes['token.valid']);
    if ('verdict' in exchange || isSuccess(exchange)) return exchange;
    return couldNotRun('No token was obtained (see MRS-4.1a).', exchange);
  },
  /** Valid credentials obtained a token: without that, no refusal proves anything. */
  token: (evidence) => {
    const exchange = settled(firstIssue(evidence));
    if ('verdict' in exchange || isIssued(exchange)) return exchange;
    const broken = isSuccess(exchange) ? 'MRS-2a' : 'MRS-4.1a';
    return couldNotRun(`No token was obtained (see ${broken}).`, exchange);
  },
  /** The data was served with the good token. */
  data: (evidence) => {
    if (offersTokens(evidence.profile)) {
      const issued = accepted.token(evidence);
      if ('verdict' in issued) return issued;
    }
    const exchange = settled(firstRead(evidence));
    if ('verdict' in exchange || isSuccess(exchange)) return exchange;
    return couldNotRun('The data was not served (see MRS-4.2a).', exchange);
  },
};

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
export function testOf(row: Requirement, judgeIt: JudgeRequirement): TestArguments {
  return [
    `${row.id} ${row.statement}`,
    async ({ evidence }, info) => {
      const { verdict, expected, reason, exchanges: ids } = judge({ id: row.id, judge: judgeIt }, evidence);
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
