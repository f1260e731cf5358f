import { expect, _baseTest as test } from '@playwright/test';
import { concurrencyIn, maxGapMs, paceOf } from './pace.ts';
import { rowsOf, scene } from './testing/rows.ts';

/** Turns of four reads, at these times in a turn. */
const turns = (...times: number[]) =>
  [20, 620, 1220, 1820].flatMap((at) => times.map((ms) => `r${at + ms}`)).join(' ');

/** The pause in the middle, and whether pauses are regular; `none` where there is no pace. Scenarios are separated by `;`. */
for (const [what, pace, calls = '', given = 'name=steady'] of rowsOf(`
  reads after different pauses         | 200 false | a0 r20 r230 r440 r490 r900
  asks for tokens and is refused, too  | 200 true  | a0 r20 r230 r440 x455 a470 r490 a495 r510
  makes one pause in five short        | 200 true  | a0 r20 r230 r440 r650 r860 r920
  makes two in five short              | 200 false | a0 r20 r230 r440 r650 r710 r770
  makes some pauses long               | 200 true  | a0 r20 r230 r400 r580 r1490 r6500
  makes one pause                      | none      | a0 r20 r230
  was seen where nothing goes wrong    | 50 true   | a0 r20-12000/1010 ; a0 r20-500/60 | name=expires ; name=steady
  was seen elsewhere only              | 1000 true | a0 r20-12000/1010 | name=expires
  makes turns, on one connection       | 547 true  | a0 ${turns(0, 11, 32, 43)}
  makes turns, on a busy machine       | 485 true  | a0 ${turns(0, 11, 50, 105)}
  paused once in a long row            | 1 true    | a0 r20-570/11 r620-1200/11`))
  test(`the pace of a client that ${what}: ${pace}`, () => {
    const scenes = calls.split(';').map((one, nth) => scene(one, given.split(';')[nth]));
    const found = paceOf(scenes, 1);
    expect(found ? `${found.medianPauseMs} ${found.regular}` : 'none').toBe(pace);
    expect(paceOf(scenes, 2)).toBeUndefined();
  });

test('a turn is recognized by half of the usual pause, within bounds', () => {
  const gap = (medianPauseMs: number) => maxGapMs({ medianPauseMs, regular: true });
  expect([0, 4, 100, 1000, 2000, 60_000].map(gap)).toEqual([5, 5, 50, 500, 1000, 1000]);
  expect(maxGapMs(undefined)).toBe(250);
});

test('as many are at once as overlap in any scenario, or as there are processes, without reads that were left', () => {
  const three = scene('r0~100 r2~98 r4~96');
  const left = { gone: { ended: 'gone' }, cut: { ended: 'cut' } } as const;
  for (const [concurrency, ...scenes] of [
    [1],
    [1, scene('r0 r10 r20')],
    [3, scene('r0 r10 r20'), three],
    [4, scene('r0', 'processes=4'), three],
    [1, scene('r20~4980@gone r1000', '', left)],
    [2, scene('r20~4980@cut r1000', '', left)],
  ] as const)
    expect(concurrencyIn(scenes)).toBe(concurrency);
});
