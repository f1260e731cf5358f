// @ts-check
/** What the mock serves, and what it assumes where the specification is open; or which service a proxy shows. */
import { el, foreign, part, write } from './dom.js';
import { count } from './words.js';

/** @import { Contract } from './wire.js' */

/** @param {Contract} contract */
export function showContract({ basePath, operations, assumptions, service }) {
  if (service !== undefined) showService(service);
  part('operations', HTMLElement).replaceChildren(
    ...operations.map(({ method, path, summary }) =>
      el('li', {}, el('code', {}, `${method} ${basePath}${path}`), el('span', {}, summary)),
    ),
  );
  part('assumptions', HTMLElement).replaceChildren(
    ...assumptions.map(({ answers, choice, reason }) =>
      el('li', {}, el('code', {}, answers), el('span', {}, choice), el('span', { class: 'soft' }, reason)),
    ),
  );
  write(part('operations-title', HTMLElement), `${count(operations.length, 'operation')} of the contract`);
  write(part('assumptions-title', HTMLElement), `${count(assumptions.length, 'assumption')} of the mock`);
}

/** The style sheet leaves out what only a mock has. @param {string} service */
function showService(service) {
  document.body.dataset.service = 'real';
  document.title = 'Proxy of the Mitigation Request Service';
  part('title', HTMLElement).replaceChildren(
    'Proxy ',
    el('span', { class: 'service' }, 'to ', foreign(service)),
  );
}
