/**
 * The scenarios that a reader of a feed without tokens is judged in. What happens in a scenario of this name is defined
 * with the mock: a scenario, or a permitted deployment (`rec-…`).
 */
import { MOST_CALLS, type Scenario } from '../scenarios.ts';
import { type Call, isServed, type ScenarioTraffic, type Traffic } from '../traffic.ts';

export interface FeedScenario extends Scenario {
  /** How many records the feed has; at last, where that changes with the 3rd read. */
  serves: number;
  servesAtLast?: number;
  /** How many the mock's schedule has, where it serves them in another number. */
  scheduled?: number;
  /** Name of the mock's scenario, where it is another. */
  plays?: string;
  /** What the reader meets, where that is not what the mock says of its scenario. */
  summary?: string;
  /**
   * What goes wrong from the 3rd read on: no answer, or one that says that there is none; an answer that is not a
   * schedule; one that a reader may take for a schedule or not.
   */
  trouble?: 'failure' | 'content' | 'media-type';
  /** The trouble is that answers are slow: a reader that waits for them, or for long, meets none, or less than others. */
  isSlow?: true;
}

/** Reads that show what a reader holds: what it prints after the first of them has arrived before the third one ends. */
export const ENOUGH_READS = 4;

export const getCalls = ({ calls }: Traffic): Call[] =>
  calls.filter(({ kind, method }) => kind === 'data' && method === 'GET');

/** No answer, or one whose status says that it is not the data. */
export const isFailure = ({ kind, status, ended }: Call): boolean =>
  kind === 'data' && (ended !== undefined || status >= 400);

/** A call that did not bring the schedule, through no fault of the reader. */
export const isTrouble = (call: Call, { trouble }: Pick<FeedScenario, 'trouble'>): boolean =>
  isFailure(call) || (trouble !== undefined && call.kind === 'data' && call.reason === 'script');

/** A call that brought the schedule, or that it has not changed. */
export const isRead = (call: Call, scenario: Pick<FeedScenario, 'trouble'>): boolean =>
  isServed(call) && call.method === 'GET' && !isTrouble(call, scenario);

/** A reader that is silent for longer after trouble has stopped: it may back off, from the pause that it usually makes. */
export function patienceMs(traffic: Traffic): number {
  const [first, second] = getCalls(traffic);
  const pauseMs = first && second ? second.startMs - first.endMs : 0;
  return Math.max(12_000, 10 * pauseMs);
}

/** The number of the read with which something changes. */
const TURNING_POINT = 3;

/** The reads that brought what the feed has at last. */
export function lastReads(traffic: Traffic, scenario: FeedScenario): Call[] {
  const gets = getCalls(traffic);
  const changes = scenario.trouble !== undefined || scenario.servesAtLast !== undefined;
  const turn = changes ? gets[TURNING_POINT - 1] : gets[0];
  if (!turn) return [];
  const last = gets.findLast((call) => isTrouble(call, scenario)) ?? turn;
  return gets.filter((call) => call.id >= last.id && isRead(call, scenario));
}

function scenario(
  given: Pick<FeedScenario, 'name' | 'examines' | 'waitsFor'> & Partial<FeedScenario>,
): FeedScenario {
  const made: FeedScenario = {
    serves: 20,
    agreedSeconds: 900, // there are no tokens
    ...given,
    isOver(traffic) {
      const { calls, durationMs } = traffic;
      const last = calls.at(-1);
      return (
        lastReads(traffic, made).length >= ENOUGH_READS ||
        calls.length >= MOST_CALLS ||
        (last !== undefined &&
          durationMs - last.endMs > patienceMs(traffic) &&
          calls.some((call) => isTrouble(call, made)))
      );
    },
  };
  return made;
}

const READS = 'four reads';
const BACK = 'four reads after the trouble';

/** Three records, of which one changes. */
const changing = (name: string, servesAtLast = 3): FeedScenario =>
  scenario({
    name,
    serves: 3,
    servesAtLast,
    examines: ['reads-records'],
    waitsFor: 'four reads of the changed records',
  });

/** Serves the schedule in another permitted form. */
const permitted = (name: string, more: Partial<FeedScenario> = {}): FeedScenario =>
  scenario({ ...more, name, examines: ['reads-records'], waitsFor: READS });

const failing = (name: string, more: Partial<FeedScenario> = {}): FeedScenario =>
  scenario({ name, trouble: 'failure', examines: ['keeps-schedule', 'recovers'], waitsFor: BACK, ...more });

const other = (name: string): FeedScenario =>
  scenario({ name, trouble: 'content', examines: ['checks-content', 'recovers'], waitsFor: BACK });

export const feedScenarios: readonly FeedScenario[] = [
  scenario({
    name: 'steady',
    summary: 'nothing goes wrong',
    isBaseline: true,
    examines: ['reads-records', 'not-modified', 'conditional-request', 'pause'],
    waitsFor: READS,
  }),
  scenario({
    name: 'data-emptied',
    servesAtLast: 0,
    examines: ['reads-records'],
    waitsFor: 'four reads of no records',
  }),
  changing('data-cancelled', 2),
  changing('data-extended'),
  changing('data-slid'),
  changing('data-republished'),
  permitted('thousand-records', {
    serves: 1000,
    plays: 'steady',
    summary: 'the feed has a thousand records',
  }),
  permitted('rec-optional-null'),
  permitted('rec-optional-left-out'),
  permitted('rec-z-times'),
  permitted('rec-whole-seconds'),
  permitted('rec-several-bands', { serves: 40, scheduled: 20 }),
  failing('data-500'),
  failing('data-404'),
  failing('data-resets'),
  failing('data-cut'),
  failing('data-503', { examines: ['keeps-schedule', 'retry-after', 'recovers'] }),
  failing('data-timeout', { isSlow: true, waitsFor: 'four reads after the slow ones' }),
  other('data-error'),
  other('data-html'),
  other('data-array'),
  scenario({ name: 'data-text', trouble: 'media-type', examines: ['recovers'], waitsFor: BACK }),
];

/** The scenario that was played. */
export function feedScenarioOf({ name }: Pick<ScenarioTraffic, 'name'>): FeedScenario {
  const found = feedScenarios.find((one) => one.name === name);
  if (!found) throw new Error(`There is no scenario "${name}" for readers of a feed.`);
  return found;
}
