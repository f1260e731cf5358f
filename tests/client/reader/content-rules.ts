/** What a reader of a feed holds, next to what it was served. */
import type { Finding } from '../certificate.ts';
import { fails, perScenario, type Rule, several } from '../rule.ts';
import { overlapOf, type ScenarioTraffic, type Statement } from '../scenario-traffic.ts';
import type { Call } from '../traffic.ts';
import {
  ENOUGH_READS,
  type FeedScenario,
  feedScenarioOf,
  getCalls,
  isTrouble,
  lastReads,
} from './feed-scenarios.ts';

const SAYS_NOTHING =
  'The client did not print how many records it holds. Let it print a line such as {"records": 20} to standard output ' +
  'after each answer and each failure, and flush it.';

const NOT_EXAMINED = 'No scenario of this run examines this: leave out --scenario, or name more scenarios.';

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
): Rule['judge'] =>
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

const keeps = (rule: string, what: (barren: Call) => string): Rule['judge'] =>
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

/** `profile` declares what a record is, and where the list of them is. */
export const contentRules = (profile: string): readonly Rule[] => [
  {
    id: 'reads-records',
    clause: `MRS-2b@${profile}`,
    severity: 'wrong-data',
    statement:
      'The client holds every record of the feed, in each form that the profile permits, and no other.',
    advice:
      'Accept what the schema of a record permits: optional members may be null or absent, times may end with Z and may ' +
      'have no fraction of a second, one observation may have several bands, and a list may be empty, which means that ' +
      'nothing is observed. Identify a record by its site, source, times as instants, and band. `mrs profile show` prints ' +
      'the schema. Count what was read from the feed, before the client filters it.',
    required: true,
    untried: NOT_EXAMINED,
    judge: readsRecords,
  },
  {
    id: 'checks-content',
    clause: `MRS-2b@${profile}`,
    severity: 'wrong-data',
    statement:
      'An answer without the list of records is a failure, not an empty schedule, whatever its status.',
    advice:
      'Check that the body is a JSON object with the list of records before using it, and keep the last good schedule if ' +
      'it is not. A default for a missing member, such as get("ods_data", []), turns an error object into a schedule without ' +
      'observations, and protections are then removed while telescopes observe.',
    required: true,
    untried: NOT_EXAMINED,
    judge: keeps('checks-content', () => 'an answer that is not a schedule, with status 200,'),
  },
  {
    id: 'not-modified',
    clause: 'RFC 9110 section 15.4.5',
    severity: 'wrong-data',
    statement: 'After 304, the client still holds the schedule that it has.',
    advice:
      'Treat 304 as the answer "what you have is current": keep the schedule, and do not parse the body, which is empty.',
    untried: 'The client sent no conditional request, so it was never answered with 304.',
    judge: notModified,
  },
  {
    id: 'keeps-schedule',
    clause: 'RFC 9110 section 15',
    severity: 'wrong-data',
    statement:
      'A failed request leaves the schedule as it is: a client does not read the body of a 4xx or 5xx as data.',
    advice:
      'Check the status before the body, let a timeout or a broken connection raise an error, and on any failure keep the ' +
      'last good schedule. Let records end by their own end times. An incomplete body is incomplete (RFC 9112 section 8).',
    required: true,
    untried: NOT_EXAMINED,
    judge: keeps('keeps-schedule', answerOf),
  },
];
