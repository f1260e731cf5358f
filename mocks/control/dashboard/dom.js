// @ts-check
/** Parts of the page, and words for times and numbers. Text from outside is only ever set as text, never as markup. */

/** @typedef {Record<string, string>} Texts by the name in `data-text` */

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
  const copy = part(id, HTMLTemplateElement).content.cloneNode(true);
  if (!(copy instanceof DocumentFragment)) throw new Error(`The template ${id} cannot be copied.`);
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

/** An element of one text. @param {string} name @param {string} text */
export function el(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
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

/** Shows why a field was refused; without a sentence, that it no longer is. @param {HTMLElement} place @param {HTMLElement} field @param {string} sentence */
export function complain(place, field, sentence) {
  place.hidden = sentence === '';
  place.textContent = sentence;
  const others = (field.getAttribute('aria-describedby') ?? '').split(' ').filter((id) => id !== place.id);
  field.setAttribute(
    'aria-describedby',
    [...(sentence === '' ? [] : [place.id]), ...others].join(' ').trim(),
  );
  field.removeAttribute('aria-invalid');
  if (sentence === '') return;
  field.setAttribute('aria-invalid', 'true');
  field.focus();
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
  if (rest < 1000) return rest === 0 ? '0 s' : `${rest} ms`;
  const parts = [];
  const first = UNITS.findIndex(([, size]) => rest >= size);
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

/** Whether a lifetime is unknown: a proxy gives tokens ten years if it does not know their lifetime. @param {number} ms */
export const isUnknown = (ms) => ms >= 315_360_000_000;
