/** A 403 that stays, and how often a client tries again. */

import type { Finding } from '../certificate.ts';
import { turnMs } from '../pace.ts';
import { casesOf, nextRead } from '../refused-token.ts';
import { type Exam, fails, perScene, type Rule, warns } from '../rule.ts';
import { dataCalls, idleBetween, isIssue, isRefused, isServed, type Scene, SETTLING_MS } from '../scene.ts';
import type { Call } from '../traffic.ts';

const UNTRIED =
  'The client met no 403 that stayed, or reads side by side and was not seen in the steady scenario.';

export const loopRules: readonly Rule[] = [
  {
    id: 'no-loop',
    clause: 'MRS-5c',
    statement: 'A request that is refused with a fresh token too is not made again and again.',
    advice:
      'Renew and retry once for each request. If the fresh token is refused as well, the 403 has another reason, such as ' +
      'a scope that the client lacks: report it, and wait before the next attempt.',
    untried: UNTRIED,
    judge: perScene(judgeLoop),
  },
  {
    id: 'refresh-once',
    statement: 'One refused request leads to one new token.',
    advice:
      'Count the renewals of a request, and give up after the first. A 403 that a fresh token does not mend is not mended by ' +
      'the next one.',
    untried: UNTRIED,
    judge: perScene(judgeSeveral),
  },
];

/** So many times as many attempts as a client makes when nothing is wrong are a loop; a retry makes two of one. */
const LOOP = 6;

/** What a client makes of refusals: how many times as many attempts as usual, and in words. */
interface Insistence {
  attempts: Call[];
  times: number;
  seen: string;
}

/** Undefined where calls overlap and nothing shows how many are usual: then no number of attempts is too many. */
function insistence(refused: readonly Call[], scene: Scene, exam: Exam): Insistence | undefined {
  if (exam.atOnce > 1) {
    const usualRate = steadyRate(exam);
    if (usualRate === undefined) return refused.length > 0 ? undefined : { attempts: [], times: 0, seen: '' };
    const times = rateIn(refused, scene) / usualRate;
    const seen = `${refused.length} attempts were refused, ${times.toFixed(1)} times as many in a second as when nothing is wrong.`;
    return { attempts: [...refused], times, seen };
  }
  const attempts = longestRow(refused, scene, exam);
  // Who reads several pages in one go makes so many attempts in one go.
  const usual = Math.max(1, ...exam.scenes.map((one) => (one.name === 'steady' ? usualRow(one, exam) : 1)));
  const seen = `${attempts.length} attempts in a row were refused, without a pause between them.`;
  return { attempts, times: attempts.length / usual, seen };
}

const usualRow = (steady: Scene, exam: Exam): number =>
  longestRow(steady.calls.filter(isServed), steady, exam).length;

/** Calls for the same that follow one another without a pause, as many as the longest row has. */
function longestRow(reads: readonly Call[], scene: Scene, exam: Exam): Call[] {
  let row: Call[] = [];
  let longest: Call[] = [];
  for (const call of reads) {
    const before = row.at(-1);
    const isNext = before && idleBetween(before, call, scene) < turnMs(exam.pace);
    row = isNext ? [...row, call] : [call];
    const alike = row.filter(({ target }) => target === call.target);
    if (alike.length > longest.length) longest = alike;
  }
  return longest;
}

function judgeLoop(scene: Scene, exam: Exam): Finding[] | undefined {
  const refused = dataCalls(scene).filter(isRefused);
  if (refused.length === 0) return undefined;
  const insisted = insistence(refused, scene, exam);
  if (!insisted) return undefined;
  const { attempts, times, seen } = insisted;
  if (times > LOOP) return [fails(scene, attempts, seen)];
  return stays(refused) ? [] : undefined;
}

function judgeSeveral(scene: Scene, exam: Exam): Finding[] | undefined {
  // What is refused with a dead token is told by another rule.
  const fresh = dataCalls(scene).filter((call) => isRefused(call) && call.standing === 'valid');
  const insisted = insistence(fresh, scene, exam);
  if (!insisted) return undefined;
  const { attempts, times, seen } = insisted;
  return times > (exam.atOnce > 1 ? 3 : 2)
    ? [warns(scene, attempts, seen)]
    : severalRenewals(scene, stays(fresh));
}

const stays = (refused: readonly Call[]): boolean =>
  refused.some(({ status, standing }) => status === 403 && standing === 'valid');

/** Tokens that were asked for in a row, with no read between them. */
function severalRenewals(scene: Scene, stayed: boolean): Finding[] | undefined {
  const cases = casesOf(scene);
  if (cases.length === 0 && !stayed) return undefined;
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
