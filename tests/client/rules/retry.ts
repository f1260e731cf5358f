/** Whether a client repeats a refused request, and how the traffic shows it. */

import type { Finding } from '../certificate.ts';
import { isRegular, silenceMs, turnMs } from '../pace.ts';
import { nextRead, refusedTokens } from '../refused-token.ts';
import { type Evidence, fails, type Rule, warns } from '../rule.ts';
import {
  dataCalls,
  endInWords,
  idleBetween,
  isIssue,
  isRefused,
  median,
  type ScenarioTraffic,
  seconds,
  silentMs,
} from '../scenario-traffic.ts';
import { scenarioNamed } from '../scenarios.ts';
import type { Call } from '../traffic.ts';

/** A renewal after a refusal, and the pauses before the token request and after its answer. */
interface Wait {
  traffic: ScenarioTraffic;
  calls: Call[];
  beforeMs: number;
  afterMs: number;
}

function waitsIn(evidence: Evidence): Wait[] {
  return evidence.scenarios
    .filter(({ name }) => scenarioNamed(name)?.endsOnlyTokens || evidence.scenarios.length === 1)
    .flatMap((traffic) =>
      refusedTokens(traffic).flatMap((one) => {
        const { issue } = one;
        const next = nextRead(traffic, one);
        const refused = one.refusals.findLast(({ endMs }) => issue && endMs <= issue.startMs);
        if (!next || !refused || !issue) return [];
        const afterMs = next.startMs - issue.endMs;
        const beforeMs = idleBetween(refused, next, traffic) - afterMs;
        return [{ traffic, calls: [refused, issue, next], beforeMs, afterMs }];
      }),
    );
}

/** With fewer, the pauses may come from a busy machine. */
const FEWEST_CASES = 4;

/**
 * Whether the client, when the read after a renewal was refused as well, left it and later read with the same token, before
 * it renewed again: then it knows that read as a repetition. Who never repeats a request renews after every refusal.
 */
function knowsRepetitions({ scenarios, atOnce }: Evidence): boolean {
  if (atOnce > 1) return false;
  return scenarios.some((traffic) => {
    const calls = traffic.calls.filter(({ kind }) => kind === 'token' || kind === 'data');
    return calls.some((refused, index) => {
      const [issue, repeated, next, request] = calls.slice(index + 1);
      return (
        isRefused(refused) &&
        issue !== undefined &&
        isIssue(issue) &&
        [repeated, next].every((read) => read && isRefused(read) && read.token === issue.token) &&
        request?.kind === 'token'
      );
    });
  });
}

/**
 * All reads look alike, so only the pause before it distinguishes a repeated one from the next turn. Who has a new token
 * and waits as long as its turn takes, every time, has left the refused request. Who waits before it asks for the token
 * may be backing off, and is only warned; a pause of another length is a back-off. Hardly a pause may be shorter: on a busy
 * machine one of them may be of any length.
 */
function turnsLeft(evidence: Evidence): Finding[] {
  const { pace } = evidence;
  if (!pace || !hasTurns(evidence) || knowsRepetitions(evidence)) return [];
  const waits = waitsIn(evidence);
  const isTurn = (pauses: readonly number[]) =>
    pauses.length >= FEWEST_CASES &&
    isRegular(pauses, pace.medianPauseMs) &&
    (median(pauses) ?? 0) <= 1.5 * pace.medianPauseMs;
  const after = waits.map(({ afterMs }) => afterMs);
  const whole = waits.map(({ beforeMs, afterMs }) => beforeMs + afterMs);
  if (!isTurn(after) && !isTurn(whole)) return [];
  const isLeft = isTurn(after);
  return [...new Set(waits.map(({ traffic }) => traffic))].map((traffic) => {
    const own = waits.filter((one) => one.traffic === traffic);
    const calls = own.flatMap((one) => one.calls);
    const pause = seconds(median(own.map((one) => one.afterMs + (isLeft ? 0 : one.beforeMs))) ?? 0);
    return isLeft
      ? fails(
          traffic,
          calls,
          `The refused request was not made again: with the new token in hand, the next read came ${pause} later, which is the pause between any two reads.`,
        )
      : warns(
          traffic,
          calls,
          `A new token was asked for only when the next read was due, ${pause} after the 403: it seems that the refused request was not repeated. If it was, the client waits as long before it repeats as between two reads: try another interval.`,
        );
  });
}

/** What the client asks for, read by read. */
const targetsIn = ({ scenarios }: Evidence): string[] =>
  scenarios.flatMap((traffic) => dataCalls(traffic).map(({ target }) => target));

/** Whether the client asks for some things more than once: if each request differs, their targets show no retry. */
function repeatsTargets(evidence: Evidence): boolean {
  const targets = targetsIn(evidence);
  return new Set(targets).size <= targets.length / 2;
}

/** Whether the traffic can show a retry: by its target, by the lack of a pause, or by its length. */
function isRetryVisible(evidence: Evidence): boolean {
  if (evidence.atOnce > 1) return false;
  if (new Set(targetsIn(evidence)).size > 1 && repeatsTargets(evidence)) return true;
  if (knowsRepetitions(evidence)) return true;
  const waits = waitsIn(evidence);
  return (
    (waits.length >= FEWEST_CASES && hasTurns(evidence)) ||
    waits.some(({ beforeMs, afterMs }) => beforeMs + afterMs < turnMs(evidence.pace))
  );
}

/** Whether its pauses are long enough, and alike enough, for its turns to be recognized. */
const hasTurns = ({ pace, atOnce }: Evidence): boolean =>
  atOnce === 1 && pace !== undefined && pace.medianPauseMs >= 40 && pace.regular;

/** Within this number of reads after a renewal, a client may come back to the one that was refused. */
const COMES_BACK = 3;

const judgeRetry: Rule['judge'] = (evidence) => {
  // A client that renews only by its clock follows the other strategy, and repeats requests in its own time.
  if (evidence.renewals.strategy === 'proactive') return { tried: false, findings: [] };
  const perCase = evidence.scenarios.flatMap((traffic) =>
    refusedTokens(traffic).flatMap((one): Finding[][] => {
      const { issue, refusals } = one;
      if (!issue) return [];
      const next = nextRead(traffic, one);
      if (!next) {
        const ended = endInWords(traffic);
        if (ended)
          return [
            [
              fails(
                traffic,
                [...refusals, issue],
                `With the new token the client ${ended} instead of making the request again.`,
              ),
            ],
          ];
        const waited = silentMs(traffic, issue.endMs);
        if (waited <= silenceMs(evidence.pace)) return [];
        return [
          [
            fails(
              traffic,
              [...refusals, issue],
              `In the ${seconds(waited)} after the new token came, no request was made with it.`,
            ),
          ],
        ];
      }
      const targets = new Set(refusals.map(({ target }) => target));
      const later = dataCalls(traffic).filter(({ startMs }) => startMs >= issue.endMs);
      if (evidence.atOnce > 1 || targets.has(next.target) || !repeatsTargets(evidence)) return [[]];
      const isLater = later.slice(0, COMES_BACK).some(({ target }) => targets.has(target));
      if (!isLater && later.length < COMES_BACK && traffic.isCut) return [];
      return [
        isLater
          ? []
          : [
              fails(
                traffic,
                [...refusals, next],
                'The request after the renewal asks for something else than the refused one.',
              ),
            ],
      ];
    }),
  );
  const findings = [...perCase.flat(), ...turnsLeft(evidence)];
  return { tried: findings.length > 0 || (perCase.length > 0 && isRetryVisible(evidence)), findings };
};

export const retryRule: Rule = {
  id: 'retry',
  clause: 'MRS-7b',
  severity: 'breaks-clients',
  statement: 'A request that was refused because its token had expired is repeated with the new token.',
  advice:
    'Wrap the read: on a 403 obtain a token, then repeat the same request before anything else. A client that waits for ' +
    'its next turn loses one reading at each expiry.',
  passive: 'tokens',
  untried: 'No 403 showed whether the same request was repeated, either by its target or by its timing.',
  judge: judgeRetry,
};
