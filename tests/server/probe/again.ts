/** What had no decision is sent again: at the beginning before its token expires, and once at the end of a run. */
import {
  earlyRows,
  expiryRows,
  type ProbeRow,
  renewalRows,
  rowsAfterRenewal,
  type TokenRow,
  WATCH,
} from '../requests.ts';
import { refusedAlike } from '../support/bans.ts';
import { dataAnswers, decidedHealth, hasNoDecision, ifSent, settled } from '../support/condition.ts';
import { hasStatus, isAnswered, isRefused, isServed, type Probe } from '../support/evidence.ts';
import type { PlannedRow, Session } from './session.ts';

/** How long a run waits for a deployment that gives no decisions, between one request and the next. */
const PAUSES_SECONDS = [1, 2, 4, 8];
/** How long a run waits for a deployment that limits requests without Retry-After, and how often. */
const LIMIT_SECONDS = 60;
const MOST_WAITS = 3;
/** While a deployment starts. */
const LONGEST_PAUSE_SECONDS = 15;
/** Between two requests that are sent again. */
const PACE_SECONDS = 0.2;

/** Those whose answers a verdict needs, after the beginning of a run. */
const neededRows: readonly PlannedRow[] = [
  ...earlyRows,
  ...expiryRows.filter(({ key }) => key !== 'data.late'),
  ...renewalRows,
  ...rowsAfterRenewal,
].filter(({ key }) => !key.startsWith('open.'));

/** Waits for a deployment that is starting: until it gives an answer other than 502, 503 or 504. The evidence has nothing of this. */
export async function awaitStart(session: Session): Promise<void> {
  const { clock, target } = session.run;
  const endMs = clock.now() + (target.waitSeconds ?? 0) * 1000;
  for (let seconds = 1; clock.now() < endMs; seconds = Math.min(2 * seconds, LONGEST_PAUSE_SECONDS)) {
    const probe = await session.ask('the data without a token, before the run', {});
    session.resume();
    if (isAnswered(probe) && !hasStatus(probe, 502, 503, 504)) return;
    session.extend(seconds + ('id' in probe ? probe.durationMs / 1000 : 0));
    await pause(session, seconds, 'start');
  }
}

/** What a run cannot do without, where it had no decision: a first token, and the reads that take place before its end. */
export async function settle(session: Session, rows: readonly PlannedRow[]): Promise<void> {
  const [first, ...others] = rows;
  for (const seconds of PAUSES_SECONDS.slice(0, 3)) {
    const undecided = openRows(session, rows);
    if (!first || undecided.length === 0 || isOutOfReach(session.probes[first.key])) return;
    await pause(session, seconds);
    for (const row of undecided) if (!(await repeat(session, row))) break;
    // The reads take the token of the form.
    if (!('post' in first) || !undecided.includes(first)) continue;
    session.repeated.push(...ifSent(...others.map(({ key }) => session.probes[key])));
    await session.sendAll(others);
  }
}

/** Where the deployment is well by now. */
export async function sendAgain(session: Session): Promise<void> {
  const { probes, refusedTokens, health, repeated, run } = session;
  const isOpen =
    openRows(session, neededRows).length > 0 ||
    ifSent(...refusedTokens).some((probe) => 'verdict' in settled(probe)) ||
    health.some(({ plain }) => isFault(session, plain));
  if (!isOpen || dataAnswers(session).length === 0 || !(await isWell(session))) return;
  const reissued = new Set<PlannedRow>();
  const isWrongSecret = (row: ProbeRow) => Number('wrongSecret' in row);
  const undecided = openRows(session, neededRows);
  const open = neededRows.filter((row) => undecided.includes(row) || ifSent(probes[row.key]).length === 0);
  // A client that is locked gets no token, though it reads the data with an earlier one.
  const areFormsOpen = refusedAlike(session).some(({ request }) => request.method === 'POST');
  const isLocked = areFormsOpen && !(await session.renew());
  const rows = open.filter((row) => 'by' in row || !isLocked);
  let waits = MOST_WAITS;
  for (const row of rows.toSorted((a, b) => isWrongSecret(a) - isWrongSecret(b))) {
    await sendOnce(row);
    if (waits === 0 || !hasStatus(probes[row.key], 429)) continue;
    await pause(session, LIMIT_SECONDS);
    session.extend(LIMIT_SECONDS);
    await sendOnce(row);
    waits = hasStatus(probes[row.key], 429) ? 0 : waits - 1;
  }
  for (const [nth, check] of run.target.healthPaths.entries())
    if (isFault(session, health[nth]?.plain)) {
      repeated.push(...Object.values(health[nth] ?? {}));
      health[nth] = await session.checkHealth(check, session.newest);
    }
  if (areFormsOpen) await session.renew();
  await watch(session, 'after other requests were sent again');

  async function sendOnce(row: PlannedRow): Promise<void> {
    // An older token may have expired, or lost its place to a newer one.
    const needed = 'by' in row ? neededRows.find((one) => isIssuing(one) && one.issues === row.by) : row;
    if (!needed || !isIssuing(needed)) await repeat(session, row);
    else if (reissued.has(needed) || (await reissue(session, needed))) {
      reissued.add(needed);
      if (needed !== row) await repeat(session, row);
    }
  }
}

const isIssuing = (row: PlannedRow): row is PlannedRow & TokenRow & { issues: string } =>
  'post' in row && row.issues !== undefined;

/** Whether the row has issued its token once more. */
async function reissue(session: Session, row: PlannedRow & TokenRow): Promise<boolean> {
  const isIssued = (await repeat(session, row)) && isServed(session.probes[row.key]);
  const token = row.issues && session.tokens[row.issues];
  if (isIssued && token !== undefined) session.keep('newest', token);
  return isIssued && token !== undefined;
}

/** Sends the requests of these rows, and again at once where an answer has no decision: their token is about to end. */
export async function sendAtOnce(session: Session, rows: readonly PlannedRow[]): Promise<void> {
  await session.sendAll(rows);
  for (const row of rows) if (isUndecided(session, row)) await repeat(session, row);
}

/** Sends the request of a row again. Whether the answer has a decision now. */
async function repeat(session: Session, row: PlannedRow): Promise<boolean> {
  const { probes, repeated, run } = session;
  const before = ifSent(probes[row.key]);
  if (before.length > 0) await run.clock.sleep(PACE_SECONDS * 1000);
  const probe = await session.sendRow(row);
  // By now it may be known that this deployment gives no occasion for it.
  if (!('id' in probe) && before.length === 0) probes[row.key] = probe;
  if (!('id' in probe)) return false;
  repeated.push(...before);
  probes[row.key] = before.length > 0 ? { ...probe, again: true } : probe;
  return openRows(session, [row]).length === 0;
}

/** Waits for a deployment that is out of order or limits requests, until it serves the data with a valid token. */
async function isWell(session: Session): Promise<boolean> {
  let isRenewed = false;
  const what = 'before other requests are sent again';
  let answer: Probe | undefined;
  for (const seconds of [0, ...PAUSES_SECONDS]) {
    // A limit is counted by the minute.
    const isLimited = hasStatus(answer, 429) && seconds === PAUSES_SECONDS.at(-1);
    if (isLimited) session.extend(LIMIT_SECONDS);
    if (seconds > 0) await pause(session, isLimited ? LIMIT_SECONDS : seconds);
    session.resume();
    answer = await watch(session, what);
    if (isServed(answer)) return true;
    if ('notSent' in answer) return false;
    // The token may have ended with the client's bad ones.
    if (!isRefused(answer) || isRenewed) continue;
    isRenewed = true;
    await session.renew();
    if (isServed(await watch(session, what))) return true;
  }
  return false;
}

async function watch(session: Session, when: string): Promise<Probe> {
  const probe = await session.readLive(WATCH + when);
  session.repeated.push(probe);
  return probe;
}

async function pause({ run }: Session, seconds: number, to = 'recover'): Promise<void> {
  run.progress(`waiting ${seconds} s for the deployment to ${to}`);
  await run.clock.sleep(seconds * 1000);
}

/** Those of these rows whose answer decides nothing. */
function openRows(session: Session, rows: readonly PlannedRow[]): PlannedRow[] {
  const alike = new Set<Probe | undefined>(refusedAlike(session));
  return rows.filter((row) => isUndecided(session, row) || alike.has(session.probes[row.key]));
}

const isUndecided = ({ probes }: Session, row: PlannedRow): boolean =>
  ifSent(probes[row.key]).some((one) => hasNoDecision(row, one));

/** Whether nothing of the deployment was ever reached: most often, the base URL is wrong. */
const isOutOfReach = (probe: Probe | undefined): boolean =>
  probe !== undefined && 'id' in probe && /^(un.*|proxy|tls)$/.test(probe.failureCode ?? '');

const isFault = (session: Session, probe: Probe | undefined): boolean =>
  ifSent(probe).some((one) => 'verdict' in decidedHealth(one)) || isRefusedAlike(session, probe);

const isRefusedAlike = (session: Session, probe: Probe | undefined): boolean =>
  refusedAlike(session).some((one) => one === probe);
