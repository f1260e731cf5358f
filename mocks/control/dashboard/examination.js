// @ts-check
/** An examination that is under way: which scenario runs, what it waits for, and what became of the others. */
import { replace } from './certificate.js';
import { el, foreign, part, unseen, write } from './dom.js';

/** @import { Certificate, Examination, Wire } from './wire.js' */

/** To judge what was seen takes the mock a moment. */
const LEAST_MS = 2000;

/**
 * @param {object} parts
 * @param {Wire} parts.wire
 * @param {(message: string) => void} parts.say
 */
export function createExamination({ wire, say }) {
  const root = part('examination', HTMLElement);
  const list = part('scenarios', HTMLElement);
  const verdict = part('examination-verdict', HTMLElement);
  let drawn = '';
  let scenario = '';
  let asked = Number.NEGATIVE_INFINITY;
  /** @type {Certificate | undefined} */
  let certificate;

  /** @param {string} client */
  async function judge(client) {
    asked = performance.now();
    try {
      certificate = await wire.read(`certificate?client=${encodeURIComponent(client)}`);
    } catch {
      // the stream of events shows that the mock is gone
    }
  }

  /** @param {Examination} examination */
  function draw({ client, scenario: name, summary, waitsFor, done, left }) {
    write(part('examined', HTMLElement), client);
    write(part('examination-count', HTMLElement), `${done.length} of ${done.length + 1 + left.length} done`);
    write(part('scenario', HTMLElement), name);
    write(part('scenario-summary', HTMLElement), summary);
    write(part('waits-for', HTMLElement), `Waits for ${waitsFor}.`);
    const items = [
      ...done.map((one) => itemOf(one.name, fateOf(one, certificate))),
      itemOf(name, FATES.running),
      ...left.map((one) => itemOf(one, FATES.left)),
    ];
    const picture = items.map(({ outerHTML }) => outerHTML).join('');
    if (picture !== drawn) list.replaceChildren(...items);
    drawn = picture;
    if (certificate) replace(verdict, certificate);
    if (name !== scenario) say(`The examination of ${client} is at ${name}: ${summary}.`);
    scenario = name;
  }

  return {
    /** @param {Examination | undefined} examination */
    show(examination) {
      root.hidden = !examination;
      if (!examination) return;
      const isNew = examination.scenario !== scenario;
      draw(examination);
      if (isNew || performance.now() - asked > LEAST_MS) judge(examination.client);
    },
  };
}

/** @typedef {{ kind: string, mark: string, word: string }} Fate */

const FATES = {
  running: { kind: 'running', mark: '▸', word: 'running' },
  left: { kind: 'left', mark: '·', word: 'to come' },
  kept: { kind: 'good', mark: '✓', word: 'done, no findings' },
  warned: { kind: 'odd', mark: '!', word: 'done, with warnings' },
  broken: { kind: 'bad', mark: '✗', word: 'done, a rule is violated' },
  unseen: { kind: 'odd', mark: '?', word: 'ended before all was seen' },
};

/** @param {Examination['done'][number]} done @param {Certificate | undefined} certificate @returns {Fate} */
function fateOf({ name, state }, certificate) {
  const found = (certificate?.rules ?? [])
    .flatMap(({ findings }) => findings)
    .filter((one) => one.scenario === name);
  if (found.some(({ verdict }) => verdict === 'failed')) return FATES.broken;
  if (found.length > 0) return FATES.warned;
  return state === 'seen' ? FATES.kept : FATES.unseen;
}

/** @param {string} name @param {Fate} fate */
const itemOf = (name, { kind, mark, word }) =>
  el(
    'li',
    { class: `step ${kind}`, title: word, ...(kind === 'running' && { 'aria-current': 'step' }) },
    el('span', { class: 'sign', 'aria-hidden': 'true' }, mark),
    foreign(name),
    unseen(`, ${word}`),
  );
