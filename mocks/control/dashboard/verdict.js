// @ts-check
/** What a certificate says, in short: how the client renews, what it costs, and what was found. */
import { el, foreign, unseen } from './dom.js';
import { count, duration } from './words.js';

/** @import { Certificate, JudgedRule } from './wire.js' */

/** @param {Certificate} certificate @returns {HTMLElement[]} */
export function verdictOf(certificate) {
  const { rules } = certificate;
  const broken = rules.filter(({ findings }) => findings.length > 0);
  const grave = [...broken].sort((a, b) => rank(a) - rank(b));
  return [
    el(
      'dl',
      { class: 'verdict' },
      ...row('Strategy', strategyOf(certificate)),
      ...row('Tokens', tokensOf(certificate)),
      ...row('Rules', rulesOf(rules)),
    ),
    grave.length === 0
      ? el('p', { class: 'soft' }, 'No violations or warnings.')
      : el('ul', { class: 'findings' }, ...grave.map(findingsOf)),
  ];
}

/** @param {string} term @param {string} text */
const row = (term, text) => [el('dt', {}, term), el('dd', {}, text)];

/** @param {Pick<JudgedRule, 'verdict'>} rule */
const rank = ({ verdict }) => (verdict === 'failed' ? 0 : 1);

/** @param {Certificate} certificate */
function strategyOf({ strategy, marginSeconds }) {
  const early = marginSeconds !== undefined && marginSeconds > 0;
  const margin = early ? `, ${duration(marginSeconds * 1000)} before the expiry` : '';
  if (strategy === 'reactive') return 'Reactive: renews after a 403.';
  if (strategy === 'proactive') return `Proactive: renews by its own clock${margin}.`;
  if (strategy === 'both') return `Both: renews by its own clock${margin}, and after a 403.`;
  return 'Not known yet: no token was renewed.';
}

/** @param {Certificate} certificate */
function tokensOf({ tokens: { asked, needed } }) {
  return `${count(asked, 'token')} requested, ${asked === needed ? 'as many as required' : `${needed} required`}.`;
}

/** @param {JudgedRule[]} rules */
function rulesOf(rules) {
  const of = (/** @type {JudgedRule['verdict']} */ wanted) =>
    rules.filter(({ verdict }) => verdict === wanted).length;
  const untried = of('could-not-run') + of('not-applicable');
  return `${of('passed')} passed, ${of('failed')} failed, ${of('warned')} with warnings, ${untried} not tested.`;
}

/** @param {JudgedRule} rule */
function findingsOf({ id, clause, verdict, statement, findings, advice }) {
  const isGrave = verdict === 'failed';
  return el(
    'li',
    { class: isGrave ? 'finding bad' : 'finding', 'data-rule': id },
    el(
      'p',
      {},
      el('strong', {}, `${id} ${isGrave ? 'failed' : 'warning'}`),
      el('span', { class: 'soft' }, clause === undefined ? ' good practice' : ` ${clause}`),
    ),
    el('p', {}, statement),
    el(
      'ul',
      { class: 'seen' },
      ...findings.map(({ scenario, seen }) => el('li', {}, `${scenario}: `, foreign(seen))),
    ),
    el(
      'details',
      {},
      el('summary', {}, 'What to do', unseen(` about ${id}`)),
      el('p', { class: 'advice' }, advice),
    ),
  );
}
