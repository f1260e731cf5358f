// @ts-check
/** One client: its lane, its terms, and the same as a table. */
import { createCertificate } from './certificate.js';
import { el, foreign, svg, unseen, write } from './dom.js';
import { createScript } from './script.js';
import { drawTimeline } from './timeline.js';
import { count, duration, exactTime, isUnknown } from './words.js';

/** @import { Activity } from './activity.js' */
/** @import { Life } from './timeline.js' */
/** @import { Client, Scenario, Token, Wire } from './wire.js' */

let lanes = 0;

/**
 * @param {string} id
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 * @param {() => void} parts.changed
 * @param {readonly Scenario[]} parts.scenarios
 */
export function createClient(id, { wire, say, changed, scenarios }) {
  const heading = `client-${++lanes}`;
  const facts = el('span', { class: 'facts' });
  const terms = el('span', { class: 'facts terms' });
  const lane = svg('svg', { class: 'lane', role: 'img', height: 70 });
  const strip = el('div', { class: 'strip' }, lane);
  const rows = el('tbody', {});
  const script = createScript(id, { wire, say, changed, scenarios });
  const certificate = createCertificate(id, { wire });
  const table = el(
    'details',
    {},
    el('summary', {}, 'Tokens as a table', unseen(`, of ${id}`)),
    el(
      'div',
      { class: 'scroll tokens', tabindex: 0, role: 'region', 'aria-label': `Tokens of ${id}` },
      el(
        'table',
        {},
        el('thead', {}, el('tr', {}, ...COLUMNS.map((name) => el('th', { scope: 'col' }, name)))),
        rows,
      ),
    ),
  );
  const root = el(
    'article',
    { class: 'holder', 'aria-labelledby': heading },
    el(
      'header',
      {},
      el('div', {}, el('h3', { id: heading }, foreign(id)), el('p', {}, facts, terms)),
      el(
        'div',
        { class: 'buttons mock-only' },
        el('button', { type: 'button', click: () => end(false) }, 'Expire', unseen(` all tokens of ${id}`)),
        el('button', { type: 'button', click: () => end(true) }, 'Revoke', unseen(` all tokens of ${id}`)),
      ),
    ),
    strip,
    el('div', { class: 'folded' }, table, script.root, certificate.root),
  );

  let drawn = '';
  /** @type {Client | undefined} */
  let known;
  /** @type {(now: number) => boolean} */
  let move = () => false;

  /** @param {boolean} revoke */
  async function end(revoke) {
    try {
      const { ended } = await wire.send('POST', 'expire', { client: id, revoke });
      const what = revoke ? 'revoked' : 'expired';
      say(ended === 0 ? `No token of ${id} was valid.` : `${count(ended, 'token')} of ${id} ${what}.`);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
    }
    changed();
  }

  return {
    root,
    /**
     * @param {Client} client
     * @param {Activity | undefined} activity
     * @param {number} now on the mock's clock
     * @param {boolean} isLost whether the journal had lost calls before the page came
     */
    show(client, activity, now, isLost) {
      const offset = client.aheadSeconds * 1000;
      const lives = client.tokens.map((token) => lifeOf(token, offset, now));
      const width = Math.round(strip.clientWidth);
      certificate.show(activity?.version ?? 0);
      const picture = `${width} ${activity?.version} ${offset} ${lives.map(({ name, fate, from, to }) => [name, fate, from, to])}`;
      if (client !== known) {
        known = client;
        write(terms, termsOf(client));
        script.show(client);
      }
      if (picture === drawn && move(now + offset)) return;
      drawn = picture;
      const latest = activity?.latest ?? [];
      if (width > 0) move = drawTimeline(lane, lives, latest, { now: now + offset, width, offset });
      lane.classList.toggle('bare', lives.length === 0 && latest.length === 0);
      const alive = lives.filter(({ fate }) => fate === 'live').length;
      const calls = `${count(activity?.calls ?? 0, 'call')}${isLost ? ' or more' : ''}`;
      const refused = activity?.refused ? `, ${activity.refused} refused with 403` : '';
      // Only the latest are in the list.
      const of = client.tokensIssued > lives.length ? ` of the last ${lives.length}` : '';
      const issued = `${count(client.tokensIssued, 'token')} issued, ${alive}${of} live`;
      write(facts, `${issued} · ${calls}${refused}`);
      lane.setAttribute(
        'aria-label',
        `Lane of ${id}: ${issued}, ${calls}${refused}. The table below shows the same.`,
      );
      rows.replaceChildren(
        ...client.tokens.map((token, index) => rowOf(token, lives[index], activity)).reverse(),
      );
    },
  };
}

/** By which the bar of a token grows whose end is not known. */
const UNKNOWN_STEP_MS = 30_000;

const COLUMNS = ['Token', 'Status', 'Issued', 'Expires or ended', 'Lifetime', 'Calls', '403'];

/** @param {Token} token @param {number} offset @param {number} now @returns {Life} */
function lifeOf({ name, ended, issuedAt, expiresAt, endedAt }, offset, now) {
  const expiry = Date.parse(expiresAt);
  const to = endedAt === undefined ? expiry : Date.parse(endedAt);
  const fate = ended ?? (now < expiry ? 'live' : 'expired');
  const from = Date.parse(issuedAt) + offset;
  // Its bar reaches a little further than now.
  const shown = isUnknown(to - from) ? (Math.ceil(now / UNKNOWN_STEP_MS) + 1) * UNKNOWN_STEP_MS : to;
  return { name, label: name.slice(name.lastIndexOf('#')), fate, from, to: Math.max(from, shown + offset) };
}

/** @param {Token} token @param {Life | undefined} life @param {Activity | undefined} activity */
function rowOf({ name, issuedAt, expiresAt, endedAt }, life, activity) {
  const { calls, refused } = activity?.ofTokens.get(name) ?? { calls: 0, refused: 0 };
  const end = endedAt ?? expiresAt;
  const isOpen = isUnknown(Date.parse(end) - Date.parse(issuedAt));
  const texts = [
    ...[life?.fate ?? '', exactTime(issuedAt), isOpen ? 'not known' : exactTime(end)],
    ...[life && !isOpen ? duration(life.to - life.from) : '', String(calls), String(refused)],
  ];
  return el('tr', {}, el('th', { scope: 'row' }, foreign(name)), ...texts.map((text) => el('td', {}, text)));
}

/** @param {Client} client */
function termsOf({ tokenLifetimesSeconds: lifetimes, jitter, skewSeconds, aheadSeconds }) {
  const some = lifetimes
    .slice(0, 4)
    .map((seconds) => (isUnknown(seconds * 1000) ? 'not known' : duration(seconds * 1000)));
  return [
    `Token lifetime ${some.join(', then ')}${lifetimes.length > some.length ? ' and so on' : ''}`,
    ...(jitter > 0 ? [`give or take ${Math.round(jitter * 100)} %`] : []),
    ...(skewSeconds === 0
      ? []
      : [`clock of the data ${duration(skewSeconds * 1000)} ${skewSeconds > 0 ? 'ahead' : 'behind'}`]),
    ...(aheadSeconds === 0
      ? []
      : [`own time ${duration(aheadSeconds * 1000)} ${aheadSeconds > 0 ? 'ahead' : 'behind'}`]),
  ].join(' · ');
}
