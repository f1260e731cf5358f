// @ts-check
/** The lane of one client: its tokens as bars, its calls as marks on them, and now. */
import { createAxis } from './axis.js';
import { svg } from './dom.js';
import { duration, moment, roughly, timeOfDay } from './words.js';

/** @import { Call } from './activity.js' */
/** @typedef {'live' | 'expired' | 'revoked'} Fate */
/**
 * @typedef {object} Life a token; times in milliseconds of the client's own time
 * @property {string} name
 * @property {string} label
 * @property {Fate} fate
 * @property {number} from
 * @property {number} to when it ended, or will expire
 */

const TOP = 18;
const ROW = 32;
const BAR = { top: 14, height: 13 };
const BOTTOM = 20;
const SIDE = 9;
/** Marks that are closer are one. */
const MARK_PX = 7;
const CHARACTER_PX = 6.6;
/** Half of the label of a fold. */
const LABEL_PX = 26;

/**
 * Draws into `root` anew. Returns what moves now on; it returns false where all has to be drawn again.
 *
 * @param {SVGSVGElement} root
 * @param {Life[]} lives
 * @param {readonly Call[]} calls
 * @param {{ now: number, width: number, offset: number }} options offset: of the client's time to the mock's
 * @returns {(now: number) => boolean}
 */
export function drawTimeline(root, lives, calls, { now, width, offset }) {
  const births = new Map(lives.map(({ name, from }) => [name, from]));
  const marks = calls.map((call) => ({
    ...call,
    at: (births.get(call.token) ?? call.at + offset - call.age) + call.age,
  }));
  const first = lives.length > 0 ? Math.min(...lives.map(({ from }) => from)) : Number.NEGATIVE_INFINITY;
  const shown = marks.filter(({ at }) => at >= first);
  const spans = [...lives, ...shown.map(({ at }) => ({ from: at, to: at })), { from: now, to: now }];
  const breadth = Math.max(...lives.map(({ from, to }) => Math.min(to, 8e15) - from), 2000);
  spans.push({ from: now, to: now + breadth * 0.05 });
  const axis = createAxis(spans, width - 2 * SIDE);
  const x = (/** @type {number} */ at) => SIDE + axis.x(at);
  const rows = rowsOf(lives, shown, x);
  const height = TOP + Math.max(1, rows.count) * ROW + BOTTOM;
  const floor = height - BOTTOM;
  root.setAttribute('viewBox', `0 0 ${width} ${height}`);
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));

  const ground = svg('g', { class: 'ground' }, svg('path', { d: `M0 ${floor}H${width}` }));
  for (const { x: at, text } of axis.ticks) {
    const isCovered = axis.folds.some(
      (fold) => Math.abs(at - (fold.start + fold.end) / 2) < (text.length * CHARACTER_PX) / 2 + LABEL_PX,
    );
    ground.append(svg('path', { class: 'tick', d: `M${SIDE + at} ${TOP - 2}V${floor + 4}` }));
    const anchor = at < 24 ? 'start' : at > width - 2 * SIDE - 24 ? 'end' : 'middle';
    const left = anchor === 'start' ? 1 : anchor === 'end' ? width - 1 : SIDE + at;
    if (!isCovered) ground.append(svg('text', { x: left, y: height - 4, 'text-anchor': anchor }, text));
  }
  const folds = axis.folds.map((fold) => drawFold(fold, floor));
  /** @type {((now: number) => void)[]} */
  const moves = [];
  const bars = lives.map((life) => {
    const { bar, move } = drawBar(life, {
      x,
      y: TOP + (rows.of.get(life.name) ?? 0) * ROW,
      until: rows.room.get(life.name) ?? width,
    });
    moves.push(move);
    return bar;
  });
  const dots = thinned(shown, rows.of, x).map((mark) => drawMark(mark));
  const line = svg('g', { class: 'now' }, svg('path', { d: `M0 ${TOP - 4}V${floor + 4}` }));
  const word = svg('text', { y: 10, 'text-anchor': 'middle' }, 'now');
  line.append(word);
  root.replaceChildren(ground, ...folds, ...bars, line, ...dots);

  function move(/** @type {number} */ at) {
    if (at > axis.end || at < now) return false;
    const place = x(at);
    line.setAttribute('transform', `translate(${place.toFixed(1)} 0)`);
    word.setAttribute('x', String(Math.max(14 - place, Math.min(0, width - 14 - place))));
    for (const one of moves) one(at);
    return true;
  }
  move(now);
  return move;
}

/**
 * In which row each token is drawn, so that none covers another, and where the next begins.
 *
 * @param {Life[]} lives
 * @param {readonly Call[]} marks
 * @param {(at: number) => number} x
 */
function rowsOf(lives, marks, x) {
  /** @type {{ end: number, last: string }[]} */
  const rows = [];
  const of = new Map();
  const room = new Map();
  for (const { name, from, to } of lives) {
    const last = marks.reduce((most, { token, at }) => (token === name ? Math.max(most, at) : most), to);
    const start = x(from);
    let row = rows.findIndex(({ end }) => end + 3 <= start);
    if (row === -1) row = rows.push({ end: 0, last: '' }) - 1;
    const before = rows[row];
    if (before?.last) room.set(before.last, start);
    rows[row] = { end: Math.max(start + 6, x(to), x(last) + (last > to ? 5 : 0)), last: name };
    of.set(name, row);
  }
  return { count: rows.length, of, room };
}

/** @param {Life} life @param {{ x: (at: number) => number, y: number, until: number }} place */
function drawBar({ name, label, fate, from, to }, { x, y, until }) {
  const start = x(from);
  const width = Math.max(6, x(to) - start);
  const top = y + BAR.top;
  const box = { x: start.toFixed(1), y: top, height: BAR.height, rx: 3 };
  const bar = svg('g', { class: `life ${fate}` });
  bar.append(
    svg('title', {}, `${name}: ${fate}, ${timeOfDay(from)} to ${timeOfDay(to)}, ${duration(to - from)}`),
  );
  bar.append(svg('rect', { ...box, width: width.toFixed(1), class: 'whole' }));
  const past = svg('rect', { ...box, width: 0, class: 'past' });
  if (fate === 'live') bar.append(past);
  else bar.append(svg('rect', { ...box, width: width.toFixed(1), class: 'hatch', fill: `url(#${fate})` }));
  bar.append(svg('path', { class: 'birth', d: `M${start.toFixed(1)} ${top - 3}v${BAR.height + 6}` }));
  if (fate === 'revoked') {
    const end = start + width;
    bar.append(svg('path', { class: 'cross', d: `M${end - 3} ${top + 3}l7 7m0 -7l-7 7` }));
  }
  const text = [`${label} ${fate}`, label].find((one) => start + one.length * CHARACTER_PX + 7 < until);
  if (text) bar.append(svg('text', { x: (start + 3).toFixed(1), y: y + 8 }, text));
  return {
    bar,
    move(/** @type {number} */ now) {
      if (fate === 'live')
        past.setAttribute('width', Math.max(0, Math.min(width, x(now) - start)).toFixed(1));
    },
  };
}

/** @param {{ from: number, to: number, start: number, end: number }} fold @param {number} floor */
function drawFold({ from, to, start, end }, floor) {
  const middle = SIDE + (start + end) / 2;
  const zigzag = `M${middle - 9} ${floor}l4 -5l6 10l6 -10l4 5`;
  const fold = svg(
    'g',
    { class: 'fold' },
    svg('rect', { x: middle - 11, y: floor - 6, width: 24, height: 12 }),
  );
  const until = moment(to);
  fold.append(
    svg('title', {}, `${duration(to - from)} without activity, until ${until.date} ${until.time}`),
    svg('path', { d: zigzag }),
    svg('text', { x: middle, y: floor + 16, 'text-anchor': 'middle' }, roughly(to - from)),
  );
  return fold;
}

/** @typedef {{ kind: Call['kind'], x: number, y: number, many: number }} Mark */

/**
 * @param {readonly Call[]} calls
 * @param {Map<string, number>} rows
 * @param {(at: number) => number} x
 */
function thinned(calls, rows, x) {
  /** @type {Map<string, Mark>} */
  const marks = new Map();
  for (const { kind, at, token } of calls) {
    const place = x(at);
    const row = rows.get(token) ?? 0;
    const name = `${kind} ${row} ${Math.round(place / MARK_PX)}`;
    const mark = marks.get(name);
    if (mark) mark.many++;
    else marks.set(name, { kind, x: place, y: TOP + row * ROW + BAR.top + BAR.height / 2, many: 1 });
  }
  const order = ['issued', 'served', 'other', 'refused'];
  return [...marks.values()].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
}

const SAID = {
  issued: 'token issued',
  served: 'served',
  refused: 'refused with 403',
  other: 'answered otherwise',
};

/** @param {Mark} mark */
function drawMark({ kind, x, y, many }) {
  const size = Math.min(5, 3 + Math.log10(many));
  const title = svg('title', {}, many === 1 ? `1 call ${SAID[kind]}` : `${many} calls ${SAID[kind]}`);
  const place = { class: `mark ${kind}`, transform: `translate(${x.toFixed(1)} ${y})` };
  if (kind === 'refused') {
    const cross = `M${-size} ${-size}L${size} ${size}M${size} ${-size}L${-size} ${size}`;
    return svg('g', place, title, svg('path', { class: 'halo', d: cross }), svg('path', { d: cross }));
  }
  if (kind === 'other') {
    const side = size + 1;
    return svg('g', place, title, svg('path', { d: `M0 ${-side}L${side} 0L0 ${side}L${-side} 0Z` }));
  }
  return svg('g', place, title, svg('circle', { r: size }));
}
