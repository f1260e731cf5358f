/** What a client does on a 403. */
import type { Finding } from '../certificate.ts';
import { isOneAfterTheOther, turnMs } from '../pace.ts';
import { type Exam, fails, perScene, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  idleBetween,
  isEarlyEnd,
  isExpiredRefusal,
  isIssue,
  isRefused,
  isServed,
  median,
  overdueFrom,
  overlapOf,
  type Scene,
  seconds,
  tokenCalls,
} from '../scene.ts';
import type { Call } from '../traffic.ts';

/** A token that was refused as expired, and what the client did then. */
interface Case {
  token: number;
  refusals: Call[];
  first: Call;
  /** The first token request afterwards; one that other callers had under way counts. */
  request: Call | undefined;
  /** The token that came of it, or of a later one. */
  issue: Call | undefined;
}

function casesOf(scene: Scene): Case[] {
  const refusals = scene.calls.filter(isExpiredRefusal);
  const numbers = [...new Set(refusals.flatMap(({ token }) => token ?? []))];
  return numbers.flatMap((token) => {
    const own = refusals.filter((call) => call.token === token);
    const [first] = own;
    if (!first) return [];
    const request = tokenCalls(scene).find(({ endMs }) => endMs > first.startMs);
    const issue = scene.calls.find(
      (call) => isIssue(call) && (call.token ?? 0) > token && call.endMs > first.startMs,
    );
    return [{ token, refusals: own, first, request, issue }];
  });
}

/** Calls of a client that makes several at once may have been on their way already. */
const SETTLING_MS = 250;

/** Reads with the token that began when its refusal was known. */
function repeats(scene: Scene, { token, first }: Case, until = Number.POSITIVE_INFINITY): Call[] {
  const underWay = Math.max(scene.processes, overlapOf(dataCalls(scene)));
  const again = dataCalls(scene).filter(
    (call) => call.token === token && call.startMs >= first.endMs && call.startMs < until,
  );
  if (underWay === 1) return again;
  const excused = again.filter(({ startMs }) => scene.processes > 1 || startMs < first.endMs + SETTLING_MS);
  return again.filter((call) => !excused.slice(0, underWay - 1).includes(call));
}

/** Whether the client has asked and got nothing yet: then it has no other token to send. */
function isWithoutAnswer(scene: Scene, call: Call): boolean {
  const last = tokenCalls(scene).findLast(({ startMs }) => startMs <= call.startMs);
  return last !== undefined && (!isIssue(last) || last.endMs > call.startMs);
}

/** A client that renews by its clock alone is told by another rule where a token ends before it can know. */
const isExcused = (scene: Scene, one: Case, { renewals }: Exam) =>
  renewals.strategy === 'proactive' && isEarlyEnd(scene, one.token);

/** Whether it was still sent when its agreed time was over, too. */
const isOverdue = ({ lives, agreedSeconds }: Scene, { token, refusals }: Case) =>
  lives.some(
    (life) => life.number === token && refusals.some(({ atMs }) => atMs > overdueFrom(life, agreedSeconds)),
  );

const endText = ({ ended }: Scene): string | undefined =>
  ended?.code === undefined ? undefined : `ended by itself with exit code ${ended.code}`;

function renewalFindings(scene: Scene, one: Case, exam: Exam): Finding[] {
  const { request, first, refusals } = one;
  const again = repeats(scene, one, request?.startMs).filter((call) => !isWithoutAnswer(scene, call));
  const refused = [first, ...again.slice(0, 19)];
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

/** A later request with other credentials than those that obtained a token. */
function otherCredentials(scene: Scene): Finding[] {
  const first = scene.calls.find(isIssue);
  const wrong = tokenCalls(scene).filter(
    ({ reason, startMs }) => reason === 'wrong-credentials' && first !== undefined && startMs >= first.endMs,
  );
  return wrong.length === 0
    ? []
    : [
        fails(
          scene,
          wrong,
          `${several(wrong.length, 'token request')} came with other credentials than the first.`,
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
  return { tried: met || findings.length > 0 || renewals.renewals.length > 0, findings };
};

/** The read with which the client went on after a renewal. */
const nextRead = (scene: Scene, { issue }: Case): Call | undefined =>
  issue && dataCalls(scene).find(({ startMs }) => startMs >= issue.endMs);

/** Scenarios in which nothing but the end of a token keeps a client from its data. */
const PLAIN = ['expires', 'expires-again', 'shorter-than-agreed', 'ended-early', '403-empty', '403-html'];

/** What a client leaves behind that waits for its next turn instead of repeating the call that was refused. */
function leftFor(exam: Exam): { scene: Scene; refused: Call; next: Call; idleMs: number }[] {
  return exam.scenes
    .filter(({ name }) => PLAIN.includes(name) || exam.scenes.length === 1)
    .flatMap((scene) =>
      casesOf(scene).flatMap((one) => {
        const next = nextRead(scene, one);
        const refused = one.refusals.findLast(({ endMs }) => next && endMs <= next.startMs);
        if (!next || !refused || isExcused(scene, one, exam)) return [];
        return [{ scene, refused, next, idleMs: idleBetween(refused, next, scene) }];
      }),
    );
}

/**
 * All reads look alike, so that a repeated one is told from the next turn by the pause before it. Only who waits as
 * long as its turn takes, every time, has left the refused request; a pause of another length is a back-off.
 */
function turnsLeft(exam: Exam): Finding[] {
  const { pace, scenes } = exam;
  if (!pace || pace.medianPauseMs < 40 || !isOneAfterTheOther(scenes)) return [];
  const left = leftFor(exam);
  const usual = median(left.map(({ idleMs }) => idleMs)) ?? 0;
  const isTurn =
    left.length >= 2 &&
    left.every(({ idleMs }) => idleMs >= 0.8 * pace.shortestPauseMs) &&
    usual <= 1.5 * pace.medianPauseMs;
  const [first] = left;
  if (!isTurn || !first) return [];
  return [
    fails(
      first.scene,
      [first.refused, first.next],
      `The refused request was not made again: each time the next read came ${seconds(usual)} later, which is the pause between any two reads.`,
    ),
  ];
}

const judgeRetry: Rule['judge'] = (exam) => {
  const perCase = exam.scenes.flatMap((scene) =>
    casesOf(scene).flatMap((one): Finding[][] => {
      const { issue, refusals } = one;
      if (!issue || isExcused(scene, one, exam)) return [];
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
      if (overlapOf(dataCalls(scene)) > 1 || targets.has(next.target)) return [[]];
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
  return { tried: perCase.length > 0, findings };
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
    untried: 'No request was refused that the client would have had to make again.',
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
        const dead = repeats(scene, one).filter(
          ({ startMs }) => one.issue && startMs >= one.issue.endMs && one.first.endMs <= startMs,
        );
        return dead.length === 0
          ? []
          : [
              fails(
                scene,
                [one.first, ...(one.issue ? [one.issue] : []), ...dead],
                `Token ${one.token} was sent ${several(dead.length, 'more time')} after it had been refused and token ${one.issue?.token} had come in its place.`,
              ),
            ];
      });
    }),
  },
  {
    id: 'no-loop',
    clause: 'MRS-5c',
    statement: 'A request that is refused with a fresh token too is not made again and again.',
    advice:
      'Renew and retry once for each request. If the fresh token is refused as well, the 403 has another reason, such as ' +
      'a scope that the client lacks: report it, and wait before the next attempt.',
    untried: 'The client met no 403 that stayed.',
    judge: perScene((scene, exam) => loopFindings(scene, exam, 'loop')),
  },
  {
    id: 'refresh-once',
    statement: 'One refused request leads to one new token.',
    advice:
      'Count the renewals of a request, and give up after the first. A 403 that a fresh token does not mend is not mended by ' +
      'the next one.',
    untried: 'The client met no 403 that stayed.',
    judge: perScene((scene, exam) => loopFindings(scene, exam, 'several')),
  },
  {
    id: 'early-end',
    statement: 'A token that ends before the agreed time is replaced on its 403.',
    advice:
      'Renewing by the clock keeps every clause as long as the operator keeps the agreement. Handle a 403 as well: a token ' +
      'that is ended early, or a lifetime that was changed, otherwise keeps the client from its data until its own time comes.',
    untried: 'The client reacts to a 403, or met none before the agreed time.',
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

/** In one go, without a pause as between two turns: more than this is a loop, and more than two is too much. */
const LOOP = 6;

/** Attempts that follow one another without a pause, as many as the longest row has. */
function longestRow(scene: Scene, exam: Exam): Call[] {
  const refused = dataCalls(scene).filter((call) => isRefused(call));
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const call of refused) {
    const before = row.at(-1);
    const isNext = before && idleBetween(before, call, scene) < turnMs(exam.pace);
    row = isNext ? [...row, call] : [call];
    if (row.length > longest.length) longest = row;
  }
  return longest;
}

function loopFindings(scene: Scene, exam: Exam, kind: 'loop' | 'several'): Finding[] | undefined {
  const refused = dataCalls(scene).filter(isRefused);
  const stays = refused.some(({ status, standing }) => status === 403 && standing === 'valid');
  if (refused.length === 0) return undefined;
  if (isOneAfterTheOther(exam.scenes)) {
    const row = longestRow(scene, exam);
    if (row.length > LOOP)
      return kind === 'loop'
        ? [fails(scene, row, `${row.length} attempts in a row were refused, without a pause between them.`)]
        : [];
    if (kind === 'several' && row.length > 2)
      return [
        warns(scene, row, `${row.length} attempts in a row were refused, each at once after the other.`),
      ];
    return kind === 'several' ? severalRenewals(scene, stays) : stays || row.length > 2 ? [] : undefined;
  }
  if (!stays) return undefined;
  const ratio = rateIn(refused, scene) / (steadyRate(exam) ?? Number.POSITIVE_INFINITY);
  if (ratio > LOOP)
    return kind === 'loop'
      ? [
          fails(
            scene,
            refused,
            `${refused.length} attempts were refused: ${Math.round(ratio)} times as many in a second as the client makes when nothing is wrong.`,
          ),
        ]
      : [];
  return kind === 'several' && ratio > 3
    ? [
        warns(
          scene,
          refused,
          `${Math.round(ratio)} times as many attempts in a second as when nothing is wrong.`,
        ),
      ]
    : [];
}

/** Tokens that were asked for in a row, with no read between them. */
function severalRenewals(scene: Scene, stays: boolean): Finding[] | undefined {
  const cases = casesOf(scene);
  if (cases.length === 0 && !stays) return undefined;
  return cases.flatMap((one) => {
    const next = nextRead(scene, one);
    const issues = scene.calls.filter(
      (call) =>
        isIssue(call) &&
        one.issue &&
        call.startMs >= one.issue.startMs &&
        (!next || call.startMs < next.startMs),
    );
    return issues.length <= 1 || scene.processes > 1
      ? []
      : [
          warns(
            scene,
            [one.first, ...issues],
            `${issues.length} tokens in a row were asked for after one refused request.`,
          ),
        ];
  });
}

function rateIn(calls: readonly Call[], scene: Scene): number {
  const first = calls[0]?.startMs ?? 0;
  return calls.length / Math.max(0.5, (scene.durationMs - first) / 1000);
}

function steadyRate({ scenes }: Exam): number | undefined {
  const steady = scenes.find(({ name }) => name === 'steady');
  const served = steady?.calls.filter(isServed) ?? [];
  return steady && served.length >= 3 ? rateIn(served, steady) : undefined;
}
