// @ts-check
/** The control API of the mock, and the parts of the page. Text from outside is only ever set as text, never as markup. */
/** @import { components } from '../../control.openapi.d.ts' */

/** @typedef {components['schemas']['Clock']} Clock */
/** @typedef {components['schemas']['Client']} Client */
/** @typedef {components['schemas']['Entry']} Entry */
/** @typedef {components['schemas']['Contract']} Contract */
/** @typedef {components['schemas']['Scenarios']['scenarios'][number]} Scenario */

/** Other characters are invalid in a header. */
const KEY = /^[\w.~+/-]+=*$/;

/** The API refused a request; the message is its own sentence. */
export class Refused extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

let key = '';

/** @param {string} text */
export function useKey(text) {
  key = text.trim();
}

/** Throws Refused, or another error if nothing answers. @param {string} path below /__mock/ @param {RequestInit} [options] @returns {Promise<any>} */
export async function request(path, options = {}) {
  if (!KEY.test(key)) throw new Refused(401, 'This is not a key.');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const fetched = { ...options, headers, cache: /** @type {const} */ ('no-store') };
  const response = await fetch(`/__mock/${path}`, { ...fetched, credentials: 'omit' });
  if (response.ok) return response.json();
  const { error_description } = await response.json().catch(() => ({}));
  throw new Refused(response.status, error_description ?? `The mock answered ${response.status}.`);
}

/** @template {Element} Kind @param {string} id @param {new () => Kind} kind @returns {Kind} */
export const part = (id, kind) => within(document, `#${id}`, kind);

/** @template {Element} Kind @param {ParentNode} root @param {string} selector @param {new () => Kind} kind @returns {Kind} */
export function within(root, selector, kind) {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} ${selector}.`);
}

/** A copy of a template. @param {string} id @param {Record<string, string>} texts by the name in `data-text` */
export function copyOf(id, texts) {
  const copy = /** @type {DocumentFragment} */ (part(id, HTMLTemplateElement).content.cloneNode(true));
  for (const place of copy.querySelectorAll('[data-text]'))
    place.textContent = texts[place.getAttribute('data-text') ?? ''] ?? '';
  return within(copy, '*', HTMLElement);
}

/** Writes only if the text is new, so that a selection is kept. @param {string} id @param {string} text */
export function write(id, text) {
  const element = part(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
}

/** @type {Map<string, string>} */
const drawn = new Map();

/**
 * Draws the content of a part anew if what it shows has changed, and keeps the choice of a list and the focus of a button.
 *
 * @param {string} id
 * @param {unknown} shown
 * @param {() => HTMLElement[]} draw
 */
export function show(id, shown, draw) {
  const signature = JSON.stringify(shown);
  if (drawn.get(id) === signature) return;
  drawn.set(id, signature);
  const place = part(id, HTMLElement);
  const focused = place.contains(document.activeElement) ? document.activeElement?.getAttribute('value') : '';
  const chosen = place instanceof HTMLSelectElement ? place.value : '';
  place.replaceChildren(...draw());
  if (place instanceof HTMLSelectElement && [...place.options].some(({ value }) => value === chosen))
    place.value = chosen;
  for (const button of place.querySelectorAll('button')) if (button.value === focused) button.focus();
}

/** Shows why a field was refused; without a sentence, that it is accepted. @param {string} place @param {HTMLElement} field @param {string} sentence */
export function complain(place, field, sentence) {
  part(place, HTMLElement).hidden = sentence === '';
  write(place, sentence);
  field.setAttribute('aria-invalid', String(sentence !== ''));
  if (sentence !== '') field.focus();
}

/** Of an error that is no refusal: nothing answered. @param {unknown} error */
export const sentenceOf = (error) =>
  error instanceof Refused ? error.message : `The mock does not answer at ${location.host}.`;

const UNITS = /** @type {const} */ ([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]);

/** `14 min 58 s`: two units at most, rounded down. @param {number} ms */
export function duration(ms) {
  const all = Math.floor(Math.abs(ms));
  const first = UNITS.findIndex(([, size]) => all >= size);
  if (first === -1) return all === 0 ? '0 s' : `${all} ms`;
  return UNITS.slice(first, first + 2)
    .map(([unit, size], nth) => [Math.floor((nth === 0 ? all : all % (UNITS[first]?.[1] ?? 1)) / size), unit])
    .filter(([many]) => many !== 0)
    .map(([many, unit]) => `${many?.toLocaleString('en-GB')} ${unit}`)
    .join(' ');
}

/** `1,200 calls`. @param {number} many @param {string} noun */
export const count = (many, noun) => `${many.toLocaleString('en-GB')} ${noun}${many === 1 ? '' : 's'}`;

/** The parts of `2030-01-01T12:00:10.400Z`. @param {number} at */
export function moment(at) {
  const [date = '', time = ''] = new Date(at).toISOString().split('T');
  return { date, time: time.slice(0, 8), fraction: time.slice(8, 12) };
}
