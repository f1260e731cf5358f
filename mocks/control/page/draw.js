// @ts-check
/** A card for each client, with its tokens as bars and its calls as marks on them; and a row for each call. */
import { copyOf, count, duration, moment, within } from './api.js';

/** @import { Client, Entry } from './api.js' */
/** @typedef {{ name: string, fate: 'valid' | 'expired' | 'revoked', from: number, to: number, agreed: number, calls: Entry[] }} Life */

const MOST_CALLS = 200;
const MOST_BARS = 6;

/** @param {Entry} entry */
function kindOf({ status, ended, operation }) {
  if (status === 403) return 'refused';
  if (status >= 300 || ended) return 'other';
  return operation === 'obtainToken' ? 'issued' : 'served';
}

/** `#3`, since its client is named next to it. @param {string} name */
const shortName = (name) => name.slice(name.lastIndexOf('#'));

/** @param {Client} client @param {Entry[]} calls of it, oldest first @param {number} now on the mock's clock */
export function cardOf({ id, tokens, tokensIssued, tokenLifetimesSeconds, script }, calls, now) {
  const lives = tokens.map((token) => lifeOf(token, calls, now));
  const refused = calls.filter(({ status }) => status === 403).length;
  const lifetimes = tokenLifetimesSeconds.map((seconds) => duration(seconds * 1000));
  const facts = [
    `${count(tokensIssued, 'token')} issued${tokensIssued > MOST_BARS ? ` (${MOST_BARS} shown)` : ''}, ${lives.filter(({ fate }) => fate === 'valid').length} valid`,
    `${count(calls.length, 'call')}${refused > 0 ? `, ${refused} refused with 403` : ''}`,
    `token lifetime ${lifetimes.join(', then ')}`,
    ...(script.length === 0 ? [] : [`script of ${count(script.length, 'step')}`]),
  ];
  const card = copyOf('client-card', { id, facts: facts.join(' · ') });
  card.setAttribute('aria-label', id);
  for (const button of card.querySelectorAll('button')) button.value = `${button.dataset.end} ${id}`;
  within(card, 'ol', HTMLOListElement).replaceChildren(...barsOf(lives.slice(-MOST_BARS), now));
  return card;
}

/** @param {Client['tokens'][number]} token @param {Entry[]} calls @param {number} now @returns {Life} */
function lifeOf({ name, status, issuedAt, expiresAt, endedAt = expiresAt }, calls, now) {
  const agreed = Date.parse(expiresAt);
  const to = Math.min(agreed, Date.parse(endedAt));
  const fate = status === 'unknown' ? 'revoked' : status === 'valid' && now < to ? 'valid' : 'expired';
  const own = calls.slice(-MOST_CALLS).filter(({ token }) => token?.name === name);
  return { name, fate, from: Date.parse(issuedAt), to, agreed, calls: own };
}

/** A line for each token, newest first, as wide as its agreed life. @param {Life[]} lives @param {number} now */
const barsOf = (lives, now) =>
  lives.toReversed().map(({ name, fate, from, to, agreed, calls }) => {
    /** @param {number} at */
    const placeOf = (at) => Math.min(100, Math.max(0, (100 * (at - from)) / Math.max(1, agreed - from)));
    const state =
      fate === 'valid'
        ? `valid until ${moment(to).time}, ${duration(to - now)} left`
        : `${fate} at ${moment(to).time}`;
    const line = copyOf('token-row', { name: shortName(name), state });
    within(line, '.life', HTMLElement).replaceChildren(
      piece(`bar ${fate}`, 0, placeOf(to)),
      ...(fate === 'valid' ? [piece('bar past', 0, placeOf(now))] : []),
      ...calls.map((call) => piece(`mark ${kindOf(call)}`, placeOf(Date.parse(call.at)))),
    );
    return line;
  });

/** @param {string} name of the class @param {number} from in percent @param {number} [to] */
function piece(name, from, to) {
  const element = document.createElement('i');
  element.className = name;
  element.style.left = `${from}%`;
  if (to !== undefined) element.style.width = `${Math.max(0, to - from)}%`;
  return element;
}

/** @param {Entry} entry */
export function rowOf(entry) {
  const { at, client, method, path, status, reason, nearest, ended, token, script } = entry;
  const row = copyOf('call-row', {
    time: at.split('T')[1]?.replace('Z', '') ?? at,
    client: client ?? '',
    call: `${method} ${path}`,
    status: ended ? `${status} ${ended}` : String(status),
    reason: nearest ? `${reason}, nearest client id: ${nearest}` : reason,
    steps: script ? `step ${script.join(', ')}` : '',
    token: token ? shortName(token.name) : '',
    age: token ? `${duration(token.ageSeconds * 1000)} old, ${token.status}` : '',
  });
  row.classList.add(kindOf(entry));
  return row;
}
