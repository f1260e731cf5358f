/** The rules for a reader of a feed: what it holds, next to what it was served, and how it treats the server. */
import type { Catalogue } from '../judge.ts';
import { type Check, type Finding, fails, perScenario, rulesFor, several, warns } from '../rule.ts';
import { backOffFrom, recovery, retryAfterFrom } from '../rules/outages.ts';
import { isBaseline } from '../scenarios.ts';
import { type Call, median, overlapOf, type ScenarioTraffic, type Statement, stalledMs } from '../traffic.ts';
import {
  ENOUGH_READS,
  type FeedScenario,
  feedScenarioOf,
  feedScenarios,
  getCalls,
  isFailure,
  isRead,
  isTrouble,
  lastReads,
  patienceMs,
} from './feed-scenarios.ts';

const SAYS_NOTHING =
  'The client did not print how many records it holds. Let it print a line such as {"records": 20} to standard output ' +
  'after each answer and each failure, and flush it.';

const NEVER_HELD = 'The client never held all records, so it had no schedule to keep.';

/** With fewer, the line that was printed after one of them may be missing. */
const FEWEST_BARREN = 3;
const SOON_OVER = `The trouble was over before ${FEWEST_BARREN} calls of the client had met it.`;

const AT_ONCE =
  'The client read the feed several times at once, so its lines do not show which answer they are about.';

const ENDED = 'The client ended by itself before it printed what it holds.';

/** Whether it printed a line after each call; that of the last two may be on its way. */
const statesAll = (traffic: ScenarioTraffic): boolean =>
  (traffic.statements ?? []).length >= getCalls(traffic).length - 2;

/** That a client left is noticed late on a busy machine, when it may have called again. */
const readsAtOnce = (traffic: ScenarioTraffic): boolean =>
  overlapOf(getCalls(traffic).filter(({ ended }) => ended !== 'gone')) > 1;

/** Judges the scenarios that exist for a rule. */
const whereExamined = (
  rule: string,
  judge: (traffic: ScenarioTraffic, scenario: FeedScenario) => Finding[] | string | undefined,
): Check =>
  perScenario((traffic) => {
    const scenario = feedScenarioOf(traffic);
    if (!scenario.examines.includes(rule)) return undefined;
    return readsAtOnce(traffic) ? AT_ONCE : judge(traffic, scenario);
  });

const readsRecords = whereExamined('reads-records', (traffic, scenario) => {
  const { statements = [] } = traffic;
  const reads = lastReads(traffic, scenario);
  const [first] = reads;
  const expected = scenario.servesAtLast ?? scenario.serves;
  const later = statements.filter(({ after }) => first && after >= first.id); // the first may be about the call before
  const last = later.findLast(({ after }) => first && after > first.id);
  if (!last || reads.length < ENOUGH_READS) return traffic.ended ? ENDED : SAYS_NOTHING;
  const isAboveAll = ({ records }: { records: number }) => records > scenario.serves;
  const above = statements.find(isAboveAll);
  if (!above && later.some(({ records }) => records === expected)) return [];
  const { records } = above ?? last;
  return [
    fails(
      traffic,
      reads,
      `The feed has ${several(expected, 'record')}, and the client holds ${records} after reading it ${several(reads.length, 'time')}.`,
    ),
  ];
});

/** Without those after a failure that did not reach the mock: no call was answered since the one before. */
const aboutCalls = (statements: readonly Statement[]): Statement[] =>
  statements.filter(({ after }, index) => after > (statements[index - 1]?.after ?? 0));

/**
 * What the client printed of calls that brought nothing, and of none before and after them. A client that leaves may print its
 * line before the mock notices: then the line counts as one about the call before.
 */
function aboutBarren(traffic: ScenarioTraffic, barren: readonly Call[]): Statement[] {
  const [first, last] = [barren[0], barren.at(-1)];
  if (!first || !last) return [];
  return aboutCalls(traffic.statements ?? []).filter(({ after }) => after > first.id && after <= last.id);
}

/** What the client held after calls that brought nothing, where it had held everything before. */
function loss(traffic: ScenarioTraffic, serves: number, barren: readonly Call[]): number | undefined {
  const [first] = barren;
  const before = aboutCalls(traffic.statements ?? []).findLast(({ after }) => first && after < first.id);
  if (before?.records !== serves) return undefined;
  return aboutBarren(traffic, barren).find(({ records }) => records < serves)?.records;
}

/** How a call was answered, in words. */
function answerOf({ status, ended }: Call): string {
  if (ended === 'gone') return 'no answer in time';
  if (ended === 'reset') return 'a connection that was reset';
  return ended === 'cut' ? 'an answer that was cut off' : `status ${status}`;
}

const keeps = (rule: string, what: (barren: Call) => string): Check =>
  whereExamined(rule, (traffic, scenario) => {
    const barren = getCalls(traffic).filter((call) => isTrouble(call, scenario));
    const [first] = barren;
    const held = loss(traffic, scenario.serves, barren);
    if (first && held !== undefined) {
      const seen = `After ${what(first)} the client holds ${held} of ${scenario.serves} records.`;
      return [fails(traffic, barren, seen)];
    }
    if (traffic.ended) return ENDED;
    const isShown = aboutBarren(traffic, barren).length > 0;
    if (!isShown && !statesAll(traffic)) return SAYS_NOTHING; // a library may repeat a call before the client knows
    if (!traffic.statements?.some(({ records }) => records === scenario.serves)) return NEVER_HELD;
    if (barren.length >= FEWEST_BARREN) return [];
    return scenario.isSlow ? undefined : SOON_OVER;
  });

const notModified = whereExamined('not-modified', (traffic, { serves }) => {
  const unchanged = getCalls(traffic).filter(({ status, ended }) => status === 304 && ended === undefined);
  const [first] = unchanged;
  if (!first) return undefined;
  const { statements = [] } = traffic;
  const lost = aboutCalls(statements).find(
    (one) => one.records < serves && statements[statements.indexOf(one) - 1]?.records === serves,
  );
  if (!lost) return statesAll(traffic) ? [] : SAYS_NOTHING;
  return [
    fails(traffic, unchanged, `After status 304 the client holds ${lost.records} of ${serves} records.`),
  ];
});

/** A client with a shorter pause sends one request after the other. */
const SHORTEST_PAUSE_MS = 50;

const survives = perScenario((traffic, evidence) => {
  const scenario = feedScenarioOf(traffic);
  if (!scenario.examines.includes('recovers')) return undefined;
  const found = recovery(
    traffic,
    evidence,
    (call) => isTrouble(call, scenario),
    (call) => isRead(call, scenario),
    patienceMs(traffic),
  );
  return found ?? (scenario.isSlow ? undefined : 'The scenario ended before the client could read again.');
});

/** Judges the reads of a feed that works, if there are enough. */
const perSteadyFeed = (isBroken: (reads: Call[], traffic: ScenarioTraffic) => boolean, seen: string): Check =>
  perScenario((traffic) => {
    const reads = getCalls(traffic);
    if (!isBaseline(traffic) || reads.length < ENOUGH_READS) return undefined;
    return isBroken(reads, traffic)
      ? [warns(traffic, reads, `${several(reads.length, 'read')} ${seen}`)]
      : [];
  });

const hasNoPause = (reads: Call[], traffic: ScenarioTraffic): boolean => {
  const pauses = reads.slice(1).map(({ startMs }, index) => {
    const before = reads[index] as Call;
    return startMs - before.endMs + stalledMs(traffic, before.startMs, before.endMs); // its end was recorded late
  });
  return (median(pauses) ?? 0) < SHORTEST_PAUSE_MS;
};

const checks: Record<string, Check> = {
  'reads-records': readsRecords,
  'checks-content': keeps('checks-content', () => 'an answer that is not a schedule, with status 200,'),
  'not-modified': notModified,
  'keeps-schedule': keeps('keeps-schedule', answerOf),
  recovers: survives,
  'back-off': backOffFrom({ name: 'feed', call: 'request', callsOf: getCalls, isFailure }),
  'retry-after': retryAfterFrom({ callsOf: getCalls }),
  pause: perSteadyFeed(hasNoPause, 'came one after the other, without a pause.'),
  'conditional-request': perSteadyFeed(
    (reads) => !reads.some(({ isConditional }) => isConditional),
    'of the same schedule, and none had If-None-Match or If-Modified-Since.',
  ),
  'no-credentials': perScenario((traffic) => {
    const calls = traffic.calls.filter(
      (call) => call.authorization !== undefined || call.misplaced.length > 0,
    );
    if (calls.length === 0) return [];
    return [warns(traffic, calls, `${several(calls.length, 'request')} carried credentials.`)];
  }),
  'known-paths': perScenario((traffic) => {
    const strays = traffic.calls.filter(({ kind }) => kind === 'other');
    const [first, ...more] = strays;
    if (!first) return [];
    const others = more.length > 0 ? `, and ${several(more.length, 'more request')} like it` : '';
    const seen = `It asked for ${first.method} ${first.path}, which is answered with ${first.status}${others}.`;
    return [warns(traffic, strays, seen)];
  }),
};

/** What a reader is examined on; `profile` is the name of the profile that declares the feed. */
export const feedCatalogue = (profile: string): Catalogue => ({
  rules: rulesFor('readers', checks).map(({ clause, ...rule }) => ({
    ...rule,
    ...(clause !== undefined && { clause: clause.replace('{profile}', profile) }),
  })),
  scenarios: feedScenarios,
});
