/** The rules for readers of a feed: on what a reader holds, next to what it was served, and how it treats the server. */
import { several } from '../report/text.ts';
import { type Catalogue, OF_CLIENTS } from './judge.ts';
import { type Check, type Finding, fails, rulesFor, warns } from './rule.ts';
import { backOffFrom, recovery, retryAfterFrom } from './rules/outages.ts';
import {
  ENOUGH_READS,
  type FeedScenario,
  feedScenarios,
  getCalls,
  isBaseline,
  isFailure,
  isRead,
  isTrouble,
  lastReads,
  patienceMs,
} from './scenarios.ts';
import { type Call, median, overlapOf, type ScenarioTraffic, type Statement, stalledMs } from './traffic.ts';

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

type CheckIn = (traffic: ScenarioTraffic, scenario: FeedScenario) => ReturnType<Check>;

/** Judges the scenarios that exist for a rule. */
const whereExamined =
  (rule: string, judge: CheckIn): Check =>
  (traffic) => {
    const scenario = feedScenarios.find(({ name }) => name === traffic.name);
    return scenario?.examines.includes(rule) ? judge(traffic, scenario) : undefined;
  };

/** Judges what the client holds in them. */
const holding = (rule: string, judge: CheckIn): Check =>
  whereExamined(rule, (traffic, scenario) => (readsAtOnce(traffic) ? AT_ONCE : judge(traffic, scenario)));

const judgeRecords = (traffic: ScenarioTraffic, scenario: FeedScenario): Finding[] | string =>
  judgeLast(traffic, scenario, (reads, later, last) => {
    const { serves, servesAtLast: expected = serves, running = 0 } = scenario;
    const above = traffic.statements?.find(({ records }) => records > serves);
    const isRight = ({ records }: Statement) => records >= expected && records <= expected + running;
    if (!above && later.some(isRight)) return [];
    const seen = `The feed has ${several(expected, 'record')}, and the client holds ${(above ?? last).records} after reading it ${several(reads.length, 'time')}.`;
    return fails(traffic, reads, seen);
  });

/** Judges what the client says that it holds after it has read what the feed has at last. */
function judgeLast(
  traffic: ScenarioTraffic,
  scenario: FeedScenario,
  judge: (reads: Call[], later: Statement[], last: Statement) => Finding[],
): Finding[] | string {
  const { statements = [] } = traffic;
  const reads = lastReads(traffic, scenario);
  const [first] = reads;
  const later = statements.filter(({ after }) => first && after >= first.id); // the first may be about the call before
  const last = later.findLast(({ after }) => first && after > first.id);
  if (!last || reads.length < ENOUGH_READS) return traffic.ended ? ENDED : SAYS_NOTHING;
  return judge(reads, later, last);
}

/** What the client printed after an answer: a line after a failure that did not reach the mock is about no call. */
const aboutCalls = ({ statements = [] }: ScenarioTraffic): Statement[] =>
  statements.filter(({ after }, index) => after > (statements[index - 1]?.after ?? 0));

/** How a call was answered, in words. */
function answerOf({ status, ended }: Call): string {
  if (ended === 'gone') return 'no answer in time';
  if (ended === 'reset') return 'a connection that was reset';
  return ended === 'cut' ? 'an answer that was cut off' : `status ${status}`;
}

const keeps = (rule: string, what: (barren: Call) => string): Check =>
  holding(rule, (traffic, scenario) => {
    const { serves, isSlow } = scenario;
    const barren = getCalls(traffic).filter((call) => isTrouble(call, scenario));
    const [first, last] = [barren[0], barren.at(-1)];
    const stated = aboutCalls(traffic);
    // A client that leaves may print its line before the mock notices: then the line counts as one about the call before.
    const meanwhile = stated.filter(({ after }) => first && last && after > first.id && after <= last.id);
    const before = stated.findLast(({ after }) => first && after < first.id);
    const lost = before?.records === serves && meanwhile.find(({ records }) => records < serves);
    if (first && lost) {
      const seen = `After ${what(first)} the client holds ${lost.records} of ${serves} records.`;
      return fails(traffic, barren, seen);
    }
    if (traffic.ended) return ENDED;
    if (meanwhile.length === 0 && !statesAll(traffic)) return SAYS_NOTHING; // a library may repeat a call before the client knows
    if (!traffic.statements?.some(({ records }) => records === serves)) return NEVER_HELD;
    if (barren.length >= FEWEST_BARREN) return [];
    return isSlow ? undefined : SOON_OVER;
  });

function judgeNotModified(traffic: ScenarioTraffic, { serves }: FeedScenario): ReturnType<Check> {
  const unchanged = getCalls(traffic).filter(({ status, ended }) => status === 304 && ended === undefined);
  if (unchanged.length === 0) return undefined;
  const { statements = [] } = traffic;
  const lost = aboutCalls(traffic).find(
    (one) => one.records < serves && statements[statements.indexOf(one) - 1]?.records === serves,
  );
  if (!lost) return statesAll(traffic) ? [] : SAYS_NOTHING;
  return fails(traffic, unchanged, `After status 304 the client holds ${lost.records} of ${serves} records.`);
}

/** Judges the reads of a feed that works, if there are enough. */
const perSteadyFeed =
  (isBroken: (reads: Call[], traffic: ScenarioTraffic) => boolean, seen: string): Check =>
  (traffic) => {
    const reads = getCalls(traffic);
    if (!isBaseline(traffic) || reads.length < ENOUGH_READS) return undefined;
    return isBroken(reads, traffic) ? warns(traffic, reads, `${several(reads.length, 'read')} ${seen}`) : [];
  };

/** A client with a shorter pause sends one request after the other. */
const SHORTEST_PAUSE_MS = 50;

const hasNoPause = (reads: Call[], traffic: ScenarioTraffic): boolean => {
  const pauses = reads.slice(1).map(({ startMs }, index) => {
    const before = reads[index] as Call;
    return startMs - before.endMs + stalledMs(traffic, before.startMs, before.endMs); // its end was recorded late
  });
  return (median(pauses) ?? 0) < SHORTEST_PAUSE_MS;
};

const checks: Record<string, Check> = {
  'reads-records': holding('reads-records', judgeRecords),
  'keeps-running': holding('keeps-running', (traffic, scenario) =>
    judgeLast(traffic, scenario, (reads, _, { records }) => {
      const before = traffic.statements?.findLast(({ after }) => after < (reads[0]?.id ?? 0));
      if (records > 0 || !before?.records) return [];
      return warns(traffic, reads, 'The client dropped records under way with the feed.');
    }),
  ),
  'checks-content': keeps('checks-content', () => 'an answer that is not a schedule, with status 200,'),
  'not-modified': holding('not-modified', judgeNotModified),
  'keeps-schedule': keeps('keeps-schedule', answerOf),
  recovers: whereExamined('recovers', (traffic, scenario) => {
    const met = (call: Call) => isTrouble(call, scenario);
    const found = recovery(traffic, met, (call) => isRead(call, scenario), patienceMs(traffic));
    return found ?? (scenario.isSlow ? undefined : 'The scenario ended before the client could read again.');
  }),
  'back-off': backOffFrom({ name: 'feed', call: 'request', callsOf: getCalls, isFailure }),
  'retry-after': retryAfterFrom({ callsOf: getCalls }),
  pause: perSteadyFeed(hasNoPause, 'came one after the other, without a pause.'),
  'conditional-request': perSteadyFeed(
    (reads) => !reads.some(({ isConditional }) => isConditional),
    'of the same schedule, and none had If-None-Match or If-Modified-Since.',
  ),
  'no-credentials': (traffic) =>
    warns(
      traffic,
      traffic.calls.filter((call) => call.authorization !== undefined || call.misplaced.length > 0),
      (calls) => `${several(calls.length, 'request')} carried credentials.`,
    ),
};

/** The rules on what a client holds. */
const ON_RECORDS = ['reads-records', 'checks-content', 'not-modified', 'keeps-schedule', 'keeps-running'];

/** What is read: by default the data of the specification, with tokens. */
export interface Subject {
  /** Name of the profile, if it declares records. */
  feed?: string | undefined;
  /** Whether records are read with tokens. */
  hasTokens?: true;
}

/** What a client, or a reader of records, is examined on. */
export function catalogueOf({ feed, hasTokens }: Subject): Catalogue {
  if (feed === undefined) return OF_CLIENTS;
  const rules = rulesFor('readers', checks).map(({ clause, ...rule }) => ({
    ...rule,
    ...(clause !== undefined && { clause: clause.replace('{profile}', feed) }),
  }));
  if (!hasTokens) return { rules, scenarios: feedScenarios };
  return {
    rules: [...OF_CLIENTS.rules, ...rules.filter(({ id }) => ON_RECORDS.includes(id))],
    scenarios: [...OF_CLIENTS.scenarios, ...feedScenarios.filter((one) => !one.isBaseline)],
  };
}
