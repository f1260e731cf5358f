/** The mock's clock: the machine's time, until it is moved. */
import ms, { type StringValue } from 'ms';
import type { Duration } from './contract/control-contract.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly mode: 'real' | 'frozen';
  /** Stops the clock. It can still be moved, and stays where it was moved to. */
  freeze(): void;
  /** Continues at the speed of the machine's time, from the current time. */
  resume(): void;
  /** Moves the clock by `seconds`, which may be negative. Throws RangeError if the result is not a date. */
  advance(seconds: number): void;
  /** Sets the clock, in milliseconds since the epoch. Throws RangeError if that is not a date. */
  set(milliseconds: number): void;
  /** Returns to the machine's time. */
  reset(): void;
  /** Returns a function that restores the clock as it is now; a frozen one, with its time. */
  save(): () => void;
}

/** The first and the last moment with a four-digit year (RFC 3339 section 5.6). */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export const withinCalendar = (milliseconds: number): number =>
  Math.min(LAST_MS, Math.max(FIRST_MS, milliseconds));

/** RFC 3339, in UTC. A time outside the calendar is shown as its first or last moment. */
export const timeText = (milliseconds: number): string =>
  new Date(withinCalendar(milliseconds)).toISOString();

/** `machine` is the time that the clock is based on, in milliseconds since the epoch. */
export function createClock(machine: () => number = Date.now): Clock {
  const START = { virtual: 0, machine: 0, isFrozen: false };
  let from = START;

  const now = () => withinCalendar(from.virtual + (from.isFrozen ? 0 : machine() - from.machine));
  /** Continues from `virtual`, or stays there. */
  const restart = (virtual: number, isFrozen: boolean) => {
    if (!(virtual >= FIRST_MS && virtual <= LAST_MS))
      throw new RangeError(`${virtual} ms is outside the calendar (years 0 to 9999).`);
    from = { virtual, machine: machine(), isFrozen };
  };

  return {
    now,
    get mode() {
      return from.isFrozen ? 'frozen' : 'real';
    },
    freeze: () => restart(now(), true),
    resume: () => restart(now(), false),
    advance: (seconds) => restart(now() + seconds * 1000, from.isFrozen),
    set: (milliseconds) => restart(milliseconds, from.isFrozen),
    reset() {
      from = START;
    },
    save() {
      const saved = from;
      return () => {
        from = saved;
      };
    },
  };
}

/** Enough digits to exceed every calendar, and few enough for ms to read. */
const FORM = /^-?\d{1,16}(\.\d{1,16})?(ms|s|m|h|d)?$/;
const MOST_SECONDS = 1e16;

/** In seconds. Throws RangeError for an invalid duration. */
export function secondsIn(duration: Duration): number {
  if (typeof duration === 'number' && Math.abs(duration) <= MOST_SECONDS) return duration;
  if (typeof duration !== 'string' || !FORM.test(duration))
    throw new RangeError(
      `"${String(duration).slice(0, 40)}" is not a duration. Use seconds, or a number with a unit: 90, 500ms, 15m, 1h.`,
    );
  return /\d$/.test(duration) ? Number(duration) : ms(duration as StringValue) / 1000;
}
