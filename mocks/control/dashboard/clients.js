// @ts-check
/** A card for each client: its tokens as bars, its calls as marks on them, and its terms. */
import { copyOf, count, duration, fill, moment, part, say, send, sentenceOf, within, write } from './api.js';
import { kindOf, shortName } from './calls.js';

/** @import { Client, Entry, Token } from './api.js' */
/** @import { Kind } from './calls.js' */
/** @typedef {{ seq: number, kind: Kind, age: number, token: string, isValid: boolean }} Call age of the token in ms */
/** @typedef {{ calls: number, refused: number, latest: Call[] }} Activity */
/** @typedef {{ root: HTMLElement, drawn: string }} Card */
/** @typedef {{ name: string, fate: 'valid' | 'expired' | 'revoked', from: { at: number }, to: { at: number } }} Life */

const MOST_CARDS = 40;
const MOST_CLIENTS = 10_000;
const MOST_CALLS = 200;
const MOST_BARS = 6;
/** Room of an event on a time axis, as much as 0.65 s. */
const STEP = 0.5;

/** @type {Map<string, Activity>} */
const activities = new Map();
/** @type {Map<string, Card>} */
const cards = new Map();
/** @type {Client[]} */
let shown = [];

/** Forgets all calls. */
export const startClients = () => activities.clear();

/** @param {string} id @returns {Activity} */
const activityOf = (id) => activities.get(id) ?? { calls: 0, refused: 0, latest: [] };

/** @param {Entry} entry */
export function countCall(entry) {
  const { client, token, seq } = entry;
  if (client === undefined || (activities.size >= MOST_CLIENTS && !activities.has(client))) return;
  const activity = activityOf(client);
  activities.set(client, activity);
  const kind = kindOf(entry);
  activity.calls++;
  if (kind === 'refused') activity.refused++;
  const age = (token?.ageSeconds ?? 0) * 1000;
  activity.latest.push({ seq, kind, age, token: token?.name ?? '', isValid: token?.status === 'valid' });
  if (activity.latest.length > MOST_CALLS) activity.latest.shift();
}

/** Shows the clients that did or met something; if there is none, all. @param {Client[]} clients */
export function showClients(clients) {
  const busy = clients.filter(
    ({ id, tokensIssued, script }) => tokensIssued + script.length > 0 || activities.has(id),
  );
  shown = (busy.length > 0 ? busy : clients).slice(0, MOST_CARDS);
  for (const [id, { root }] of cards) {
    if (shown.some((client) => client.id === id)) continue;
    root.remove();
    cards.delete(id);
  }
  for (const { id } of shown) if (!cards.has(id)) cards.set(id, { root: createCard(id), drawn: '' });
  const rest = clients.length - shown.length;
  write(part('idle', HTMLElement), rest === 0 ? '' : `${count(rest, 'more client')} not shown.`);
}

/** @param {string} id */
function createCard(id) {
  const root = copyOf('client-card', { id });
  root.setAttribute('aria-label', id);
  for (const button of root.querySelectorAll('[data-end]'))
    button.addEventListener('click', () => end(id, button.getAttribute('data-end') === 'revoke'));
  part('clients', HTMLElement).append(root);
  return root;
}

/** @param {string} client @param {boolean} revoke */
async function end(client, revoke) {
  try {
    const { ended } = await send('POST', 'expire', { client, revoke });
    say(`${count(ended, 'token')} of ${client} ${revoke ? 'revoked' : 'expired'}.`);
  } catch (error) {
    say(sentenceOf(error));
  }
}

/** Draws anew what differs from the last time. @param {number} now on the mock's clock */
export function drawClients(now) {
  for (const client of shown) {
    const card = cards.get(client.id);
    if (!card) continue;
    const { calls, refused, latest } = activityOf(client.id);
    const tokens = client.tokens.slice(-MOST_BARS).map((token) => lifeOf(token, now));
    const valid = client.tokens.filter((token) => lifeOf(token, now).fate === 'valid').length;
    fill(card.root, {
      facts: [
        `${count(client.tokensIssued, 'token')} issued, ${valid} valid`,
        `${count(calls, 'call')}${refused > 0 ? `, ${refused} refused with 403` : ''}`,
        ...termsOf(client),
      ].join(' · '),
    });
    const picture = JSON.stringify([tokens, latest.at(-1)?.seq, valid > 0 && Math.floor(now / 1000)]);
    if (picture !== card.drawn) drawTokens(card.root, tokens, latest, now);
    card.drawn = picture;
  }
}

/** @param {HTMLElement} root @param {Life[]} tokens oldest first @param {Call[]} calls @param {number} now */
function drawTokens(root, tokens, calls, now) {
  const placeOf = axisOf(tokens, calls, now);
  const lines = tokens.map((life) => {
    const line = copyOf('token-row', { name: shortName(life.name), state: stateOf(life, now) });
    const bars = [piece(`bar ${life.fate}`, placeOf(life.from), placeOf(life.to))];
    if (life.fate === 'valid') bars.push(piece('bar past', placeOf(life.from), placeOf('now')));
    const own = calls.filter(({ token }) => token === life.name);
    const marks = own.map((call) => piece(`mark ${call.kind}`, placeOf(call)));
    within(line, '.life', HTMLElement).replaceChildren(...bars, ...marks);
    return line;
  });
  within(root, 'ol', HTMLOListElement).replaceChildren(...lines.reverse());
}

/** @param {string} name of the class @param {number} from in percent @param {number} [to] */
function piece(name, from, to) {
  const element = document.createElement('i');
  element.className = name;
  element.style.left = `${from}%`;
  if (to !== undefined) element.style.width = `${Math.max(0, to - from)}%`;
  return element;
}

/** @param {Token} token @param {number} now @returns {Life} */
function lifeOf({ name, status, issuedAt, expiresAt, endedAt = expiresAt }, now) {
  const to = Math.min(Date.parse(expiresAt), Date.parse(endedAt));
  const fate = status === 'unknown' ? 'revoked' : status === 'valid' && now < to ? 'valid' : 'expired';
  return { name, fate, from: { at: Date.parse(issuedAt) }, to: { at: to } };
}

/** @param {Life} life @param {number} now */
function stateOf({ fate, to }, now) {
  const { time } = moment(to.at);
  return fate === 'valid' ? `valid until ${time}, ${duration(to.at - now)} left` : `${fate} at ${time}`;
}

/**
 * A time axis in percent. Each event has some room, so that calls in quick succession can be distinguished, and a long time
 * without an event gets only a little more.
 *
 * @param {Life[]} tokens oldest first
 * @param {Call[]} calls
 * @param {number} now
 * @returns {(event: object | 'now') => number}
 */
function axisOf(tokens, calls, now) {
  /** @type {{ key: object | 'now', at: number, order: number }[]} */
  const events = tokens.some(({ fate }) => fate === 'valid') ? [{ key: 'now', at: now, order: 1e16 }] : [];
  for (const { name, from, to } of tokens) {
    const own = calls.filter(({ token }) => token === name);
    for (const call of own) events.push({ key: call, at: from.at + call.age, order: call.seq });
    events.push({ key: from, at: from.at, order: (own[0]?.seq ?? 1) - 0.5 });
    const late = own.find(({ isValid }) => !isValid);
    events.push({ key: to, at: to.at, order: late ? late.seq - 0.5 : 1e15 });
  }
  events.sort((a, b) => a.at - b.at || a.order - b.order);
  let end = 0;
  let last = events[0]?.at ?? 0;
  const places = new Map();
  for (const { key, at } of events) {
    end += STEP + Math.log1p((at - last) / 1000);
    last = at;
    places.set(key, end);
  }
  return (event) => (100 * ((places.get(event) ?? STEP) - STEP)) / Math.max(STEP, end - STEP);
}

/** @param {Client} client */
function termsOf({ tokenLifetimesSeconds: lifetimes, script }) {
  const few = lifetimes.slice(0, 4).map((seconds) => duration(seconds * 1000));
  return [
    `token lifetime ${few.join(', then ')}${lifetimes.length > few.length ? ' and so on' : ''}`,
    ...(script.length === 0 ? [] : [`script of ${count(script.length, 'step')}`]),
  ];
}
