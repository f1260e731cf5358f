// @ts-check
/** The mock's time as it passes, and the buttons and forms that move it. */
import { complain, duration, moment, part, read, say, send, sentenceOf, within, write } from './api.js';

/** @import { Clock } from './api.js' */

const to = part('to', HTMLInputElement);

/** @type {Clock} */
let clock = { mode: 'frozen', now: '1970-01-01T00:00:00.000Z', scale: 0 };
let from = { virtual: 0, page: 0 };
let asked = 0;
let applied = 0;

/** The mock's time, in milliseconds since 1970. */
export const now = () => from.virtual + (performance.now() - from.page) * clock.scale;

export async function loadClock() {
  await apply(read('clock'));
  if (to.value === '') to.value = `${moment(now()).date}T${moment(now()).time}Z`;
}

export function drawClock() {
  const { date, time, fraction } = moment(now());
  const shown = part('time', HTMLTimeElement);
  write(shown, time + (clock.scale === 0 ? fraction : ''));
  shown.dateTime = `${date}T${time}Z`;
  write(part('date', HTMLElement), `${date} UTC`);
  write(part('mode', HTMLElement), modeOf(clock));
  const expiry = Date.parse(clock.nextExpiry ?? '');
  const left = duration(Math.max(0, expiry - now()));
  const next = `Next expiry: ${moment(expiry || 0).time}, in ${left}.`;
  write(part('next', HTMLElement), clock.nextExpiry === undefined ? 'No token is valid.' : next);
}

/** Ignores an answer that arrives after a later one. @param {Promise<Clock>} answer */
async function apply(answer) {
  const ticket = ++asked;
  const begun = performance.now();
  const received = await answer;
  if (ticket < applied) return;
  applied = ticket;
  clock = received;
  from = { virtual: Date.parse(received.now), page: (begun + performance.now()) / 2 };
  document.body.dataset.clock = received.mode;
  drawClock();
}

/** @param {Record<string, unknown>} move @param {HTMLInputElement} [field] with the value of the move */
async function moveBy(move, field) {
  for (const id of ['by', 'to']) complain('clock-fault', part(id, HTMLInputElement), '');
  try {
    await apply(send('PUT', 'clock', move));
    const { date, time } = moment(now());
    say(`The mock's clock is at ${time} on ${date}: ${modeOf(clock).toLowerCase()}.`);
  } catch (error) {
    if (field) complain('clock-fault', field, sentenceOf(error));
    say(field ? 'The clock was not moved.' : sentenceOf(error));
  }
}

/** @param {Clock} clock */
function modeOf({ mode, scale }) {
  if (mode === 'scaled') return `${scale} times as fast`;
  return mode === 'frozen' ? 'Frozen' : 'Real time';
}

for (const button of document.querySelectorAll('[data-move]'))
  button.addEventListener('click', () => moveBy(JSON.parse(button.getAttribute('data-move') ?? '')));
for (const form of document.querySelectorAll('form[data-action]')) {
  const field = within(form, 'input', HTMLInputElement);
  const [action, member = ''] = ['data-action', 'data-member'].map((name) => form.getAttribute(name) ?? '');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    moveBy({ action, [member]: field.value.trim() }, field);
  });
}
