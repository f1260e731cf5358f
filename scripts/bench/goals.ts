/** What the mock shall reach, as ratios: they hold on a fast machine and on a slow one. */
import { type Results, throughputOf } from './results.ts';
import { ratioOf, type Spread } from './spread.ts';

export interface Goal {
  what: string;
  /** `bound` is the least or the most that the ratio may be. */
  sign: '≥' | '≤';
  /** Absent where the ratio is shown and nothing is asked of it. */
  bound?: number;
  than: 'bare' | 'prism' | 'quiet';
  ratio: Spread;
  met: boolean;
  /** What was compared, where it is not what the goal names. */
  note?: string;
}

export function judgeGoals(results: Results): Goal[] {
  return [
    atLeast(0.75, 'bare'),
    atLeast(10, 'prism'),
    ratioTo('quiet'),
    atMost(0.7, 'start', 'start'),
    atMost(1, 'memory, started', 'memoryStarted'),
    atMost(1, 'memory, under load', 'memoryLoaded'),
  ];

  function ratioTo(than: Goal['than']): Goal {
    const { by, ...ratio } = throughputOf(results, 'mock', than);
    const note = by === 'cpu' ? { note: 'by CPU time' } : {};
    return { what: 'requests per second', sign: '≥', than, ratio, met: true, ...note };
  }

  function atLeast(bound: number, than: Goal['than']): Goal {
    const shown = ratioTo(than);
    return { ...shown, bound, met: shown.ratio.median >= bound };
  }

  function atMost(bound: number, what: string, measure: 'start' | 'memoryStarted' | 'memoryLoaded'): Goal {
    const ratio = ratioOf(results.mock[measure], results.prism[measure]);
    return { what, sign: '≤', bound, than: 'prism', ratio, met: ratio.median <= bound };
  }
}
