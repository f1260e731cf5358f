/**
 * How a run comes by an expired token: it waits until a short lifetime has passed, or any by the clock of our own mock;
 * otherwise it takes a token that the operator says has expired.
 */
import { endOfWatch, firstMomentOf, lastMomentOf } from '../../support/clock.ts';
import { nameOf } from '../../support/option-table.ts';
import { expiryRows, type ProbeKey, requests, secondExpiryRows } from '../requests.ts';
import { dataAnswers } from '../support/condition.ts';
import { type ExpiryEvidence, hasStatus, isRefused, isServed, notSent } from '../support/evidence.ts';
import { sendAtOnce } from './again.ts';
import { DEPLOYMENT_OPTIONS } from './options.ts';
import type { Session } from './session.ts';
import type { Target } from './target.ts';

type ExpiryWay =
  | { kind: 'waited'; lifetimeSeconds: number }
  | { kind: 'asserted'; token: string }
  | { kind: 'none'; reason: string };

/** Decided before anything is sent. */
export function expiryWay(target: Target): ExpiryWay {
  const { tokenLifetimeSeconds: lifetime, maxWaitSeconds, expiredToken, mockControlKey } = target;
  if (lifetime !== undefined && (mockControlKey || lifetime <= maxWaitSeconds))
    return { kind: 'waited', lifetimeSeconds: lifetime };
  if (expiredToken !== undefined) return { kind: 'asserted', token: expiredToken };
  const reason =
    lifetime === undefined
      ? `No expired token is at hand. Set ${nameOf(DEPLOYMENT_OPTIONS.tokenLifetime)} to the agreed lifetime, as 60 (seconds) or 15m.`
      : `A lifetime of ${lifetime} s is longer than the ${maxWaitSeconds} s that are waited. Set ${nameOf(DEPLOYMENT_OPTIONS.maxWait)} to ` +
        `${lifetime}, or MRS_EXPIRED_TOKEN to a token that has expired.`;
  return { kind: 'none', reason };
}

const whatOf = (key: ProbeKey): string => requests.find((row) => row.key === key)?.what ?? key;
const lateRows = expiryRows.filter(({ key }) => key === 'data.late');
const WHAT = whatOf('data.expiredToken');

/** Sends the token of the run to its end and beyond: fills in what became of that, and returns how it expired. */
export async function observeExpiry(session: Session): Promise<ExpiryEvidence> {
  const { run, probes, tokens } = session;
  const way = expiryWay(run.target);
  const none = 'No token was accepted that could expire (see MRS-4.1a, MRS-2a and MRS-4.2a).';
  const given = expiryRows.filter(({ key }) => key === 'data.givenToken');
  await session.sendAll(given); // Without a token yet: so the evidence has why it is not sent.
  probes['data.late'] = notSent(whatOf('data.late'), 'No lifetime was waited for.');
  probes['data.expiredToken'] = notSent(WHAT, way.kind === 'none' ? way.reason : none);
  if (way.kind === 'none') return { kind: 'none' };
  if (way.kind === 'asserted') {
    tokens.expired = way.token;
    probes['data.expiredToken'] = await session.ask(WHAT, { token: way.token });
    return { kind: 'asserted' };
  }
  if (tokens.first === undefined || dataAnswers(session).length === 0) return { kind: 'none' };
  tokens.expired = tokens.first;
  const expiry = { ...way, ...(await watchPastExpiry(session, tokens.first, way.lifetimeSeconds)) };
  if (run.target.expiredToken) tokens.given = run.target.expiredToken;
  await session.sendAll(given);
  return expiry;
}

/**
 * Sends the newest token after its end, if the first one ended as it must, the deployment is well, and both lifetimes fit into
 * `maxWaitSeconds`. Then sends the first one once more, unless the wrong secrets have ended the tokens that were issued before.
 */
export async function observeSecondExpiry(session: Session, expiry: ExpiryEvidence): Promise<void> {
  const { probes, newest: token, newestAtMs, tokens, run } = session;
  const { maxWaitSeconds, mockControlKey } = run.target;
  if (expiry.kind !== 'waited' || expiry.late || token === undefined) return;
  if (!isRefused(probes['data.expiredToken']) || !isServed(probes['data.end'])) return;
  if (!mockControlKey && 2 * expiry.lifetimeSeconds > maxWaitSeconds) return;
  await waitForAge(session, newestAtMs, lastMomentOf(expiry.lifetimeSeconds));
  if (!(await isExpired('data.newestExpired', token)) || tokens.another === undefined) return;
  if (await isExpired('data.anotherExpired', tokens.another))
    await session.sendAll(secondExpiryRows.filter(({ key }) => key === 'data.expiredLongAgo'));

  async function isExpired(key: ProbeKey, token: string): Promise<boolean> {
    probes[key] = await session.ask(whatOf(key), { token });
    return hasStatus(probes[key], 403);
  }
}

/** How often a token that outlives its lifetime is sent. */
const WATCHES = 6;

/**
 * Asks once before the first moment at which the token may expire, and once after the last: not sooner, since a deployment may
 * let a token pass once more when it is over. Of a token that is still accepted, asks whether it expires at all.
 */
async function watchPastExpiry(session: Session, token: string, lifetimeSeconds: number) {
  const { run, probes, repeated } = session;
  const { clock } = run;
  const age = () => (clock.now() - session.firstAtMs) / 1000;
  const waitFor = (seconds: number) => waitForAge(session, session.firstAtMs, seconds);

  const first = firstMomentOf(lifetimeSeconds);
  if (age() < first) {
    await waitFor(first);
    await sendAtOnce(session, lateRows);
  }
  let answer = await ask(lastMomentOf(lifetimeSeconds));

  // What is accepted after its end is watched until it is refused: then the stated lifetime and the deployment differ, and
  // a run cannot know which of them is wrong. Another answer ends the watch, and does not undo that it was accepted.
  const end = endOfWatch(lifetimeSeconds);
  const start = answer.ageSeconds;
  let late = {};
  for (let nth = 1; isServed(answer.probe) && answer.sentAtSeconds < end; nth++) {
    const next = await ask(nth < WATCHES ? start * (end / start) ** (nth / WATCHES) : end);
    const isDecided = isServed(next.probe) || isRefused(next.probe);
    repeated.push((isDecided ? answer : next).probe);
    if (!isDecided) break;
    if (isRefused(next.probe)) {
      late = {
        late: {
          acceptedSeconds: rounded(answer.sentAtSeconds),
          refusedSeconds: rounded(next.ageSeconds),
        },
      };
      // All replicas of a deployment must refuse it when it is sent again, whatever their clocks.
      await waitFor(lastMomentOf(next.ageSeconds));
    }
    answer = next;
  }
  probes['data.expiredToken'] = answer.probe;
  return { ageSeconds: rounded(answer.ageSeconds), ...late };

  /** When the token has this age, and not before. */
  async function ask(atSeconds: number) {
    await waitFor(atSeconds);
    const sentAtSeconds = age();
    return { probe: await session.ask(WHAT, { token }), sentAtSeconds, ageSeconds: age() };
  }
}

/** Waits until a token that was issued at this moment has this age. */
async function waitForAge(session: Session, issuedAtMs: number, seconds: number): Promise<void> {
  const { clock, progress, target, endedEarly } = session.run;
  const leftSeconds = () => seconds - (clock.now() - issuedAtMs) / 1000;
  session.extend(Math.max(0, leftSeconds()));
  for (let left = leftSeconds(); left > 0 && endedEarly?.() === undefined; left = leftSeconds()) {
    progress(`waiting ${Math.ceil(left)} s, until the token is ${Math.round(seconds)} s old`);
    // Of whole milliseconds: a clock that has gone far does not move by a fraction of one.
    await clock.sleep(Math.ceil((target.mockControlKey ? left : Math.min(left, 1)) * 1000));
  }
}

/** To whole milliseconds. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
