// @ts-check
/** The certificate of one client, requested while a user looks at it. */
import { el, unseen } from './dom.js';
import { verdictOf } from './verdict.js';

/** @import { Certificate, Wire } from './wire.js' */

/** To judge thousands of calls takes the mock a moment. */
const LEAST_MS = 2000;

/**
 * @param {string} id
 * @param {object} parts
 * @param {Wire} parts.wire
 */
export function createCertificate(id, { wire }) {
  const place = el('div', { class: 'certificate' });
  const root = el('details', {}, el('summary', {}, 'Certificate', unseen(` of ${id}`)), place);
  let asked = Number.NEGATIVE_INFINITY;
  let wanted = '';
  let loaded = '';

  async function ask() {
    asked = performance.now();
    const version = wanted;
    try {
      /** @type {Certificate} */
      const certificate = await wire.read(`certificate?client=${encodeURIComponent(id)}`);
      replace(place, certificate);
      loaded = version;
    } catch (error) {
      place.replaceChildren(
        el('p', { class: 'soft' }, error instanceof Error ? error.message : String(error)),
      );
    }
  }

  return {
    root,
    /** @param {number} version counts what the client has done; the certificate may change with it */
    show(version) {
      wanted = String(version);
      if (!root.open || wanted === loaded || performance.now() - asked < LEAST_MS) return;
      ask();
    },
  };
}

/** Only what is new, and what was unfolded stays so. @param {HTMLElement} place @param {Certificate} certificate */
function replace(place, certificate) {
  const fresh = verdictOf(certificate);
  if (fresh.map(({ outerHTML }) => outerHTML).join('') === place.dataset.shown) return;
  place.dataset.shown = fresh.map(({ outerHTML }) => outerHTML).join('');
  const open = [...place.querySelectorAll('[data-rule]')].filter((rule) =>
    rule.querySelector('details[open]'),
  );
  const names = open.map((rule) => rule.getAttribute('data-rule'));
  place.replaceChildren(...fresh);
  for (const rule of place.querySelectorAll('[data-rule]'))
    if (names.includes(rule.getAttribute('data-rule')))
      rule.querySelector('details')?.setAttribute('open', '');
}
