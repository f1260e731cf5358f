/** The style sheet of the page: calm, by the reader's own colour scheme, for screens from 320 px and for paper. */

const LIGHT = `
  --paper: #f6f5f1; --card: #fffefb; --ink: #22262a; --soft: #5b626a; --line: #dfdcd3; --code: #f1efe8; --link: #1d4f91;
  --failed: #a3261d; --failed-wash: #fbeae7; --could-not-run: #7a5000; --could-not-run-wash: #faf0d9;
  --passed: #1d6a40; --passed-wash: #e6f2e9; --not-applicable: #555d66; --not-applicable-wash: #edeeee;`;

const DARK = `
  --paper: #16181b; --card: #1d2024; --ink: #e7e5df; --soft: #a5abb3; --line: #353a40; --code: #25292e; --link: #9cc3f5;
  --failed: #ff9f95; --failed-wash: #3b201e; --could-not-run: #eec36b; --could-not-run-wash: #342a15;
  --passed: #82d5a3; --passed-wash: #1a2f22; --not-applicable: #b5bcc4; --not-applicable-wash: #2b2f34;`;

/** One pair of colours for what has a verdict or an outcome. */
const tones = (['failed', 'could-not-run', 'passed', 'not-applicable'] as const)
  .map((tone) => `.${tone} { --tone: var(--${tone}); --wash: var(--${tone}-wash); }`)
  .concat('.warned { --tone: var(--could-not-run); --wash: var(--could-not-run-wash); }')
  .concat('.not-seen { --tone: var(--not-applicable); --wash: var(--not-applicable-wash); }')
  .join('\n');

export const STYLE = `
:root {${LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root {${DARK} } }
${tones}
.conformant, .conformant-to-profile { --tone: var(--passed); --wash: var(--passed-wash); }
.nonconformant, .error { --tone: var(--failed); --wash: var(--failed-wash); }
.incomplete, .accepted { --tone: var(--could-not-run); --wash: var(--could-not-run-wash); }

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: clamp(1rem, 4vw, 2rem) clamp(1rem, 4vw, 2.5rem) 4rem; max-width: 70rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, h5, h6, p, ul, dl, dd, pre, table { margin: 0; }
h1, h2, h3 { line-height: 1.2; text-wrap: balance; }
ul { padding: 0; list-style: none; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: .06em; }
a:hover { text-decoration-thickness: .12em; }
:focus-visible { outline: .15rem solid var(--link); outline-offset: .2rem; border-radius: .2rem; }
code, pre { font: .875em/1.55 ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace; }
code { unicode-bidi: isolate; }
pre { padding: .8rem 1rem; border-radius: .5rem; background: var(--code); white-space: pre-wrap; }
pre code { font-size: 1em; }
dt, caption, thead th, h6 { color: var(--soft); font-size: .8125rem; font-weight: 500; }
.about, .times { color: var(--soft); }
.times { font-size: .8125rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; top: -4rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { top: .5rem; }

.summary {
  padding: clamp(1.25rem, 3.5vw, 2rem) clamp(1.25rem, 3.5vw, 2.5rem); border: 1px solid var(--line); border-top: .35rem solid var(--tone);
  border-radius: .75rem; background: var(--card);
}
.kind { margin-bottom: 1rem; font-size: .875rem; font-weight: 600; }
.kind span { margin-left: .4rem; font-weight: 400; }
h1 { display: flex; gap: .4em; align-items: center; font-size: clamp(1.375rem, 5vw, 2rem); font-weight: 650; letter-spacing: -.02em; }
.seal {
  display: grid; flex: none; place-items: center; width: 1.25em; height: 1.25em; border-radius: 50%;
  background: var(--wash); color: var(--tone); font-size: .75em; letter-spacing: 0;
}
.bar { display: flex; gap: 2px; height: .5rem; margin-top: 1rem; }
.bar span { min-width: .5rem; border-radius: .2rem; background: var(--tone); }
.tally { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; margin-top: .5rem; font-size: .9375rem; font-variant-numeric: tabular-nums; }
.tally > span { color: var(--tone); }
.tally > .none { color: var(--soft); }
.tally a { color: inherit; text-decoration-color: transparent; }
.tally a:hover { text-decoration-color: currentcolor; }
.tally .outcome { color: var(--ink); }
.remark { margin-top: .3rem; max-width: 60rem; color: var(--soft); font-size: .9375rem; }
.warning { margin-top: .8rem; padding: .7rem 1rem; border-radius: .4rem; background: var(--wash); color: var(--tone); font-weight: 600; }
.summary h2 { margin-top: 1.1rem; font-size: .9375rem; letter-spacing: 0; }
.troubles ul { margin-top: .3rem; }
.troubles li { display: grid; grid-template-columns: 1.5rem minmax(0, 1fr); padding: .35rem 0; border-top: 1px solid var(--line); }
.troubles li:first-child { border-top: 0; }
.troubles .mark { grid-row: span 2; color: var(--tone); font-weight: 600; }
.troubles li p { grid-column: 2; max-width: 56rem; }
.troubles a { font-size: .9375rem; font-variant-numeric: tabular-nums; }
.hint { color: var(--soft); font-size: .9375rem; }
.severity { margin-right: .3rem; padding: .05rem .5rem; border-radius: .8rem; background: var(--wash); color: var(--tone); font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.next { margin-top: .6rem; padding-top: .6rem; border-top: 1px solid var(--line); max-width: 60rem; }
.problems { margin-top: .4rem; }
.problems li { padding: .5rem .8rem; border-radius: .4rem; background: var(--failed-wash); color: var(--failed); }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin-top: .85rem; font-size: .875rem; line-height: 1.45; }
.facts dd { max-width: 60rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin-top: .85rem; font-size: .9375rem; }

main > section { margin-top: 3.5rem; }
h2 { font-size: 1.5rem; letter-spacing: -.01em; }
h2 + .about { margin-top: .4rem; max-width: 44rem; }
.group { margin-top: 1.75rem; }
h3 { margin-bottom: .5rem; color: var(--soft); font-size: .9375rem; font-weight: 600; }
.item {
  display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: .2rem 1.25rem; padding: .9rem 1.25rem;
  border: 1px solid var(--line); border-left: .25rem solid var(--tone); background: var(--card);
}
.item + .item, .fold + .fold, .item + .fold, .fold + .item { border-top: 0; }
.item > .verdict .severity { display: table; margin-top: .3rem; }
.line { display: block; padding: 0; }
.line > details { margin: 0; }
.line > details > summary { display: block; width: auto; padding: .4rem 1.25rem; overflow: hidden; color: inherit; text-overflow: ellipsis; white-space: nowrap; }
.line > details[open] > summary { white-space: normal; }
.line > details > summary .verdict { display: inline-block; min-width: 7.5rem; }
.line > details > summary:hover { background: var(--wash); text-decoration: none; }
.line h4 { display: inline; font-weight: 400; }
.line .grounds { padding: 0 1.25rem .9rem; }
.fold { margin: 0; border: 1px solid var(--line); border-left: .25rem solid var(--tone); background: var(--card); }
.fold > summary { width: auto; padding: .6rem 1.25rem; color: var(--ink); }
.fold .item { border-left: 0; border-right: 0; border-radius: 0 !important; }
h3 + .item { border-top-left-radius: .5rem; border-top-right-radius: .5rem; }
.item:last-child { border-bottom-left-radius: .5rem; border-bottom-right-radius: .5rem; }
.item:target { background: var(--wash); }
.verdict, .badge { color: var(--tone); font-size: .9375rem; font-weight: 600; }
h4 { font-size: 1rem; font-weight: 500; }
.id { margin-right: .5rem; color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums; text-decoration: none; }
.id:hover { text-decoration: underline; }
.grounds { grid-column: 2; min-width: 0; }
.grounds > dl > div { display: grid; grid-template-columns: 4.75rem minmax(0, 1fr); gap: 0 .75rem; align-items: baseline; margin-top: .15rem; font-size: .9375rem; }
.failed .grounds > dl { margin-bottom: .8rem; }
.source { margin-left: .3rem; color: var(--soft); font-size: .8125rem; font-weight: 400; white-space: nowrap; }
.findings { margin: .5rem 0 0; padding: 0; list-style: none; }
.findings li { position: relative; padding: .5rem 0; border-top: 1px solid var(--line); font-size: .9375rem; }
.findings li:has(.number) { padding-left: 2.25rem; }
.findings li:target { background: var(--wash); }
.number {
  position: absolute; top: .6rem; left: 0; min-width: 1.4rem; padding: 0 .3rem; border: 1px solid var(--tone); border-radius: .25rem;
  color: var(--tone); font-size: .8125rem; font-weight: 600; text-align: center; font-variant-numeric: tabular-nums;
}
.warned .number { border-radius: .8rem; }
.proof { color: var(--soft); font-size: .8125rem; }
.advice { margin-top: .4rem; padding: .7rem 1rem; border-radius: .5rem; background: var(--code); font-size: .9375rem; }
.advice b { display: block; font-size: .8125rem; font-weight: 600; }
h5 { margin: 1rem 0 .4rem; font-size: .875rem; font-weight: 600; }
h6 { margin-bottom: .25rem; }

details { margin-top: .4rem; }
summary { width: fit-content; color: var(--link); font-size: .9375rem; cursor: pointer; }
summary:hover { text-decoration: underline; text-underline-offset: .18em; }
.exchange { padding-bottom: .4rem; }
.both { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: .8rem; margin-top: .4rem; }
.both > div { min-width: 0; }
.both pre { font-size: .8125rem; }
.exchange h5 { margin-bottom: 0; }
.both .times { margin-top: .3rem; }

table { width: 100%; margin-top: 1.25rem; border-collapse: collapse; font-size: .9375rem; }
caption { padding-bottom: .4rem; text-align: left; }
th, td { padding: .6rem .9rem .6rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
tbody th { width: 6.5rem; color: var(--soft); font-weight: 400; white-space: nowrap; font-variant-numeric: tabular-nums; }
.points td, .unjudged td { width: 43%; }
.badge { white-space: nowrap; font-size: 1em; }
.requests td:nth-last-child(-n + 2) { white-space: nowrap; font-variant-numeric: tabular-nums; }
.card { margin-top: 1.5rem; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.card > h3 { color: var(--ink); font-size: 1.125rem; }
.card > p { max-width: 52rem; }
.overview td:nth-child(3), .overview td:nth-child(4), .calls td:nth-child(2) { white-space: nowrap; font-variant-numeric: tabular-nums; }
.overview td:nth-child(2) { width: 40%; }
.overview .badge { white-space: normal; }
.calls td, .calls th { padding-top: .3rem; padding-bottom: .3rem; }
.calls tbody th, .tokens tbody th { width: 4rem; }
table.matrix { display: block; overflow: auto; font-size: .875rem; }
.matrix thead th:nth-child(n + 3) { padding: .3rem .15rem; writing-mode: vertical-rl; text-align: left; white-space: nowrap; }
.matrix tbody th { position: sticky; left: 0; width: auto; background: var(--paper); }
.matrix :is(th, td) { padding: .3rem .9rem .3rem 0; vertical-align: middle; white-space: nowrap; }
.matrix td:nth-child(n + 3) { padding: .3rem .15rem; text-align: center; }
.matrix .badge { white-space: nowrap; }
tr:target { background: var(--code); }
footer { margin-top: 3.5rem; padding-top: 1.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .875rem; }
footer p { max-width: 48rem; }

@media screen and (max-width: 44rem) {
  .tally > .none { display: none; }
  .item > .verdict .severity { display: inline; margin-left: .4rem; }
  .kind span { display: block; margin-left: 0; }
  .source, .badge { white-space: normal; }
  .item { grid-template-columns: minmax(0, 1fr); }
  .line > details > summary { overflow: visible; white-space: normal; }
  .line > details > summary .verdict { min-width: 0; }
  .grounds { grid-column: 1; }
  table:not(.matrix), table:not(.matrix) :is(caption, tbody, tr, th, td) { display: block; width: auto !important; }
  table:not(.matrix) thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody tr { padding: .8rem 0; border-top: 1px solid var(--line); }
  table:not(.matrix) :is(th, td) { padding: .1rem 0; border: 0; white-space: normal !important; }
  .calls tbody tr { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .4rem 0; }
  .overview tbody tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; }
  .overview td:nth-child(2) { width: 100% !important; }
  table:not(.matrix) td::before { content: attr(data-column); display: block; margin-top: .35rem; color: var(--soft); font-size: .8125rem; }
  .calls td::before, .overview td:nth-child(2)::before, .overview td:nth-child(5)::before { display: none; }
  .overview td::before { display: inline; margin-right: .3rem; font-size: inherit; }
}
@media screen and (max-width: 30rem) {
  .grounds > dl > div { grid-template-columns: minmax(0, 1fr); margin-top: .4rem; }
  pre { padding: .7rem .8rem; font-size: .75rem; }
}
@media print {
  :root {${LIGHT} --paper: #fff; --card: #fff; color-scheme: light; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .skip, details:not([open]), #requests { display: none; }
  main > section { margin-top: 2.5rem; }
  .item, .exchange, .card, tr { break-inside: avoid; }
  h2, h3, h4, h5, caption { break-after: avoid; }
  a { color: inherit; text-decoration: none; }
}
`;
