/**
 * The scenarios that a client, or a reader of a feed, is judged in: what was agreed, what the rules may conclude, and when all
 * has been seen. What happens in a scenario of this name is defined with the mock, as a scenario, or as a permitted deployment
 * (`rec-…`).
 */
import {
  type Call,
  dataCalls,
  endOf,
  heldAtStart,
  isIssue,
  isOutage,
  isRefused,
  isServed,
  overdueFrom,
  overlapOf,
  recoveryMs,
  refusedSinceGivingUp,
  type ScenarioTraffic,
  silentMs,
  type Traffic,
  tokenCalls,
} from './traffic.ts';

export interface Scenario {
  name: string;
  /** The token lifetime that the client is given. */
  agreedSeconds: number;
  /** Nothing goes wrong: it shows the client's usual pace. */
  isBaseline?: true;
  /** Ids of the rules that it exists for: without its end, they could not be judged. */
  examines: readonly string[];
  /** A client that ends on a refused read has shown that it does not go on: what the scenario exists for. */
  mayEnd?: true;
  /** What the client meets in it too, without a scenario of its own: a form that the specification leaves open. */
  form?: Form;
  /** Whether all that it is for has been seen. */
  isOver(traffic: ScenarioTraffic): boolean;
}

/** In words, and as the name of a permitted deployment, the path of the base URL, or the end of the client id and of the secret. */
interface Form {
  says: string;
  variant?: string;
  basePath?: string;
  suffix?: string;
}

/** A HEAD brings no data: it is not the read that a scenario waits for. */
const isReadServed = (call: Call): boolean => isServed(call) && call.method !== 'HEAD';

/** More calls than these show nothing new. */
export const ENOUGH_CALLS = 1500;

const sinceLast = (call: Call | undefined, nowMs: number): number => (call ? nowMs - call.endMs : 0);

/**
 * The client goes on for long with a refused token, although by its own clock it should have renewed it, and not because its
 * token requests fail.
 */
function isStuck(traffic: ScenarioTraffic): boolean {
  const { calls, lives, durationMs: nowMs, agreedSeconds } = traffic;
  if (calls.length >= ENOUGH_CALLS || refusedSinceGivingUp(traffic).length > 0) return true;
  const lastServed = calls.findLast(isServed)?.id ?? 0;
  const asked = tokenCalls(traffic).at(-1);
  if (asked && asked.id > lastServed && isOutage(asked)) return false;
  const overdue = calls.filter((call) => {
    const life = lives.find(({ number }) => number === call.token);
    return isRefused(call) && call.id > lastServed && life && call.atMs > overdueFrom(life, agreedSeconds);
  });
  return overdue.length >= 3 && silentMs(traffic, overdue[0]?.endMs ?? nowMs) >= PATIENCE_MS;
}

/** No read is served, and the client goes on asking: more of it would show nothing. */
export const isHopeless = ({ calls, durationMs }: Traffic): boolean =>
  durationMs > 5000 && calls.filter(({ kind }) => kind !== 'health').length >= 4 && !calls.some(isReadServed);

/** A scenario may delay a token for two seconds, and reads that wait in a queue are refused one after the other. */
const PATIENCE_MS = 3000;

type Row = Omit<Scenario, 'name'>;

/** This many tokens have reached their end, and the client reads on. */
const readsOnAfter = (tokens: number): Pick<Row, 'isOver'> => ({
  isOver(traffic) {
    const { calls, durationMs: nowMs } = traffic;
    const lives = traffic.lives.filter((life) => endOf(life) > 0); // others were over before it began
    const past = lives.filter((life) => endOf(life) <= nowMs).length;
    const used = new Set(calls.filter(isReadServed).map(({ token }) => token)).size;
    const [first] = lives;
    const isPast = first && nowMs > first.issuedMs + tokens * (first.expiresMs - first.issuedMs);
    const last = lives[tokens - 1];
    const after = calls.filter((call) => isReadServed(call) && last && call.atMs > endOf(last));
    const refused = new Set(calls.filter(isRefused).map(({ token }) => token)).size;
    return (
      (Boolean(isPast) && past >= tokens && used > tokens && after.length >= 2) ||
      (past >= tokens + 2 && refused >= tokens) || // it renews in time by its clock, and its reads meet dead tokens
      isStuck(traffic)
    );
  },
});

/** A token was ended or had expired, and the client reads with a newer one, whether it met the refusal or not. */
const isBackAfterEnd: Scenario['isOver'] = (traffic) => {
  const { calls, lives, durationMs } = traffic;
  const refused = new Set(calls.filter(isRefused).map(({ token }) => token));
  const ended =
    lives.find(({ endedMs, number }) => endedMs !== undefined || refused.has(number)) ??
    lives.find((life) => endOf(life) <= durationMs);
  const after = calls.filter((call) => isReadServed(call) && ended && (call.token ?? 0) > ended.number);
  const issue = calls.find((call) => isIssue(call) && ended && (call.token ?? 0) > ended.number);
  const isBack = issue !== undefined && after.length >= 3 && sinceLast(issue, durationMs) >= 500;
  return isBack || isStuck(traffic);
};

/** The token request that is disturbed has brought a token at last, and three reads were made since. */
const isBackAfterRenewal: Scenario['isOver'] = (traffic) => {
  const { calls, processes, durationMs: nowMs } = traffic;
  const first = Math.max(0, processes - heldAtStart(traffic).length);
  const issue = tokenCalls(traffic).slice(first).find(isIssue);
  const served = calls.filter((call) => isReadServed(call) && issue && call.startMs >= issue.endMs);
  const isBack = served.length >= 3 && sinceLast(issue, nowMs) >= 500;
  return isBack || isStuck(traffic);
};

/** Whether no token is on its way to another caller any more: a number that is missing belongs to one still to come. */
const haveAllArrived = (traffic: Traffic): boolean => {
  const reads = dataCalls(traffic);
  const first = tokenCalls(traffic).find((call) => isIssue(call) && call.startMs > (reads[0]?.endMs ?? 0));
  const numbers = tokenCalls(traffic).flatMap(({ token }) => token ?? []);
  const isAnyMissing = new Set(numbers).size <= Math.max(...numbers) - Math.min(...numbers);
  const waitMs = isAnyMissing ? PATIENCE_MS : overlapOf(reads) > 1 ? 1200 : 0;
  return traffic.calls.length >= ENOUGH_CALLS || !first || sinceLast(first, traffic.durationMs) >= waitMs;
};

/** A read has failed in this way, and three reads were served since. */
const backAfterRead = (hasFailed: (call: Call) => boolean): Row => ({
  agreedSeconds: 900,
  examines: ['token-reuse', 'recovers'],
  isOver(traffic) {
    const { calls, durationMs: nowMs } = traffic;
    const failed = dataCalls(traffic).find(hasFailed);
    const after = calls.filter((call) => isReadServed(call) && failed && call.startMs > failed.endMs);
    return (
      after.length >= 3 || sinceLast(failed, nowMs) > recoveryMs(traffic) || calls.length >= ENOUGH_CALLS
    );
  },
});

/** The scenario ends the token before its time. */
const backAfterEnd: Row = { agreedSeconds: 6, examines: ['renewal'], isOver: isBackAfterEnd };

/** The renewal of the token is disturbed. */
const backAfterRenewal = (disturbs: string): Row => ({
  agreedSeconds: 3,
  examines: [disturbs, 'recovers'],
  isOver: isBackAfterRenewal,
});

const RENEWING = ['renewal', 'retry', 'dead-token'];

const rows: Readonly<Record<string, Row>> = {
  steady: {
    agreedSeconds: 900,
    examines: ['token-reuse'],
    isBaseline: true,
    isOver({ calls, durationMs: nowMs }) {
      const served = calls.filter(isReadServed);
      const forMs = nowMs - (served[0]?.startMs ?? 0);
      // A client that counts the reads of a token may replace it at a round number. One that reads slowly is not waited for.
      const isEnough = (served.length > 40 && forMs >= 6000) || (served.length >= 6 && forMs >= 9000);
      return isEnough || calls.length >= ENOUGH_CALLS;
    },
  },
  'odd-secret': {
    agreedSeconds: 900,
    examines: ['form-fields'],
    form: { says: 'the client id and the secret also contain a space and a slash', suffix: ' +/%26&=' },
    isOver: ({ calls }) => calls.filter(isReadServed).length >= 2 || calls.length >= ENOUGH_CALLS,
  },
  expires: {
    ...{ agreedSeconds: 3, examines: RENEWING, ...readsOnAfter(1) },
    form: { says: 'tokens have 1,500 characters', variant: 'token-1500' },
  },
  'expires-again': { agreedSeconds: 2, examines: RENEWING, ...readsOnAfter(3) },
  'shorter-than-agreed': {
    ...{ agreedSeconds: 6, examines: ['renewal', 'retry'], ...readsOnAfter(2) },
    form: { says: 'tokens contain - . _ ~ + / and =', variant: 'token-special-characters' },
  },
  'ended-early': {
    ...{ ...backAfterEnd, examines: ['renewal', 'retry'] },
    form: { says: 'tokens have three parts, like a JWT', variant: 'token-jwt' },
  },
  parallel: {
    ...backAfterEnd,
    examines: ['renewal', 'token-reuse'],
    isOver: (traffic) => isBackAfterEnd(traffic) && haveAllArrived(traffic),
  },
  '403-stays': {
    agreedSeconds: 900,
    examines: ['no-loop'],
    mayEnd: true,
    isOver(traffic) {
      const nowMs = traffic.durationMs;
      const refused = dataCalls(traffic).filter(isRefused);
      const since = refused[0] ? nowMs - refused[0].endMs : 0;
      // A client that asks for a token at each refusal may be in a loop, and pause in it.
      const isRepeated = new Set(refused.map(({ token }) => token)).size < refused.length;
      return (
        (since >= 4000 && refused.length >= 4 && isRepeated) ||
        since >= 10_000 ||
        traffic.calls.length >= ENOUGH_CALLS
      );
    },
  },
  '403-empty': { ...backAfterEnd, form: { says: 'the base URL has a path', basePath: '/api/v1' } },
  '403-html': {
    ...backAfterEnd,
    form: {
      says: 'the token response is JSON in several lines, with an escaped slash',
      variant: 'token-response-in-lines',
    },
  },
  'token-down': backAfterRenewal('back-off'),
  'token-429': backAfterRenewal('retry-after'),
  'token-slow': {
    ...backAfterRenewal('dead-token'),
    isOver: (traffic) => isBackAfterRenewal(traffic) && haveAllArrived(traffic),
  },
  'data-500-once': backAfterRead(({ status }) => status >= 500),
  'data-reset': backAfterRead(({ ended }) => ended === 'reset'),
};

export const scenarios: readonly Scenario[] = Object.entries(rows).map(([name, row]) => ({ name, ...row }));

/** Whether nothing goes wrong in the scenario with this name. */
export const isBaseline = ({ name }: { name: string }): boolean =>
  scenarios.some((one) => one.name === name && one.isBaseline === true);

// Readers of a feed without tokens.

export interface FeedScenario extends Scenario {
  /** How many records the feed has; at last, where that changes with the 3rd read. */
  serves: number;
  servesAtLast?: number;
  /** At most how many of the records that it has no longer are under way: the mock has a site for each three records. */
  running?: number;
  /** How many the mock's schedule has, where it serves them in another number. */
  scheduled?: number;
  /** What the reader meets, where the mock plays no scenario of this name to it. */
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
export const isTrouble = (call: Call, { trouble }: FeedScenario): boolean =>
  isFailure(call) || (trouble !== undefined && call.kind === 'data' && call.reason === 'script');

/** A call that brought the schedule, or that it has not changed. */
export const isRead = (call: Call, scenario: FeedScenario): boolean =>
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

type FeedRow = Pick<FeedScenario, 'examines'> & Partial<FeedScenario>;

/** Serves the schedule in another permitted form. */
const PERMITTED: FeedRow = { examines: ['reads-records'] };
/** Three records, of which one changes. */
const CHANGING: FeedRow = { ...PERMITTED, serves: 3, servesAtLast: 3 };
const FAILING: FeedRow = { trouble: 'failure', examines: ['keeps-schedule', 'recovers'] };
const OTHER: FeedRow = { trouble: 'content', examines: ['checks-content', 'recovers'] };

const feedRows: Readonly<Record<string, FeedRow>> = {
  steady: {
    ...PERMITTED,
    summary: 'nothing goes wrong',
    isBaseline: true,
    examines: ['reads-records', 'not-modified', 'conditional-request', 'pause'],
  },
  'data-emptied': { examines: ['reads-records', 'keeps-running'], servesAtLast: 0, running: 7 },
  'data-cancelled': { ...CHANGING, servesAtLast: 2 },
  'data-extended': CHANGING,
  'data-slid': CHANGING,
  'data-republished': CHANGING,
  'thousand-records': {
    ...PERMITTED,
    serves: 1000,
    summary: 'the feed has a thousand records',
  },
  'rec-optional-null': PERMITTED,
  'rec-optional-left-out': PERMITTED,
  'rec-z-times': PERMITTED,
  'rec-whole-seconds': PERMITTED,
  'rec-several-bands': { ...PERMITTED, serves: 40, scheduled: 20 },
  'data-500': FAILING,
  'data-404': FAILING,
  'data-resets': FAILING,
  'data-cut': FAILING,
  'data-503': { ...FAILING, examines: ['keeps-schedule', 'retry-after', 'recovers'] },
  'data-timeout': { ...FAILING, isSlow: true },
  'data-error': OTHER,
  'data-html': OTHER,
  'data-array': OTHER,
  'data-text': { ...FAILING, trouble: 'media-type', examines: ['recovers'] },
};

export const feedScenarios = Object.entries(feedRows).map(([name, row]) => {
  const scenario: FeedScenario = {
    ...{ name, serves: 20, agreedSeconds: 900 }, // there are no tokens
    ...row,
    isOver(traffic) {
      const { calls, durationMs } = traffic;
      return (
        lastReads(traffic, scenario).length >= ENOUGH_READS ||
        calls.length >= ENOUGH_CALLS ||
        (durationMs - (calls.at(-1)?.endMs ?? durationMs) > patienceMs(traffic) &&
          calls.some((call) => isTrouble(call, scenario)))
      );
    },
  };
  return scenario;
});
