/** What every spec imports: `test` with the evidence of the run, and the expectations that the clauses share. */
import { readFileSync } from 'node:fs';
import { test as base } from '@playwright/test';
import type { Mismatch, OperationId, Status } from './contract.ts';
import { givesData } from './data.ts';
import { declaredRequirements, readProfile } from './declared.ts';
import { judgeDeclared } from './declared-verdict.ts';
import { type Answered, type Evidence, inWords, isAnswered, isSuccess, type Probe } from './evidence.ts';
import { isJsonMediaType } from './json.ts';
import {
  answered,
  couldNotRun,
  decided,
  ifSent,
  judgeEach,
  notApplicable,
  settled,
  show,
  violates,
} from './verdict.ts';

export {
  type Answered,
  answered,
  couldNotRun,
  decided,
  declaredRequirements,
  givesData,
  ifSent,
  inWords,
  isAnswered,
  isSuccess,
  judgeDeclared,
  judgeEach,
  notApplicable,
  type Probe,
  readProfile,
  settled,
  show,
  violates,
};

export interface Fixtures {
  /** What the run saw of the deployment. */
  evidence: Evidence;
  /** Where that is. Fixtures of a test and not of a worker, so that one worker can judge many deployments. */
  evidenceFile: string;
  /**
   * Ids of requirements that this deployment is known to break. Playwright replaces a worker after a failure that
   * was not foretold; the verdict is the same either way.
   */
  expectedFailures: readonly string[];
  foretell: undefined;
}

export const test = base.extend<Fixtures>({
  evidenceFile: [process.env.MRS_EVIDENCE_FILE ?? '', { option: true }],
  expectedFailures: [[], { option: true }],
  evidence: async ({ evidenceFile }, use) => use(JSON.parse(readFileSync(evidenceFile, 'utf8'))),
  foretell: [
    async ({ expectedFailures, evidence }, use, info) => {
      const { name, notOffered = [] } = evidence.profile ?? {};
      if (notOffered.includes(info.title.split(' ', 1)[0] ?? ''))
        notApplicable(`The profile ${name} says that the deployment does not offer it.`);
      if (expectedFailures.includes(info.title.split(' ', 1)[0] ?? '')) info.fail();
      await use(undefined);
    },
    { auto: true },
  ],
});

/** Whether a token was issued: the answer's field `token` is a string that is not empty, whatever the status. */
export const isIssued = ({ response }: Answered): boolean => response.tokenResponse?.issued === true;

/** Ends as could-not-run unless valid credentials obtained a token: without that, no refusal proves anything. */
export function needsToken({ token }: Evidence): Answered {
  const exchange = answered(token.valid);
  if (isIssued(exchange)) return exchange;
  const broken = isSuccess(exchange) ? 'MRS-2a' : 'MRS-4.1a';
  return couldNotRun(`No token was obtained (see ${broken}): ${inWords(exchange)}.`);
}

/** Ends as could-not-run unless the data was served with the good token. */
export function needsData(evidence: Evidence): Answered {
  if (!evidence.profile?.notOffered.includes('MRS-4.1a')) needsToken(evidence);
  const exchange = answered(evidence.data.first);
  if (isSuccess(exchange)) return exchange;
  return couldNotRun(`The data was not served (see MRS-4.2a): ${inWords(exchange)}.`);
}

/** Fails unless the status is `status`. Only what the contract documents for the operation compiles. */
export function expectStatus<Id extends OperationId>(
  exchange: Answered,
  _operation: Id,
  status: Status<Id>,
): void {
  if (exchange.response.status !== status) violates(`status ${status}`, exchange);
  show(exchange);
}

/** The form obtains no token, whatever the refusal looks like; valid credentials do. */
export function expectNoToken(probe: Probe, evidence: Evidence): void {
  const valid = needsToken(evidence);
  const exchange = answered(probe);
  if (isIssued(exchange)) violates('no token', exchange);
  if (isSuccess(exchange) && exchange.response.tokenResponse?.unclear)
    couldNotRun(
      `${inWords(exchange)}. It may hold a token under another name, or too deep to be looked for.`,
    );
  show(decided(exchange), valid);
}

/** The request does not obtain the data, whatever the refusal looks like; with the good token it does. */
export function expectNoData(probe: Probe, evidence: Evidence): void {
  const served = needsData(evidence);
  const exchange = answered(probe);
  const given = givesData(exchange, served, evidence);
  if (given === 'unclear') couldNotRun(`${inWords(exchange)}. It cannot be told from the data.`);
  if (given) violates('that the data is not given', exchange);
  show(decided(exchange), served);
}

/** The data is served with a token that is not older than its lifetime. */
export function expectServed(probe: Probe, issuedBy: Probe, { target }: Evidence): void {
  const exchange = settled(probe);
  show(exchange);
  if (isSuccess(exchange)) return;
  const ageMs = exchange.sentAtMs + exchange.durationMs - answered(issuedBy).sentAtMs;
  const { tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = target;
  if (ageMs >= tokenLifetimeSeconds * 1000)
    couldNotRun(`The token was ${ageMs / 1000} s old by the answer, and lives ${tokenLifetimeSeconds} s.`);
  violates('a 2xx status', exchange);
}

/** The successful answers to valid credentials: what the requirements on the token response are judged on. */
export function tokenResponses({ token }: Evidence): Answered[] {
  const first = settled(token.valid);
  if (!isSuccess(first)) couldNotRun(`No token was obtained (see MRS-4.1a): ${inWords(first)}.`);
  return [first, ...[token.again].filter(isAnswered).filter(isSuccess)];
}

/** Fails on those mismatches between a token response and the contract that are `own` to the requirement. */
export function expectNoMismatch(exchange: Answered, own: (mismatch: Mismatch) => boolean): void {
  const { json, tokenResponse } = exchange.response;
  const found = (tokenResponse?.mismatches ?? []).filter(own);
  const first = found[0];
  if (first) violates(`that ${first.pointer || 'its body'} ${first.message}`, exchange);
  if (!json.wellFormed || json.type !== 'object')
    couldNotRun('The token response is no JSON object (see MRS-4.1k).');
  show(exchange);
}

/** The body is well-formed JSON and its Content-Type says so. */
export function expectJson(exchange: Answered): void {
  const { json, mediaType } = exchange.response;
  if (!json.wellFormed && json.refused)
    couldNotRun(`${inWords(exchange)}. It was not parsed: ${json.error}.`);
  if (!json.wellFormed) violates(`well-formed JSON, but ${json.error}`, exchange);
  if (!isJsonMediaType(mediaType)) violates('a JSON media type', exchange);
  show(exchange);
}

/** Judges each configured health check; the specification shows no path to ask at. */
export function expectEachHealthCheck(
  { target, health }: Evidence,
  judge: (plain: Answered, withToken?: Probe) => void,
): void {
  if (target.healthPaths.length === 0)
    notApplicable('The paths are not shown (clause 4.3). Set MRS_HEALTH_PATHS to those of this deployment.');
  judgeEach(health, ({ plain, withToken }) => judge(answered(plain), withToken));
}
