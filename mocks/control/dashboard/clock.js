// @ts-check
/** The mock's time, as it passes, and what moves it. */
import { part, write } from './dom.js';
import { duration, moment } from './words.js';

/** @import { ClockState, Wire } from './wire.js' */

/**
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 * @param {() => void} parts.changed
 */
export function createClock({ wire, say, changed }) {
  const time = part('time', HTMLTimeElement);
  const [hours, fraction] = [part('hours', HTMLElement), part('fraction', HTMLElement)];
  const [date, mode, next] = [
    part('date', HTMLElement),
    part('mode', HTMLElement),
    part('next', HTMLElement),
  ];
  const [by, to, factor] = ['by', 'to', 'factor'].map((id) => part(id, HTMLInputElement));
  const fault = part('clock-fault', HTMLElement);
  /** @type {ClockState} */
  let state = { mode: 'frozen', now: '1970-01-01T00:00:00Z', scale: 0 };
  let from = { virtual: 0, page: 0 };
  let asked = 0;
  let applied = 0;

  const now = () => from.virtual + (performance.now() - from.page) * state.scale;

  /** Ignores an answer that arrives after a later one. @param {Promise<ClockState>} asking */
  async function apply(asking) {
    const ticket = ++asked;
    const begun = performance.now();
    const received = await asking;
    if (ticket < applied) return;
    applied = ticket;
    state = received;
    from = { virtual: Date.parse(received.now), page: (begun + performance.now()) / 2 };
    document.body.dataset.clock = received.mode;
    write(mode, MODES[received.mode](received.scale));
    tick();
  }

  function tick() {
    const at = Math.max(-8.64e15, Math.min(8.64e15, now()));
    const shown = moment(at);
    write(hours, shown.time);
    write(fraction, state.mode === 'frozen' ? shown.fraction : '');
    write(date, `${shown.date} UTC`);
    time.dateTime = `${shown.date}T${shown.time}Z`;
    if (state.nextExpiry === undefined) return write(next, 'No token is valid.');
    const expiry = Date.parse(state.nextExpiry);
    write(next, `Next expiry: ${moment(expiry).time}, in ${duration(Math.max(0, expiry - at))}.`);
  }

  /** @param {Record<string, unknown>} move @param {HTMLInputElement} [field] that the value comes from */
  async function send(move, field) {
    complain('');
    try {
      await apply(wire.send('PUT', 'clock', move));
      const shown = moment(now());
      say(
        `It is ${shown.time} on ${shown.date} for the mock, ${MODES[state.mode](state.scale).toLowerCase()}.`,
      );
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      if (field) complain(sentence, field);
      say(field ? 'The clock was not moved.' : sentence);
    }
    changed();
  }

  /** @param {string} sentence @param {HTMLInputElement} [field] */
  function complain(sentence, field) {
    for (const one of [by, to, factor]) {
      one?.removeAttribute('aria-invalid');
      one?.removeAttribute('aria-describedby');
    }
    fault.hidden = sentence === '';
    fault.textContent = sentence;
    field?.setAttribute('aria-invalid', 'true');
    field?.setAttribute('aria-describedby', fault.id);
    field?.focus();
  }

  /** @param {string} id @param {() => Record<string, unknown>} move */
  const button = (id, move) => part(id, HTMLButtonElement).addEventListener('click', () => send(move()));
  button('freeze', () => ({ action: 'freeze' }));
  button('resume', () => ({ action: 'resume' }));
  button('minute', () => ({ action: 'advance', by: '1m' }));
  button('quarter', () => ({ action: 'advance', by: '15m' }));
  button('to-expiry', () => ({ action: 'advance', until: 'next-expiry' }));
  button('before-expiry', () => ({ action: 'advance', until: 'next-expiry', delta: '-1s' }));
  button('reset', () => ({ action: 'reset' }));

  /** @param {string} id @param {HTMLInputElement | undefined} field @param {(text: string) => Record<string, unknown>} move */
  const form = (id, field, move) =>
    part(id, HTMLFormElement).addEventListener('submit', (event) => {
      event.preventDefault();
      if (field) send(move(field.value.trim()), field);
    });
  form('advance', by, (text) => ({ action: 'advance', by: text }));
  form('set', to, (text) => ({ action: 'set', to: text }));
  form('scale', factor, (text) => ({ action: 'scale', factor: text === '' ? null : Number(text) }));

  return {
    now,
    tick,
    isMoving: () => state.scale !== 0,
    async load() {
      await apply(wire.read('clock'));
      if (to && to.value === '') to.value = `${moment(now()).date}T${moment(now()).time}Z`;
    },
  };
}

/** @type {Record<ClockState['mode'], (scale: number) => string>} */
const MODES = {
  real: () => 'Passing in real time',
  frozen: () => 'Frozen',
  scaled: (scale) => `Passing ${scale} times as fast`,
};
