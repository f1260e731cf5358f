// @ts-check
/** A card for each client, with its tokens as bars and its calls as marks on them; and a row for each call. */
import { copyOf, count, duration, moment, within } from './api.js';

/** @import { Client, Entry } from './api.js' */
/** @typedef {{ name: string, fate: 'valid' | 'expired' | 'revoked', from: number, to: number, calls: Entry[] }} Life */

const MOST_CALLS = 200;
const MOST_BARS = 6;
/** Room of an event on a time axis, as much as 0.65 s. */
const STEP = 0.5;

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
  const to = Math.min(Date.parse(expiresAt), Date.parse(endedAt));
  const fate = status === 'unknown' ? 'revoked' : status === 'valid' && now < to ? 'valid' : 'expired';
  const own = calls.slice(-MOST_CALLS).filter(({ token }) => token?.name === name);
  return { name, fate, from: Date.parse(issuedAt), to, calls: own };
}

/** A line for each token, newest first. @param {Life[]} lives @param {number} now */
function barsOf(lives, now) {
  const placeOf = axisOf(lives, now);
  return lives.toReversed().map((life) => {
    const { name, fate, to, calls } = life;
    const { time } = moment(to);
    const state = fate === 'valid' ? `valid until ${time}, ${duration(to - now)} left` : `${fate} at ${time}`;
    const line = copyOf('token-row', { name: shortName(name), state });
    const start = placeOf(life, 'from');
    within(line, '.life', HTMLElement).replaceChildren(
      piece(`bar ${fate}`, start, placeOf(life, 'to')),
      ...(fate === 'valid' ? [piece('bar past', start, placeOf('now'))] : []),
      ...calls.map((call) => piece(`mark ${kindOf(call)}`, placeOf(call))),
    );
    return line;
  });
}

/** @param {string} name of the class @param {number} from in percent @param {number} [to] */
function piece(name, from, to) {
  const element = document.createElement('i');
  element.className = name;
  element.style.left = `${from}%`;
  if (to !== undefined) element.style.width = `${Math.max(0, to - from)}%`;
  return element;
}

/**
 * A time axis in percent. Each event has some room, so that calls in quick succession can be distinguished, and a long time
 * without an event gets only a little more. At one moment, a token ends before the first call that finds it so.
 *
 * @param {Life[]} lives oldest first
 * @param {number} now
 * @returns {(of: Life | Entry | 'now', end?: 'from' | 'to') => number}
 */
function axisOf(lives, now) {
  /** @type {[key: unknown, end: string, at: number, order: number][]} */
  const events = [['now', '', now, Number.POSITIVE_INFINITY]];
  for (const life of lives) {
    const late = life.calls.find(({ token }) => token?.status !== 'valid');
    // A token is issued a little after its request was judged.
    const [first] = life.calls;
    const from = first?.operation === 'obtainToken' ? Date.parse(first.at) : life.from;
    events.push([life, 'from', from, (first?.seq ?? 1) - 0.5]);
    events.push([life, 'to', life.to, late ? late.seq - 0.5 : 1e15]);
    for (const call of life.calls) events.push([call, '', Date.parse(call.at), call.seq]);
  }
  const used = lives.some(({ fate }) => fate === 'valid') ? events : events.slice(1);
  used.sort(([, , a, first], [, , b, second]) => a - b || first - second);
  let end = -STEP;
  const places = used.map(([, , at], nth) => {
    end += STEP + Math.log1p((at - (used[nth - 1]?.[2] ?? at)) / 1000);
    return end;
  });
  return (of, which = /** @type {any} */ ('')) =>
    (100 * (places[used.findIndex(([key, side]) => key === of && side === which)] ?? 0)) /
    Math.max(STEP, end);
}

/** @param {Entry} entry */
export function rowOf(entry) {
  const { at, client, method, path, status, reason, ended, token, script } = entry;
  const row = copyOf('call-row', {
    time: at.split('T')[1]?.replace('Z', '') ?? at,
    client: client ?? '',
    call: `${method} ${path}`,
    status: ended ? `${status} ${ended}` : String(status),
    reason,
    steps: script ? `step ${script.join(', ')}` : '',
    token: token ? shortName(token.name) : '',
    age: token ? `${duration(token.ageSeconds * 1000)} old, ${token.status}` : '',
  });
  row.classList.add(kindOf(entry));
  return row;
}
