/** What a client does on the 403 of an expired token. */
import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import {
  type Case,
  casesOf,
  isExcused,
  isOverdue,
  isWithoutAnswer,
  nextRead,
  repeats,
} from '../refused-token.ts';
import { type Exam, fails, perScene, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  idleBetween,
  isServed,
  median,
  type Scene,
  SETTLING_MS,
  seconds,
  tokenCalls,
  tokensHad,
} from '../scene.ts';
import type { Call } from '../traffic.ts';

const endText = ({ ended }: Scene): string | undefined =>
  ended?.code === undefined ? undefined : `ended by itself with exit code ${ended.code}`;

function renewalFindings(scene: Scene, one: Case, exam: Exam): Finding[] {
  const { request, first, refusals } = one;
  const again = repeats(scene, one, exam, request?.startMs).filter((call) => !isWithoutAnswer(scene, call));
  const refused = [first, ...again.slice(0, 18)]; // Of the twenty calls of a finding one is for the request.
  if (isExcused(scene, one, exam) && (request || !isOverdue(scene, one))) return [];
  if (!request) {
    if (again.length > 0)
      return [
        fails(
          scene,
          refused,
          `No new token was asked for: token ${one.token} was sent ${several(again.length, 'more time')} after its 403.`,
        ),
      ];
    const ended = endText(scene);
    if (ended) return [fails(scene, refusals, `On the 403 the client ${ended}, and asked for no new token.`)];
    const waited = scene.durationMs - first.endMs;
    const isLong = waited > Math.max(3000, 4 * (exam.pace?.medianPauseMs ?? 1000));
    return isLong && scene.ended === undefined
      ? [fails(scene, [first], `In the ${seconds(waited)} after the 403 no new token was asked for.`)]
      : [];
  }
  return again.length === 0
    ? []
    : [
        fails(
          scene,
          [...refused, request],
          `Token ${one.token} was sent ${several(again.length, 'more time')} after its 403 before a new one was asked for.`,
        ),
      ];
}

/** Whether the client read on while it waited for a token: then a read may cross its answer on the way. */
const isBeside = (scene: Scene, { startMs, endMs }: Call): boolean =>
  dataCalls(scene).some((call) => call.startMs > startMs && call.startMs < endMs);

/** A later request with other credentials than those that obtained a token. */
function otherCredentials(scene: Scene): Finding[] {
  const [first] = tokensHad(scene);
  const wrong = tokenCalls(scene).filter(
    ({ reason, startMs }) => reason === 'wrong-credentials' && first !== undefined && startMs >= first.endMs,
  );
  return wrong.length === 0
    ? []
    : [
        fails(
          scene,
          wrong,
          `${several(wrong.length, 'token request')} came with other credentials than the first: a field was lost, or is another one.`,
        ),
      ];
}

const judgeRenewal: Rule['judge'] = (exam) => {
  const { scenes, renewals } = exam;
  const findings = scenes.flatMap((scene) => [
    ...casesOf(scene).flatMap((one) => renewalFindings(scene, one, exam)),
    ...otherCredentials(scene),
  ]);
  const met = scenes.some((scene) => casesOf(scene).some(({ request }) => request !== undefined));
  return { tried: met || findings.length > 0 || renewals.strategy !== 'none', findings };
};

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
    pauses.every((pauseMs) => pauseMs >= 0.8 * pace.shortestPauseMs) &&
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
        const ended = endText(scene);
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
        if (scene.ended || waited <= Math.max(3000, 4 * (exam.pace?.medianPauseMs ?? 1000))) return [];
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

export const refusalRules: readonly Rule[] = [
  {
    id: 'renewal',
    clause: 'MRS-5.6c',
    statement: 'When the token has expired, a new one is requested with the same credentials.',
    advice:
      'Treat a 403 as the end of the token, whatever its body is: drop the token, post the same form to /token/, and go on with ' +
      'what comes. OAuth libraries renew on 401 alone unless they are told otherwise.',
    owed: true,
    untried: 'No token came to its end while the client was calling.',
    judge: judgeRenewal,
  },
  {
    id: 'retry',
    clause: 'MRS-7b',
    statement: 'The request that an expired token was refused for is made again with the new token.',
    advice:
      'Wrap the read: on a 403 obtain a token, then make the same request once more before anything else. Who waits for the ' +
      'next turn loses one reading at each expiry.',
    untried:
      'After no 403 could it be told whether the same request was made again: by what it asks for, or at once.',
    judge: judgeRetry,
  },
  {
    id: 'dead-token',
    clause: 'MRS-5c',
    statement: 'The retry carries the new token, and the dead one is not sent again.',
    advice:
      'Build the Authorization header anew for each attempt, out of the one place where the token is kept. A request object ' +
      'that is sent a second time, or a default header that was set once, still carries the old token.',
    untried: 'No token was refused and replaced.',
    judge: perScene((scene, exam) => {
      const replaced = casesOf(scene).filter(({ issue }) => issue !== undefined);
      if (replaced.length === 0) return undefined;
      return replaced.flatMap((one) => {
        if (isExcused(scene, one, exam)) return [];
        const { issue } = one;
        if (!issue) return [];
        const from = issue.endMs + (isBeside(scene, issue) ? SETTLING_MS : 0);
        const dead = repeats(scene, one, exam).filter(({ startMs }) => startMs >= from);
        return dead.length === 0
          ? []
          : [
              fails(
                scene,
                [one.first, issue, ...dead],
                `Token ${one.token} was sent ${several(dead.length, 'more time')} after it had been refused and token ${issue.token} had come in its place.`,
              ),
            ];
      });
    }),
  },
  {
    id: 'early-end',
    statement: 'A token that ends before the agreed time is replaced on its 403.',
    advice:
      'Renewing by the clock keeps every clause as long as the operator keeps the agreement. Handle a 403 as well: a token ' +
      'that is ended early, or a lifetime that was changed, otherwise keeps the client from its data until its own time comes.',
    untried: 'No token ended before the agreed time while the client renewed by its clock alone.',
    judge: perScene((scene, exam) => {
      const excused = casesOf(scene).filter((one) => isExcused(scene, one, exam));
      if (excused.length === 0) return undefined;
      const [first] = excused;
      if (!first) return [];
      const back = scene.calls.find((call) => isServed(call) && call.startMs > first.first.endMs);
      const lost = back ? `for ${seconds(back.startMs - first.first.startMs)}` : 'until its end';
      const refused = excused.map((one) => one.first);
      return [warns(scene, refused, `The client renews by its clock alone, and read nothing ${lost}.`)];
    }),
  },
];
