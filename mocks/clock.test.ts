import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Clock, createClock, secondsIn } from './clock.ts';
import type { Duration } from './contract/control-contract.ts';

const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

test('whatever is done to a clock, it goes on from its time at its scale, and a saved one is restored', () => {
  const event = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), by: fc.nat(1e6) }),
    fc.record({ do: fc.constant('advance' as const), by: fc.integer({ min: -1e6, max: 1e6 }) }),
    fc.record({ do: fc.constant('set' as const), by: fc.integer({ min: FIRST, max: LAST }) }),
    fc.record({ do: fc.constant('setScale' as const), by: fc.constantFrom(0, 1, 10, 1e9) }),
    fc.record({
      do: fc.constantFrom('freeze' as const, 'resume' as const, 'reset' as const),
      by: fc.constant(0),
    }),
    fc.record({ do: fc.constantFrom('save' as const, 'restore' as const), by: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (events) => {
      let machine = 1_000;
      const clock = createClock(() => machine);
      /** Where it was at which time of the machine, and how fast it passes. */
      let model = { at: 1_000, from: 1_000, scale: 1 };
      const now = () => Math.min(LAST, Math.max(FIRST, model.at + (machine - model.from) * model.scale));
      let [undo, saved] = [clock.save(), model];
      for (const one of events) {
        const before = { at: now(), from: machine, scale: model.scale };
        if (one.do === 'pass') machine += one.by;
        else if (one.do === 'save') [undo, saved] = [clock.save(), model];
        else if (one.do === 'restore') {
          undo();
          model = saved;
        } else {
          const target = before.at + one.by * 1000;
          if (one.do === 'advance' && (target < FIRST || target > LAST)) {
            expect(() => clock.advance(one.by)).toThrow(RangeError);
            continue;
          }
          clock[one.do](one.by);
          model = before;
          if (one.do === 'advance') model.at = target;
          if (one.do === 'set') model.at = one.by;
          if (one.do === 'setScale') model.scale = one.by;
          if (one.do === 'freeze') model.scale = 0;
          if (one.do === 'resume') model.scale = 1;
          if (one.do === 'reset') model = { at: machine, from: machine, scale: 1 };
        }
        const mode = model.scale === 0 ? 'frozen' : model.scale === 1 ? 'real' : 'scaled';
        expect([clock.now(), clock.scale, clock.mode]).toEqual([now(), model.scale, mode]);
      }
    }),
    { seed: 7 },
  );
});

for (const [what, move] of [
  ['a scale below zero', (clock) => clock.setScale(-1)],
  ['a scale that is not a number', (clock) => clock.setScale(Number.NaN)],
  ['an advance beyond the calendar', (clock) => clock.advance(1e15)],
  ['a moment that is not a date', (clock) => clock.set(Number.POSITIVE_INFINITY)],
] as [string, (clock: Clock) => void][])
  test(`${what} is refused, and moves nothing`, () => {
    const clock = createClock(() => 1_000);
    expect(() => move(clock)).toThrow(/ is (not a scale from 0 to|outside the calendar)/);
    expect([clock.now(), clock.mode]).toEqual([1_000, 'real']);
  });

for (const [given, seconds] of [
  ['90', 90],
  ['500ms', 0.5],
  ['-1s', -1],
  ['1h', 3600],
  [1e16, 1e16],
] as const)
  test(`${JSON.stringify(given)} is ${seconds} s`, () => {
    expect(secondsIn(given)).toBe(seconds);
  });

test('an invalid duration is refused with a sentence that shows at most 40 characters of it', () => {
  const texts = [
    '',
    ' ',
    'soon',
    '1 s',
    '1\n',
    '+1',
    '.5',
    '1e3',
    '1w',
    '15 minutes',
    '0x10',
    '9'.repeat(17),
  ];
  for (const given of [...texts, 1.1e16, Number.NaN, null, [5], { seconds: 5 }] as Duration[])
    expect(() => secondsIn(given), String(given)).toThrow(
      /^"[^"]{0,40}" is not a duration\. Use seconds, or a number/s,
    );
});
