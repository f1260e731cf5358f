/** What a rule is: a statement on clients, and the judge of whether one keeps it. */

import type { Finding } from './certificate.ts';
import type { Pace } from './pace.ts';
import { idsOf, type Scene } from './scene.ts';
import type { Renewals } from './strategy.ts';
import type { Call } from './traffic.ts';

export interface Rule {
  id: string;
  /** Of tests/requirements.yaml; absent: good practice, of which a breach warns. */
  clause?: string;
  statement: string;
  advice: string;
  /** Without an occasion to judge it, the examination is incomplete. */
  owed?: true;
  /** Why there was no occasion, as a sentence. */
  untried: string;
  judge(exam: Exam): Judgement;
}

/** All that was seen of a client, and what follows from it. */
export interface Exam {
  scenes: readonly Scene[];
  pace: Pace | undefined;
  renewals: Renewals;
  /** How many reads it has under way at once, at most; its processes, if these are more. */
  atOnce: number;
}

export interface Judgement {
  /** Whether there was an occasion. */
  tried: boolean;
  findings: Finding[];
}

/** Of one scene: undefined where it is no occasion. */
export const perScene =
  (judge: (scene: Scene, exam: Exam) => Finding[] | undefined): Rule['judge'] =>
  (exam) => {
    const judged = exam.scenes.flatMap((scene) => {
      const findings = judge(scene, exam);
      return findings ? [findings] : [];
    });
    return { tried: judged.length > 0, findings: judged.flat() };
  };

/** A rule that each call of a kind keeps or not: undefined where the call cannot be judged by it. */
export const perCall = (
  of: (scene: Scene) => readonly Call[],
  keeps: (call: Call, scene: Scene) => boolean | undefined,
  seen: (calls: readonly Call[], scene: Scene) => string,
): Rule['judge'] =>
  perScene((scene) => {
    const judged = of(scene).filter((call) => keeps(call, scene) !== undefined);
    if (judged.length === 0) return undefined;
    const broken = judged.filter((call) => keeps(call, scene) === false);
    return broken.length === 0 ? [] : [fails(scene, broken, seen(broken, scene))];
  });

export const fails = (scene: Scene, calls: readonly Call[], seen: string): Finding => ({
  ...{ severity: 'fails', scenario: scene.name, seen, calls: idsOf(calls) },
});

export const warns = (scene: Scene, calls: readonly Call[], seen: string): Finding => ({
  ...fails(scene, calls, seen),
  severity: 'warns',
});

/** `1 call`, `3 calls`. */
export const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
