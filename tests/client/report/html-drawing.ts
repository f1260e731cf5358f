/** The drawing of a scenario: its tokens as bars, and on them the calls that carried them. */

import { type Markup, markup } from '../../report/markup.ts';
import { VERDICTS } from '../../report/text.ts';
import type { ScenarioResult } from '../certificate.ts';
import type { Call } from '../traffic.ts';
import type { NumberedFinding } from './groups.ts';
import { type Axis, axisOf, type Kind, type Lane, lanesOf, type Run, runsOf } from './timeline.ts';
import { answerOf, inSeconds } from './wording.ts';

/** In units of the drawing, which is scaled to the page. */
const WIDTH = 900;
const LEFT = 124;
const RIGHT = 876;
const LANE = 46;
const AXIS = 30;
/** Marks that are nearer than this could not be distinguished. */
const NEAR = 10;
/** A row of marks that is shorter than this has no room for the number of its calls. */
const ROOM = 44;

/** What each shape means, in the words of the legend. */
export const KINDS: Record<Kind, string> = {
  issued: 'token issued',
  'no-token': 'token request refused or failed',
  served: 'data served',
  refused: 'refused: 401 or 403',
  failed: 'failed: another status, or an incomplete answer',
  other: 'health check or another request',
};

/** The shapes differ without their colours. */
const SHAPES: Record<Kind, Markup> = {
  issued: markup`<path d="M0-6.5 6.5 0 0 6.5-6.5 0z"/>`,
  'no-token': markup`<path class="hollow" d="M0-6 6 0 0 6-6 0z"/>`,
  served: markup`<circle r="4.5"/>`,
  refused: markup`<path class="stroke" d="M-4.5-4.5 4.5 4.5M4.5-4.5-4.5 4.5"/>`,
  failed: markup`<path d="M0-6 6 5H-6z"/>`,
  other: markup`<circle class="hollow" r="4"/>`,
};

/** The shape of `kind` by itself, for a legend. */
export const shape = (kind: Kind): Markup =>
  markup`<svg class="shape" viewBox="-9 -9 18 18" width="18" height="18" aria-hidden="true"><g class="mark ${kind}">${SHAPES[kind]}</g></svg>`;

/** For a reader of the drawing; the table below it says the same to those who see none. */
export function renderDrawing(scenario: ScenarioResult, findings: readonly NumberedFinding[]): Markup {
  const axis = axisOf(scenario);
  const lanes = lanesOf(scenario);
  const height = lanes.length * LANE + AXIS + 8;
  const name = `Timeline of ${scenario.name}`;
  const place = (ms: number) => round(LEFT + (Math.min(ms, axis.endMs) / axis.endMs) * (RIGHT - LEFT));
  const proving = new Set(findings.flatMap(({ calls }) => calls));
  const nearMs = (NEAR / (RIGHT - LEFT)) * axis.endMs;
  return markup`<div class="drawing" role="region" aria-label="${name}" tabindex="0">
<svg viewBox="0 0 ${WIDTH} ${height}" role="group" aria-label="${name}, drawn">
<g aria-hidden="true">
${renderAxis(axis, place, height - AXIS)}
${lanes.map((lane, at) => {
  const middle = at * LANE + LANE / 2 + 6;
  return markup`<g transform="translate(0 ${middle})">${renderBar(lane, axis, place)}${rowed(runsOf(lane, nearMs), place).map(({ run, row }) => renderRun(run, row, place, proving))}</g>
`;
})}</g>
${renderFlags(lanes, findings, place)}</svg>
</div>`;
}

type Place = (ms: number) => number;

function renderAxis({ ticksMs }: Axis, place: Place, y: number): Markup {
  return markup`${ticksMs.map(
    (tick) =>
      markup`<path class="grid" d="M${place(tick)} 0V${y}"/><text class="tick" x="${place(tick)}" y="${y + 17}">${tick / 1000}</text>`,
  )}<text class="unit" x="${LEFT - 10}" y="${y + 17}">seconds</text>`;
}

/** From its issue to its end, paler once it was replaced. */
function renderBar({ label, life, replacedMs, calls }: Lane, axis: Axis, place: Place): Markup {
  if (!life) return markup`<text class="name" x="0" y="4">${label}</text>`;
  const end = life.endedMs ?? life.expiresMs;
  const isOver = end <= axis.endMs;
  const replaced = replacedMs !== undefined && replacedMs < end ? replacedMs : undefined;
  const last = Math.max(end, ...calls.map(({ atMs }) => atMs));
  const note = `${life.endedMs === undefined ? (isOver ? 'expires at' : 'lives until') : 'ended at'} ${inSeconds(end)}`;
  return markup`<text class="name" x="0" y="-2">${label}</text><text class="note" x="0" y="12">${note}</text>
${bar('live', place(life.issuedMs), place(replaced ?? end))}${
  replaced !== undefined && bar('old', place(replaced), place(end))
}${isOver && markup`<path class="end" d="M${place(end)}-13V13"/>`}${
  last > end && markup`<path class="over" d="M${place(end)} 0H${place(last)}"/>`
}`;
}

const bar = (name: string, from: number, to: number): Markup =>
  markup`<rect class="${name}" x="${from}" y="-9" width="${round(Math.max(1, to - from))}" height="18"/>`;

/** Rows of marks that would cover each other are drawn one above the other; a single mark covers little. */
function rowed(runs: readonly Run[], place: Place): { run: Run; row: number }[] {
  const ends = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const placed = runs.map((run) => {
    if (isTold(run, place)) return { run, row: 0 };
    const row = place(run.fromMs) - 8 < (ends[0] ?? 0) ? 1 : 0;
    ends[row] = place(run.toMs) + 8;
    return { run, row };
  });
  const isDouble = placed.some(({ row }) => row === 1);
  const shifted = placed.map(({ run, row }) => ({
    run,
    row: isDouble && !isTold(run, place) ? row * 2 - 1 : 0,
  }));
  // Single marks are drawn last, above the others.
  return shifted.sort((a, b) => b.run.calls.length - a.run.calls.length);
}

/** Whether its marks can be seen one by one. */
const isTold = ({ calls, fromMs, toMs }: Run, place: Place): boolean =>
  calls.length === 1 || (calls.length < 4 && place(toMs) - place(fromMs) >= (calls.length - 1) * 7);

/** Few calls are marks next to each other; many are shown as a number. */
function renderRun(run: Run, row: number, place: Place, proving: ReadonlySet<number>): Markup {
  const y = row * 9;
  if (isTold(run, place))
    return markup`${run.calls.map(
      (call) =>
        markup`<g class="mark ${run.kind}" transform="translate(${place(call.atMs)} ${y})"><title>${inWords(call)}</title>${
          proving.has(call.id) && markup`<circle class="halo" r="9"/>`
        }${SHAPES[run.kind]}</g>`,
    )}`;
  const [from, to] = [place(run.fromMs), place(run.toMs)];
  const hasRoom = to - from >= ROOM;
  const middle = round((from + to) / 2);
  const title = `${run.calls.length} calls: ${KINDS[run.kind]}, ${inSeconds(run.fromMs)} to ${inSeconds(run.toMs)}`;
  const isProving = run.calls.some(({ id }) => proving.has(id));
  return markup`<g class="mark ${run.kind}" transform="translate(${middle} ${y})"><title>${title}</title><rect class="many${isProving && ' proving'}" x="${round(from - middle - 9)}" y="-8.5" width="${round(to - from + 18)}" height="17" rx="8.5"/>${
    hasRoom
      ? markup`<g transform="translate(-13 0)">${SHAPES[run.kind]}</g><text x="-3" y="4">×${run.calls.length}</text>`
      : markup`${SHAPES[run.kind]}<text x="${round((to - from) / 2 + 12)}" y="4">×${run.calls.length}</text>`
  }</g>`;
}

const inWords = (call: Call): string =>
  `${call.id}: ${call.method} ${call.path}, ${inSeconds(call.atMs)}, ${answerOf(call)} (${call.reason})`;

/** The numbers of the findings, each above the first call that proves it. */
function renderFlags(lanes: readonly Lane[], findings: readonly NumberedFinding[], place: Place): Markup[] {
  const taken: { x: number; y: number }[] = [];
  return findings.flatMap(({ number, verdict, calls, rule }) => {
    const lane = lanes.findIndex((one) => one.calls.some(({ id }) => id === calls[0]));
    const first = lanes[lane]?.calls.find(({ id }) => id === calls[0]);
    if (!first) return [];
    const y = lane * LANE + 9;
    let x = place(first.atMs);
    while (taken.some((one) => one.y === y && Math.abs(one.x - x) < 20)) x += 20;
    taken.push({ x, y });
    return [
      markup`<a class="flag ${verdict}" href="#finding-${number}" aria-label="Finding ${number}: ${rule.id} ${VERDICTS[verdict].word}"><g transform="translate(${round(x)} ${y})"><rect x="-9" y="-9" width="18" height="18" rx="${verdict === 'failed' ? 3 : 9}"/><text y="4">${number}</text></g></a>
`,
    ];
  });
}

const round = (units: number): number => Math.round(units * 10) / 10;
