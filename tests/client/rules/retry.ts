/** Whether a client makes a refused request again, and how the wire shows it. */

import type { Finding } from '../certificate.ts';
import { silenceMs, turnMs } from '../pace.ts';
import { casesOf, nextRead } from '../refused-token.ts';
import { type Exam, fails, type Rule, warns } from '../rule.ts';
import { dataCalls, endInWords, idleBetween, median, type Scene, seconds } from '../scene.ts';
import type { Call } from '../traffic.ts';

/** Scenarios in which nothing but the end of a token keeps a client from its data. */
const PLAIN = ['expires', 'expires-again', 'shorter-than-agreed', 'ended-early', '403-empty', '403-html'];

/** A renewal after a refusal, and the pauses before the token request and after its answer. */
interface Wait {
  scene: Scene;
  calls: Call[];
  beforeMs: number;
  afterMs: number;
}

function waitsIn(exam: Exam): Wait[] {
  return exam.scenes
    .filter(({ name }) => PLAIN.includes(name) || exam.scenes.length === 1)
    .flatMap((scene) =>
      casesOf(scene).flatMap((one) => {
        const { issue } = one;
        const next = nextRead(scene, one);
        const refused = one.refusals.findLast(({ endMs }) => issue && endMs <= issue.startMs);
        if (!next || !refused || !issue) return [];
        const afterMs = next.startMs - issue.endMs;
        const beforeMs = idleBetween(refused, next, scene) - afterMs;
        return [{ scene, calls: [refused, issue, next], beforeMs, afterMs }];
      }),
    );
}

/** In fewer, a machine that was busy may have made the pauses. */
const FEWEST_CASES = 4;

/**
 * All reads look alike, so that a repeated one is told from the next turn by the pause before it. Who has a new token
 * and waits as long as its turn takes, every time, has left the refused request. Who waits before it asks for the token
 * may be backing off, and is only warned; a pause of another length is a back-off.
 */
function turnsLeft(exam: Exam): Finding[] {
  const { pace } = exam;
  if (!pace || !hasTurns(exam)) return []; // A repeated call may come as late as the next turn.
  const waits = waitsIn(exam);
  const isTurn = (pauses: readonly number[]) =>
    pauses.length >= FEWEST_CASES &&
    pauses.every((pauseMs) => pauseMs >= 0.8 * pace.medianPauseMs) &&
    (median(pauses) ?? 0) <= 1.5 * pace.medianPauseMs;
  const after = waits.map(({ afterMs }) => afterMs);
  const whole = waits.map(({ beforeMs, afterMs }) => beforeMs + afterMs);
  if (!isTurn(after) && !isTurn(whole)) return [];
  const isLeft = isTurn(after);
  return [...new Set(waits.map(({ scene }) => scene))].map((scene) => {
    const own = waits.filter((one) => one.scene === scene);
    const calls = own.flatMap((one) => one.calls);
    const pause = seconds(median(own.map((one) => one.afterMs + (isLeft ? 0 : one.beforeMs))) ?? 0);
    return isLeft
      ? fails(
          scene,
          calls,
          `The refused request was not made again: with the new token in hand, the next read came ${pause} later, which is the pause between any two reads.`,
        )
      : warns(
          scene,
          calls,
          `A new token was asked for only when the next read was due, ${pause} after the 403: it looks as if the refused request was left.`,
        );
  });
}

/** What the client asks for, read by read. */
const targetsIn = ({ scenes }: Exam): string[] =>
  scenes.flatMap((scene) => dataCalls(scene).map(({ target }) => target));

/** Whether the client asks for some things more than once: one whose every request is another shows nothing by that. */
function tellsApart(exam: Exam): boolean {
  const targets = targetsIn(exam);
  return new Set(targets).size <= targets.length / 2;
}

/** Whether the wire can show that a request was made again: by what it asks for, by the lack of a pause, or by its length. */
function isToldApart(exam: Exam): boolean {
  if (exam.atOnce > 1) return false;
  if (new Set(targetsIn(exam)).size > 1 && tellsApart(exam)) return true;
  const waits = waitsIn(exam);
  return (
    (waits.length >= FEWEST_CASES && hasTurns(exam)) ||
    waits.some(({ beforeMs, afterMs }) => beforeMs + afterMs < turnMs(exam.pace))
  );
}

/** Whether its pauses are long enough, and alike enough, for its turns to be told. */
const hasTurns = ({ pace, atOnce }: Exam): boolean =>
  atOnce === 1 && pace !== undefined && pace.medianPauseMs >= 40 && pace.regular;

const judgeRetry: Rule['judge'] = (exam) => {
  // Who renews by its clock alone follows the other strategy, and makes its requests in its own time.
  if (exam.renewals.strategy === 'proactive') return { tried: false, findings: [] };
  const perCase = exam.scenes.flatMap((scene) =>
    casesOf(scene).flatMap((one): Finding[][] => {
      const { issue, refusals } = one;
      if (!issue) return [];
      const next = nextRead(scene, one);
      if (!next) {
        const ended = endInWords(scene);
        if (ended)
          return [
            [
              fails(
                scene,
                [...refusals, issue],
                `With the new token the client ${ended} instead of making the request again.`,
              ),
            ],
          ];
        const waited = scene.durationMs - issue.endMs;
        if (scene.ended || waited <= silenceMs(exam.pace)) return [];
        return [
          [
            fails(
              scene,
              [...refusals, issue],
              `In the ${seconds(waited)} after the new token came, no request was made with it.`,
            ),
          ],
        ];
      }
      const targets = new Set(refusals.map(({ target }) => target));
      const later = dataCalls(scene).filter(({ startMs }) => startMs >= issue.endMs);
      if (exam.atOnce > 1 || targets.has(next.target) || !tellsApart(exam)) return [[]];
      const isLater = later.slice(0, 3).some(({ target }) => targets.has(target));
      return [
        isLater
          ? []
          : [
              fails(
                scene,
                [...refusals, next],
                'The request after the renewal asks for something else than the refused one.',
              ),
            ],
      ];
    }),
  );
  const findings = [...perCase.flat(), ...turnsLeft(exam)];
  return { tried: findings.length > 0 || (perCase.length > 0 && isToldApart(exam)), findings };
};

export const retryRule: Rule = {
  id: 'retry',
  clause: 'MRS-7b',
  statement: 'The request that an expired token was refused for is made again with the new token.',
  advice:
    'Wrap the read: on a 403 obtain a token, then make the same request once more before anything else. Who waits for the ' +
    'next turn loses one reading at each expiry.',
  untried:
    'After no 403 could it be told whether the same request was made again: by what it asks for, or at once.',
  judge: judgeRetry,
};
