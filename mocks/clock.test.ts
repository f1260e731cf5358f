import { expect, _baseTest as test } from '@playwright/test';
import { createClock } from './clock.ts';

/** A clock upon a machine whose time is `at.ms`. */
function over(ms: number) {
  const at = { ms };
  return { at, clock: createClock(() => at.ms) };
}

test('untouched, it is the time of the machine', () => {
  const { at, clock } = over(1_000);
  expect([clock.now(), clock.mode, clock.scale]).toEqual([1_000, 'real', 1]);
  at.ms = 2_500;
  expect(clock.now()).toBe(2_500);
});

test('advanced, it goes on from there; advanced by less than nothing, it goes back', () => {
  const { at, clock } = over(1_000);
  clock.advance(900);
  at.ms += 1;
  expect(clock.now()).toBe(901_001);
  clock.advance(-900);
  expect([clock.now(), clock.mode]).toEqual([1_001, 'real']);
});

test('a frozen clock moves only when it is moved, until it is resumed', () => {
  const { at, clock } = over(1_000);
  clock.freeze();
  at.ms = 9_000;
  clock.advance(0.5);
  expect([clock.now(), clock.mode, clock.scale]).toEqual([1_500, 'frozen', 0]);
  clock.resume();
  at.ms += 7;
  expect([clock.now(), clock.mode]).toEqual([1_507, 'real']);
});

test('scaled, it passes as many times as fast', () => {
  const { at, clock } = over(1_000);
  clock.setScale(60);
  at.ms += 100;
  expect([clock.now(), clock.mode]).toEqual([7_000, 'scaled']);
});

test('set, it keeps its pace', () => {
  const { at, clock } = over(1_000);
  clock.freeze();
  clock.set(Date.UTC(2030, 0, 1));
  at.ms += 100;
  expect(clock.now()).toBe(Date.UTC(2030, 0, 1));
});

test('reset, it is the time of the machine again', () => {
  const { at, clock } = over(1_000);
  clock.setScale(3);
  clock.set(5);
  clock.reset();
  at.ms = 2_000;
  expect([clock.now(), clock.mode]).toEqual([2_000, 'real']);
});

for (const [what, move] of [
  ['a scale below zero', (clock) => clock.setScale(-1)],
  ['a scale beyond all measure', (clock) => clock.setScale(1e308)],
  ['a scale that is no number', (clock) => clock.setScale(Number.NaN)],
  ['an advance by no number', (clock) => clock.advance(Number.NaN)],
  ['an advance to where no date is', (clock) => clock.advance(1e15)],
  ['a moment that is no date', (clock) => clock.set(Number.POSITIVE_INFINITY)],
] as [string, (clock: ReturnType<typeof createClock>) => void][])
  test(`${what} is refused, and moves nothing`, () => {
    const { clock } = over(1_000);
    expect(() => move(clock)).toThrow(RangeError);
    expect([clock.now(), clock.mode]).toEqual([1_000, 'real']);
  });

test('a clock stops at the end of the calendar', () => {
  const LAST = Date.parse('9999-12-31T23:59:59.999Z');
  const { at, clock } = over(0);
  clock.set(LAST);
  at.ms = 5;
  expect(clock.now()).toBe(LAST);
  clock.resume();
  expect(clock.now()).toBe(LAST);
});

for (const [mode, go, later] of [
  ['real', (clock) => clock.advance(60), 61_000 + 500],
  ['frozen', (clock) => clock.freeze(), 1_000],
  ['scaled', (clock) => clock.setScale(10), 1_000 + 5_000],
] as [string, (clock: ReturnType<typeof createClock>) => void, number][])
  test(`a ${mode} clock that was saved goes on as if nothing had moved it, as often as it is restored`, () => {
    const { at, clock } = over(1_000);
    go(clock);
    const restore = clock.save();
    const { scale } = clock;
    for (const move of [
      () => clock.advance(7),
      () => clock.freeze(),
      () => clock.setScale(3),
      () => clock.set(5),
      () => clock.reset(),
      () => clock.resume(),
    ]) {
      at.ms = 1_200;
      move();
      at.ms = 1_500;
      restore();
      expect([clock.now(), clock.mode, clock.scale]).toEqual([later, mode, scale]);
    }
  });

test('the saves of a clock do not know of each other', () => {
  const { clock } = over(1_000);
  clock.freeze();
  const early = clock.save();
  clock.advance(60);
  const late = clock.save();
  early();
  expect(clock.now()).toBe(1_000);
  late();
  expect(clock.now()).toBe(61_000);
});

test('a scale from 0 to a thousand million is taken, and no other', () => {
  const { at, clock } = over(0);
  clock.setScale(1e9);
  at.ms = 1;
  expect(clock.now()).toBe(1e9);
  expect(() => clock.setScale(1e9 + 1)).toThrow('1000000001 is not a scale from 0 to 1000000000.');
  clock.setScale(0);
  expect([clock.mode, clock.scale]).toEqual(['frozen', 0]);
});

test('a moment that is not a date is reported', () => {
  expect(() => over(0).clock.set(9e15)).toThrow(
    '9000000000000000 ms is outside the calendar (years 0 to 9999).',
  );
});
