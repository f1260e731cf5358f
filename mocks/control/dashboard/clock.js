// @ts-check
/** The mock's time as it passes, and the buttons and forms that move it. */
import { read, send } from './api.js';
import { complain, duration, fill, moment, part, say, sentenceOf, within, write } from './dom.js';

/** @import { Clock } from './api.js' */

const fault = part('clock-fault', HTMLElement);
const to = part('to', HTMLInputElement);

/** @type {Clock} */
let clock = { mode: 'frozen', now: '1970-01-01T00:00:00.000Z', scale: 0 };
let from = { virtual: 0, page: 0 };
let asked = 0;
let applied = 0;

/** The mock's time, in milliseconds since 1970. */
export const now = () => from.virtual + (performance.now() - from.page) * clock.scale;
export const isMoving = () => clock.scale !== 0;

export async function loadClock() {
  await apply(read('clock'));
  if (to.value === '') to.value = `${moment(now()).date}T${moment(now()).time}Z`;
}

export function drawClock() {
  const { date, time, fraction } = moment(now());
  const shown = fill(part('time', HTMLTimeElement), { time, fraction: clock.scale === 0 ? fraction : '' });
  shown.dateTime = `${date}T${time}Z`;
  write(part('date', HTMLElement), `${date} UTC`);
  write(part('mode', HTMLElement), modeOf(clock));
  const expiry = clock.nextExpiry === undefined ? undefined : Date.parse(clock.nextExpiry);
  const left = expiry === undefined ? 0 : Math.max(0, expiry - now());
  const next =
    expiry === undefined
      ? 'No token is valid.'
      : `Next expiry: ${moment(expiry).time}, in ${duration(left)}.`;
  write(part('next', HTMLElement), next);
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
  for (const input of document.querySelectorAll('form[data-action] input'))
    if (input instanceof HTMLInputElement) complain(fault, input, '');
  try {
    await apply(send('PUT', 'clock', move));
    const { date, time } = moment(now());
    say(`The mock's clock is at ${time} on ${date}: ${modeOf(clock).toLowerCase()}.`);
  } catch (error) {
    if (field) complain(fault, field, sentenceOf(error));
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
    const text = field.value.trim();
    const value = member !== 'factor' ? text : text === '' ? null : Number(text);
    moveBy({ action, [member]: value }, field);
  });
}
