/** A 403 that stays, and how often a client tries again. */
import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import { casesOf, nextRead } from '../refused-token.ts';
import { type Exam, fails, perScene, type Rule, warns } from '../rule.ts';
import { dataCalls, idleBetween, isIssue, isRefused, isServed, type Scene, SETTLING_MS } from '../scene.ts';
import type { Call } from '../traffic.ts';

export const loopRules: readonly Rule[] = [
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
];

/** In one go, without a pause as between two turns: more than this is a loop, and more than two is too much. */
const LOOP = 6;

/** Attempts that follow one another without a pause, as many as the longest row has. */
function longestRow(refused: readonly Call[], scene: Scene, exam: Exam): Call[] {
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
  if (exam.atOnce === 1) {
    const row = longestRow(refused, scene, exam);
    if (row.length > LOOP)
      return kind === 'loop'
        ? [fails(scene, row, `${row.length} attempts in a row were refused, without a pause between them.`)]
        : [];
    if (kind === 'loop') return stays || row.length > 2 ? [] : undefined;
    // What is refused with a dead token is told by another rule.
    const fresh = longestRow(
      refused.filter(({ standing }) => standing === 'valid'),
      scene,
      exam,
    );
    return fresh.length > 2
      ? [warns(scene, fresh, `${fresh.length} attempts in a row were refused, each at once after the other.`)]
      : severalRenewals(scene, stays);
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
    const { issue } = one;
    if (!issue) return [];
    const issues = inARow(
      scene.calls.filter((call) => isIssue(call) && call.startMs >= issue.startMs),
    ).filter((call) => !next || call.startMs < next.startMs);
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

/** Without a pause from one to the next. */
function inARow(issues: readonly Call[]): Call[] {
  const end = issues.findIndex((call, index) => {
    const before = issues[index - 1];
    return before !== undefined && call.startMs - before.endMs > SETTLING_MS;
  });
  return issues.slice(0, end === -1 ? issues.length : end);
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
