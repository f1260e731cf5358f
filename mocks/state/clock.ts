/** The time that a mock lives by: that of the machine, until somebody moves it. */

export type ClockMode = 'real' | 'frozen' | 'scaled';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly mode: ClockMode;
  /** How many times as fast as the machine's time it passes; 0 while it is frozen. */
  readonly scale: number;
  /** Stops it. What is moved while it stands stays where it was moved to. */
  freeze(): void;
  /** Lets it pass as fast as the machine's time does, from where it stands. */
  resume(): void;
  /** Lets it pass `factor` times as fast. Throws RangeError unless `factor` is from 0 to 1e9. */
  setScale(factor: number): void;
  /** Moves it on by `seconds`, or back. Throws RangeError if that is no number, or no date. */
  advance(seconds: number): void;
  /** Moves it to a moment, in milliseconds since the epoch. Throws RangeError if that is no date. */
  set(milliseconds: number): void;
  /** The machine's time again. */
  reset(): void;
  /** Returns what brings the clock back to how it goes now; one that stands, to where it stands. */
  save(): () => void;
}

/** The first and the last moment that can be written with four digits of a year (RFC 3339 section 5.6). */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const MAX_SCALE = 1e9;

export const withinCalendar = (milliseconds: number): number =>
  Math.min(LAST_MS, Math.max(FIRST_MS, milliseconds));

/** RFC 3339, in UTC. A time outside the calendar is shown as its first or last moment. */
export const timeText = (milliseconds: number): string =>
  new Date(withinCalendar(milliseconds)).toISOString();

/** `machine` is the time underneath, in milliseconds since the epoch. */
export function createClock(machine: () => number = Date.now): Clock {
  let from = { virtual: 0, machine: 0 };
  let scale = 1;

  const now = () => withinCalendar(from.virtual + (machine() - from.machine) * scale);
  /** Lets time pass at `factor` from `virtual` on. */
  const restart = (virtual: number, factor: number) => {
    if (!(virtual >= FIRST_MS && virtual <= LAST_MS))
      throw new RangeError(`${virtual} ms is no moment of a calendar.`);
    if (!(factor >= 0 && factor <= MAX_SCALE))
      throw new RangeError(`${factor} is no scale from 0 to ${MAX_SCALE}.`);
    from = { virtual, machine: machine() };
    scale = factor;
  };

  return {
    now,
    get mode() {
      return scale === 0 ? 'frozen' : scale === 1 ? 'real' : 'scaled';
    },
    get scale() {
      return scale;
    },
    freeze: () => restart(now(), 0),
    resume: () => restart(now(), 1),
    setScale: (factor) => restart(now(), factor),
    advance: (seconds) => restart(now() + seconds * 1000, scale),
    set: (milliseconds) => restart(milliseconds, scale),
    save() {
      const saved = { from, scale };
      return () => {
        from = saved.from;
        scale = saved.scale;
      };
    },
    reset() {
      from = { virtual: 0, machine: 0 };
      scale = 1;
    },
  };
}
