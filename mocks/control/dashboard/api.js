// @ts-check
/** The control API of the mock, and the parts of the page. Text from outside is only ever set as text, never as markup. */
/** @import { components } from '../../control.openapi.d.ts' */

/** @typedef {components['schemas']['Clock']} Clock */
/** @typedef {components['schemas']['Client']} Client */
/** @typedef {components['schemas']['Token']} Token */
/** @typedef {components['schemas']['Entry']} Entry */
/** @typedef {components['schemas']['Contract']} Contract */
/** @typedef {components['schemas']['Scenarios']['scenarios'][number]} Scenario */
/** @typedef {Record<string, string>} Texts by the name in `data-text` */

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
export async function read(path, options = {}) {
  if (!KEY.test(key)) throw new Refused(401, 'This is not a key.');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`/__mock/${path}`, {
    ...options,
    headers,
    cache: 'no-store',
    credentials: 'omit',
  });
  if (response.ok) return response.json();
  const { error_description } = await response.json().catch(() => ({}));
  throw new Refused(response.status, error_description ?? `The mock answered ${response.status}.`);
}

/** Changes something, and lets the page look again. @param {string} method @param {string} path @param {unknown} body */
export async function send(method, path, body) {
  try {
    return await read(path, { method, body: JSON.stringify(body) });
  } finally {
    document.dispatchEvent(new Event('changed'));
  }
}

/**
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export const part = (id, kind) => within(document, `#${id}`, kind);

/**
 * The first element of a kind in another one.
 *
 * @template {Element} Kind
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function within(root, selector, kind) {
  const found = root.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} ${selector}.`);
}

/** A copy of a template with these texts. @param {string} id @param {Texts} texts */
export function copyOf(id, texts = {}) {
  const copy = /** @type {DocumentFragment} */ (part(id, HTMLTemplateElement).content.cloneNode(true));
  return fill(within(copy, '*', HTMLElement), texts);
}

/** @template {Element} Kind @param {Kind} root @param {Texts} texts @returns {Kind} */
export function fill(root, texts) {
  for (const [name, text] of Object.entries(texts))
    for (const place of root.querySelectorAll(`[data-text="${name}"]`)) write(place, text);
  return root;
}

/** Writes only if the text is new, so that a selection is kept. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Replaces the options if they changed, and keeps the choice. @param {HTMLSelectElement} select @param {[value: string, text: string][]} options */
export function offer(select, options) {
  const wanted = JSON.stringify(options);
  if (select.dataset.offered === wanted) return;
  select.dataset.offered = wanted;
  const chosen = select.value;
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  if (options.some(([value]) => value === chosen)) select.value = chosen;
}

/** Shows why a field was refused; without a sentence, that it is accepted. @param {string} place @param {HTMLElement} field @param {string} sentence */
export function complain(place, field, sentence) {
  const fault = part(place, HTMLElement);
  fault.hidden = sentence === '';
  fault.textContent = sentence;
  field.setAttribute('aria-invalid', String(sentence !== ''));
  if (sentence !== '') field.focus();
}

/** Announces a sentence at the top of the page. @param {string} sentence */
export const say = (sentence) => write(part('status', HTMLElement), sentence);

/** @param {unknown} error */
export const sentenceOf = (error) => (error instanceof Error ? error.message : String(error));

/** @type {readonly (readonly [unit: string, ms: number])[]} */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** `14 min 58 s`: two units at most, rounded down. @param {number} ms */
export function duration(ms) {
  let rest = Math.floor(Math.abs(ms));
  const first = UNITS.findIndex(([, size]) => rest >= size);
  if (first === -1) return rest === 0 ? '0 s' : `${rest} ms`;
  const parts = [];
  for (const [unit, size] of UNITS.slice(first, first + 2)) {
    const many = Math.floor(rest / size);
    if (many > 0) parts.push(`${many.toLocaleString('en-GB')} ${unit}`);
    rest -= many * size;
  }
  return parts.join(' ');
}

/** `1,200 calls`. @param {number} many @param {string} noun */
export const count = (many, noun) => `${many.toLocaleString('en-GB')} ${noun}${many === 1 ? '' : 's'}`;

/** The parts of `2030-01-01T12:00:10.400Z`, also where the year has more digits. @param {number} at */
export function moment(at) {
  const [date = '', time = ''] = new Date(Math.max(-8.64e15, Math.min(8.64e15, at))).toISOString().split('T');
  return { date, time: time.slice(0, 8), fraction: time.slice(8, 12) };
}
