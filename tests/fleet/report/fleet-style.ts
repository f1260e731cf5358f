/** What the page of a fleet adds to the style sheet of all pages. */
import { VERDICTS } from '../../report/text.ts';
import { OUTCOME_WORDS } from './wording.ts';

/** The second declaration keeps the mark from screen readers, which have the word. */
const marks = Object.entries(VERDICTS)
  .map(
    ([verdict, { mark }]) => `.matrix .${verdict}::before { content: '${mark}'; content: '${mark}' / ''; }`,
  )
  .concat(
    Object.entries(OUTCOME_WORDS).map(
      ([outcome, { mark }]) => `.trend .${outcome}::before { content: '${mark}'; content: '${mark}' / ''; }`,
    ),
  )
  .join('\n');

const views = ['failing', 'different', 'regressions'];
const chosen = views
  .flatMap((view) => [
    `#${view}:target ~ .scroll tbody tr:not(.${view}), #${view}:target ~ .feeds tbody tr:not(.${view}) { display: none; }`,
    `#${view}:target ~ .${view}-only { display: block; }`,
    `#${view}:target ~ .views .${view} a { background: var(--ink); border-color: var(--ink); color: var(--paper); }`,
    `#${view}:target ~ .views .all a { background: none; border-color: var(--line); color: var(--link); }`,
    `.${view}-only { display: none; }`,
  ])
  .toSorted((one, other) => Number(other.startsWith('.')) - Number(one.startsWith('.')))
  .join('\n');

export const FLEET_STYLE = `
body { max-width: 92rem; }
.no-report { --tone: var(--failed); --wash: var(--failed-wash); }
.view { position: absolute; scroll-margin-top: 5rem; }
.views ul { gap: .5rem; margin: 1rem 0 .6rem; }
.views a { display: inline-block; padding: .2rem .8rem; border: 1px solid var(--line); border-radius: 1rem; text-decoration: none; }
.views a:hover { border-color: currentcolor; }
.views .all a { background: var(--ink); border-color: var(--ink); color: var(--paper); }
.views b { margin-left: .2rem; font-weight: 600; font-variant-numeric: tabular-nums; }
${chosen}
.scroll { max-height: 90vh; margin-top: .8rem; overflow: auto; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.matrix { margin: 0; width: auto; min-width: 100%; border-collapse: separate; border-spacing: 0; font-size: .875rem; line-height: 1.35; }
.matrix th, .matrix td { padding: .3rem .45rem; overflow-wrap: normal; white-space: nowrap; vertical-align: middle; }
.matrix thead th { position: sticky; top: 0; z-index: 2; border: 0; border-bottom: 1px solid var(--line); background: var(--card); vertical-align: bottom; }
.matrix thead th:first-child { left: 0; z-index: 3; }
.matrix tbody th { position: sticky; left: 0; z-index: 1; width: auto; max-width: 20rem; background: var(--card); color: inherit; overflow: hidden; text-overflow: ellipsis; }
.matrix tbody tr:first-child > * { border-top: 0; }
.matrix tbody tr:hover > * { background: var(--code); }
.matrix .clause { min-width: 1.6rem; padding: .4rem 0; text-align: center; }
.matrix .clause > * { writing-mode: vertical-rl; font-variant-numeric: tabular-nums; text-decoration: none; color: var(--soft); }
.matrix .clause a:hover { text-decoration: underline; }
.matrix td.passed, .matrix td.failed, .matrix td.warned, .matrix td.could-not-run, .matrix td.not-applicable { padding: .3rem 0; border-left: 1px solid var(--card); color: var(--tone); text-align: center; }
.matrix td.failed, .matrix td.could-not-run, .matrix td.warned { background: var(--wash); font-weight: 700; }
.matrix td.not-applicable, .matrix td.blank { color: var(--soft); }
.matrix i, .trend i { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.matrix td { position: relative; }
.outcome, .why { color: var(--tone); font-weight: 600; }
.outcome small { display: block; color: var(--soft); font-size: .75rem; font-weight: 400; }
.matrix .why { background: var(--wash); white-space: normal; }
.matrix .outcome::before { content: none !important; }
.trend span { display: inline-block; position: relative; width: .7rem; color: var(--tone); text-align: center; }
.trend .apart { opacity: .75; outline: 1px dotted var(--soft); }
.feeds tbody th { width: auto; }
.clauses thead th { overflow-wrap: normal; }
.line > details > summary .verdict { margin-right: .6rem; }
.clauses td:nth-last-child(-n + 2) { text-align: right; font-variant-numeric: tabular-nums; }
.clauses thead th:nth-last-child(-n + 2) { text-align: right; }
.clauses .failed { color: var(--tone); font-weight: 600; }
.clauses td:nth-child(3) { width: 34%; }
.clauses tr:has(:target) { background: var(--code); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin-top: .6rem; color: var(--soft); font-size: .8125rem; }
.legend b { color: var(--tone); }
${marks}

@media screen and (max-width: 44rem) {
  .scroll { max-height: none; border: 0; border-radius: 0; background: none; overflow: visible; }
  .matrix { font-size: .9375rem; }
  .matrix th, .matrix td, .clauses thead th { overflow-wrap: anywhere; }
  .matrix thead { display: none; }
  .matrix tbody tr { padding: .6rem 0 .7rem; }
  .matrix tbody tr:hover > * { background: none; }
  .matrix tbody th { position: static; max-width: none; padding: 0; background: none; font-weight: 600; white-space: normal; }
  .matrix td { padding: 0; }
  .matrix td::before { display: inline; margin: 0; color: inherit; font-size: inherit; }
  .outcome small { display: inline; }
  .matrix td.passed, .matrix td.not-applicable, .matrix td.blank { display: none; }
  .matrix td.failed, .matrix td.warned, .matrix td.could-not-run { display: inline-block; margin: .3rem .3rem 0 0; padding: .05rem .5rem; border: 0; border-radius: .8rem; }
  .matrix td[data-column]::after { content: ' ' attr(data-column); font-weight: 400; }
  .matrix .why { padding: .3rem .6rem; }
  .clauses td:nth-last-child(-n + 2) { text-align: left; }
}
@media print {
  .scroll { max-height: none; overflow: visible; border: 0; }
  .matrix { font-size: 7pt; }
  .matrix th, .matrix td { padding: .15rem; }
}
`;
