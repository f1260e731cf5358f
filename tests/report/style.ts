/** The style sheet of the page: calm, by the reader's own colour scheme, for screens from 320 px and for paper. */

const LIGHT = `--paper: #f6f5f1; --card: #fffefb; --ink: #22262a; --soft: #5b626a; --line: #dfdcd3; --code: #f1efe8;
  --link: #1d4f91; --red: #a3261d; --amber: #7a5000; --green: #1d6a40; --gray: #555d66;`;

const DARK = `--paper: #16181b; --card: #1d2024; --ink: #e7e5df; --soft: #a5abb3; --line: #353a40; --code: #25292e;
  --link: #9cc3f5; --red: #ff9f95; --amber: #eec36b; --green: #82d5a3; --gray: #b5bcc4;`;

export const STYLE = `
:root { ${LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
.failed, .nonconformant, .error { --tone: var(--red); }
.warned, .could-not-run, .incomplete, .accepted { --tone: var(--amber); }
.passed, .conformant, .conformant-to-profile { --tone: var(--green); }
.not-applicable, .not-seen { --tone: var(--gray); }

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: clamp(1rem, 4vw, 2rem) clamp(1rem, 4vw, 2.5rem) 4rem; max-width: 70rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, table { margin: 0; }
h1, h2, h3 { line-height: 1.2; }
ul, ol { padding: 0; list-style: none; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: .06em; }
:focus-visible { outline: .15rem solid var(--link); outline-offset: .2rem; border-radius: .2rem; }
code, pre { font: .875em/1.55 ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace; }
code { unicode-bidi: isolate; }
pre { margin-top: .4rem; padding: .7rem 1rem; border-radius: .5rem; background: var(--code); white-space: pre-wrap; }
pre code { font-size: 1em; }
dt, caption, thead th, .about, .times, .remark, .id, .source, footer { color: var(--soft); }
dt, caption, thead th, .times, .source, .severity { font-size: .8125rem; font-weight: 500; }
.tally, .remark, .next, .findings li, .advice, summary, table, nav, dl { font-size: .9375rem; }
.skip { position: absolute; top: -4rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { top: .5rem; }

.summary, .item { border: 1px solid var(--line); background: var(--card); }
.summary { padding: clamp(1.25rem, 3.5vw, 2rem) clamp(1.25rem, 3.5vw, 2.5rem); border-top: .35rem solid var(--tone); border-radius: .75rem; }
.kind { margin-bottom: 1rem; font-size: .875rem; font-weight: 600; }
.subject { margin-left: .4rem; font-weight: 400; }
h1 { display: flex; gap: .4em; align-items: center; font-size: clamp(1.375rem, 5vw, 2rem); font-weight: 650; letter-spacing: -.02em; }
.seal { color: var(--tone); }
.tally, .facts, nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin-top: .6rem; }
.tally > span { color: var(--tone); }
.tally > .none { color: var(--soft); }
.warning { margin-top: .8rem; padding: .7rem 1rem; border-radius: .4rem; background: color-mix(in srgb, var(--tone) 11%, var(--card)); color: var(--tone); font-weight: 600; }
.troubles { margin-top: 1rem; }
.troubles li { display: flex; gap: .75rem; padding: .35rem 0; }
.mark { flex: 0 0 1rem; }
.mark, .verdict, .badge { color: var(--tone); font-weight: 600; }
.severity { padding: .05rem .5rem; border-radius: .8rem; background: color-mix(in srgb, var(--tone) 11%, var(--card)); color: var(--tone); white-space: nowrap; }
.next { margin-top: .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
.remark { margin-top: .3rem; }

main > section { margin-top: 3rem; }
h2 { margin-bottom: .8rem; font-size: 1.5rem; }
h3 { font-size: 1rem; }
.item { border-left: .25rem solid var(--tone); }
.item + .item { border-top: 0; }
.item:target, .findings li:target, tr:target { background: color-mix(in srgb, var(--tone) 11%, var(--card)); }
.item > .head { padding: .9rem 1.25rem 0; }
.item > details { margin: 0; }
.head, .grounds { padding: .4rem 1.25rem; }
.head { display: flex; gap: .2rem 1.25rem; color: inherit; }
.head .verdict { flex: 0 0 9.5rem; }
.head .severity { display: table; }
summary h3 { font-weight: 400; }
.id { margin-right: .5rem; font-weight: 400; }
.grounds { margin-left: 10.75rem; padding-bottom: .9rem; }
.grounds > dl > div { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); align-items: baseline; }
.findings { margin-top: .3rem; }
.findings li { padding: .4rem 0; border-top: 1px solid var(--line); }
.advice { margin-top: .4rem; padding: .6rem 1rem; border-radius: .5rem; background: var(--code); }

details { margin-top: .4rem; }
summary { color: var(--link); cursor: pointer; }
summary:hover { background: color-mix(in srgb, var(--tone) 11%, var(--card)); }
h4 { margin-top: 1rem; font-size: .875rem; }

.scroll { overflow-x: auto; }
table { width: 100%; min-width: 34rem; margin-top: 1rem; border-collapse: collapse; }
caption { padding-bottom: .4rem; text-align: left; }
th, td { padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { overflow-wrap: normal; }
tbody th { font-weight: 400; white-space: nowrap; }
td .badge { overflow-wrap: normal; }
.calls td, .calls th { padding-top: .25rem; padding-bottom: .25rem; }
.matrix thead th:nth-child(n + 3) { padding: .3rem .15rem; writing-mode: vertical-rl; white-space: nowrap; }
.matrix tbody th { position: sticky; left: 0; background: var(--paper); }
.matrix :is(th, td) { vertical-align: middle; white-space: nowrap; }
.matrix td:nth-child(n + 3) { padding: .3rem .15rem; text-align: center; }
footer { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: .875rem; }

@media screen and (max-width: 44rem) {
  .head { display: block; }
  .head .severity { display: inline; margin-left: .4rem; }
  .grounds { margin-left: 0; }
  .subject { display: block; margin-left: 0; }
}
@media print {
  :root { ${LIGHT} --paper: #fff; --card: #fff; color-scheme: light; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .skip, .grounds details:not([open]), main > section > details:not([open]) { display: none; }
  .item, .exchange, tr { break-inside: avoid; }
  h2, h3, h4, caption { break-after: avoid; }
}
`;
