// @ts-check
/** A card for each client: its tokens as bars, its calls as marks on them, its terms and its certificate. */
import { read, send } from './api.js';
import { kindOf, shortName } from './calls.js';
import {
  copyOf,
  count,
  duration,
  fill,
  isUnknown,
  moment,
  part,
  say,
  sentenceOf,
  within,
  write,
} from './dom.js';

/** @import { Certificate, Client, Entry, Token } from './api.js' */
/** @import { Kind } from './calls.js' */
/** @typedef {{ seq: number, kind: Kind, age: number, token: string, isValid: boolean }} Call age of the token in ms */
/** @typedef {{ calls: number, refused: number }} Counts */
/** @typedef {Counts & { latest: Call[], ofTokens: Map<string, Counts> }} Activity */
/** @typedef {{ root: HTMLElement, drawn: string, judged: number, judgedAt: number }} Card */

const MOST_CARDS = 40;
const MOST_CLIENTS = 10_000;
const MOST_CALLS = 200;
const MOST_TOKENS = 100;
const MOST_BARS = 6;
/** Room of an event on a time axis, as much as 0.65 s. */
const STEP = 0.5;
/** The mock takes a moment to judge thousands of calls. */
const CERTIFICATE_MS = 2000;

/** @type {Map<string, Activity>} */
const activities = new Map();
/** @type {Map<string, Card>} */
const cards = new Map();
/** @type {Client[]} */
let shown = [];
let isLost = false;

/** Forgets all calls. @param {boolean} lost whether the journal has lost earlier calls */
export function startClients(lost) {
  activities.clear();
  isLost = lost;
}

/** @returns {Activity} */
const idle = () => ({ calls: 0, refused: 0, latest: [], ofTokens: new Map() });

/** @param {Entry} entry */
export function countCall(entry) {
  const { client, token, seq } = entry;
  if (client === undefined) return;
  const activity = activities.get(client) ?? idle();
  keep(activities, client, activity, MOST_CLIENTS);
  const kind = kindOf(entry);
  const name = token?.name ?? '';
  const counted = activity.ofTokens.get(name) ?? { calls: 0, refused: 0 };
  if (name !== '') keep(activity.ofTokens, name, counted, MOST_TOKENS);
  for (const counts of [activity, counted]) {
    counts.calls++;
    if (kind === 'refused') counts.refused++;
  }
  const age = (token?.ageSeconds ?? 0) * 1000;
  activity.latest.push({ seq, kind, age, token: name, isValid: token?.standing === 'valid' });
  if (activity.latest.length >= 2 * MOST_CALLS) activity.latest.splice(0, MOST_CALLS);
}

/** @template Value @param {Map<string, Value>} map @param {string} name @param {Value} value @param {number} most */
function keep(map, name, value, most) {
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/** Shows the clients that did or met something; if there is none, all. @param {Client[]} clients */
export function showClients(clients) {
  const busy = clients.filter(
    ({ id, tokensIssued, script }) => tokensIssued + script.length > 0 || activities.has(id),
  );
  shown = (busy.length > 0 ? busy : clients).slice(0, MOST_CARDS);
  const ids = new Set(shown.map(({ id }) => id));
  for (const [id, { root }] of cards) {
    if (ids.has(id)) continue;
    root.remove();
    cards.delete(id);
  }
  for (const { id } of shown)
    if (!cards.has(id))
      cards.set(id, { root: createCard(id), drawn: '', judged: -1, judgedAt: -CERTIFICATE_MS });
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
    const what = revoke ? 'revoked' : 'expired';
    say(ended === 0 ? `No token of ${client} was valid.` : `${count(ended, 'token')} of ${client} ${what}.`);
  } catch (error) {
    say(sentenceOf(error));
  }
}

/** @param {number} now on the mock's clock */
export function drawClients(now) {
  for (const client of shown) {
    const card = cards.get(client.id);
    if (!card) continue;
    const activity = activities.get(client.id) ?? idle();
    drawCard(card, client, activity, now);
    drawCertificate(card, client.id, activity.calls);
  }
}

/** Draws anew what differs from the last time. @param {Card} card @param {Client} client @param {Activity} activity @param {number} now */
function drawCard(card, client, activity, now) {
  const { root } = card;
  const tokens = client.tokens.slice(-MOST_BARS).map((token) => lifeOf(token, now));
  const { calls, refused } = activity;
  const live = client.tokens.filter((token) => lifeOf(token, now).fate === 'live').length;
  fill(root, {
    facts: [
      `${count(client.tokensIssued, 'token')} issued, ${live} valid`,
      `${count(calls, 'call')}${isLost ? ' or more' : ''}${refused > 0 ? `, ${refused} refused with 403` : ''}`,
      ...termsOf(client),
    ].join(' · '),
  });
  const picture = JSON.stringify([tokens, activity.latest.at(-1)?.seq, live > 0 && Math.floor(now / 1000)]);
  if (picture === card.drawn) return;
  card.drawn = picture;
  const placeOf = axisOf(tokens, activity.latest, now);
  const list = within(root, 'ol', HTMLOListElement);
  while (list.childElementCount > tokens.length) list.lastElementChild?.remove();
  while (list.childElementCount < tokens.length) list.append(copyOf('token-row'));
  for (const [index, life] of tokens.entries()) {
    const row = list.children[tokens.length - 1 - index];
    if (!row) continue;
    const counts = activity.ofTokens.get(life.name);
    fill(row, {
      name: shortName(life.name),
      state: `${stateOf(life, now)}${counts ? ` · ${count(counts.calls, 'call')}` : ''}`,
    });
    const to = placeOf(life.to) ?? 100;
    const bars = [piece(`bar ${life.fate}`, placeOf(life.from) ?? 0, to)];
    if (life.fate === 'live') bars.push(piece('bar past', placeOf(life.from) ?? 0, placeOf('now') ?? 0));
    const marks = activity.latest.filter(({ token }) => token === life.name);
    const dots = marks.map((call) => piece(`mark ${call.kind}`, placeOf(call) ?? 0));
    within(row, '.life', HTMLElement).replaceChildren(...bars, ...dots);
  }
}

/** @param {string} name of the class @param {number} from in percent @param {number} [to] */
function piece(name, from, to) {
  const element = document.createElement('i');
  element.className = name;
  element.style.left = `${from}%`;
  if (to !== undefined) element.style.width = `${Math.max(0, to - from)}%`;
  return element;
}

/** @typedef {{ name: string, fate: 'live' | 'expired' | 'revoked', from: { at: number }, to: { at: number } }} Life */

/** @param {Token} token @param {number} now @returns {Life} */
function lifeOf({ name, ended, issuedAt, expiresAt, endedAt }, now) {
  const expiry = Date.parse(expiresAt);
  const end = endedAt === undefined ? expiry : Date.parse(endedAt);
  // The end of a token that had expired before changes nothing, unless the clock was set back.
  const to = Math.min(expiry, end);
  const isEnded = end < expiry || now < expiry;
  return {
    name,
    fate: isEnded && ended ? ended : now < to ? 'live' : 'expired',
    from: { at: Date.parse(issuedAt) },
    to: { at: to },
  };
}

/** @param {Life} life @param {number} now */
function stateOf({ fate, from, to }, now) {
  if (isUnknown(to.at - from.at)) return fate === 'live' ? 'lifetime not known' : fate;
  const { time } = moment(to.at);
  return fate === 'live' ? `valid until ${time}, ${duration(to.at - now)} left` : `${fate} at ${time}`;
}

/**
 * A time axis in percent. Each event has some room, so that calls in quick succession can be told apart, and a long time
 * without an event gets only a little more.
 *
 * @param {Life[]} tokens oldest first
 * @param {Call[]} calls
 * @param {number} now
 * @returns {(event: object | 'now') => number | undefined}
 */
function axisOf(tokens, calls, now) {
  /** @type {{ key: object | 'now', at: number, order: number }[]} */
  const events = tokens.some(({ fate }) => fate === 'live')
    ? [{ key: 'now', at: now, order: Number.MAX_VALUE }]
    : [];
  for (const { name, from, to } of tokens) {
    const own = calls.filter(({ token }) => token === name);
    for (const call of own) events.push({ key: call, at: from.at + call.age, order: call.seq });
    events.push({ key: from, at: from.at, order: (own[0]?.seq ?? 1) - 0.5 });
    const late = own.find(({ isValid }) => !isValid);
    if (!isUnknown(to.at - from.at)) events.push({ key: to, at: to.at, order: late ? late.seq - 0.5 : 1e15 });
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
  return (event) => {
    const place = places.get(event);
    return place === undefined ? undefined : (100 * (place - STEP)) / Math.max(STEP, end - STEP);
  };
}

/** @param {Client} client */
function termsOf({ tokenLifetimesSeconds: lifetimes, jitter, skewSeconds, aheadSeconds, script }) {
  const few = lifetimes.slice(0, 4).map((s) => (isUnknown(s * 1000) ? 'not known' : duration(s * 1000)));
  const ahead = (/** @type {number} */ s) => `${duration(s * 1000)} ${s > 0 ? 'ahead' : 'behind'}`;
  return [
    `token lifetime ${few.join(', then ')}${lifetimes.length > few.length ? ' and so on' : ''}`,
    ...(jitter > 0 ? [`give or take ${Math.round(jitter * 100)} %`] : []),
    ...(skewSeconds === 0 ? [] : [`clock of the data ${ahead(skewSeconds)}`]),
    ...(aheadSeconds === 0 ? [] : [`own time ${ahead(aheadSeconds)}`]),
    ...(script.length === 0 ? [] : [`script of ${count(script.length, 'step')}`]),
  ];
}

/** Asks for the certificate while it is open, and after new calls. @param {Card} card @param {string} id @param {number} calls */
async function drawCertificate(card, id, calls) {
  if (!within(card.root, 'details', HTMLDetailsElement).open || card.judged === calls) return;
  if (performance.now() - card.judgedAt < CERTIFICATE_MS) return;
  card.judgedAt = performance.now();
  try {
    showCertificate(card.root, await read(`certificate?client=${encodeURIComponent(id)}`));
    card.judged = calls;
  } catch (error) {
    fill(card.root, { verdict: sentenceOf(error) });
  }
}

/** @param {HTMLElement} root @param {Certificate} certificate */
function showCertificate(root, { strategy, tokens: { asked, needed }, rules }) {
  const renewal = {
    reactive: 'Renews after a 403.',
    proactive: 'Renews by its own clock.',
    both: 'Renews by its own clock, and after a 403.',
    none: 'No token was renewed yet.',
  }[strategy];
  const many = (/** @type {string[]} */ ...verdicts) =>
    rules.filter(({ verdict }) => verdicts.includes(verdict)).length;
  const numbers = `${many('passed')} rules passed, ${many('failed')} failed, ${many('warned')} with warnings, ${many('could-not-run', 'not-applicable')} not tested.`;
  fill(root, { verdict: `${renewal} ${count(asked, 'token')} requested, ${needed} required. ${numbers}` });
  const findings = rules.flatMap(({ id, clause, statement, advice, findings: found }) =>
    found.map(({ verdict, seen }) => {
      const title = `${verdict === 'failed' ? 'Failed' : 'Warning'}: ${id}${clause ? ` (${clause})` : ''}`;
      const item = copyOf('finding', { title, statement, seen, advice });
      item.classList.add(verdict);
      return item;
    }),
  );
  const graveFirst = findings.sort((a, b) => a.className.localeCompare(b.className));
  within(root, '.findings', HTMLElement).replaceChildren(...graveFirst);
}
