/** Style of the scenarios, in addition to that of every report. */
export const SCENARIO_STYLE = `
.found b, .flag {
  display: inline-block; min-width: 1.4rem; margin-right: .3rem; padding: 0 .3rem; border: 1px solid var(--tone); border-radius: .25rem;
  color: var(--tone); font-size: .8125rem; font-weight: 600; text-align: center; font-variant-numeric: tabular-nums;
}
.warned b, .flag.warned { border-radius: .8rem; }
.overview td:nth-child(3), .overview td:nth-child(4) { white-space: nowrap; font-variant-numeric: tabular-nums; }
.overview td:nth-child(2) { width: 40%; }
.overview .badge { white-space: normal; }
.scenario { margin-top: 1.5rem; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.scenario > h3 { color: var(--ink); font-size: 1.125rem; }
.scenario > p { max-width: 52rem; }
.found { margin-top: .6rem; }
.found li { font-size: .9375rem; }
.calls td, .calls th { padding-top: .3rem; padding-bottom: .3rem; }
.calls tbody th, .tokens tbody th { width: 4rem; }
.calls tr:has(:target) { background: var(--code); }
.calls td:nth-child(2) { white-space: nowrap; font-variant-numeric: tabular-nums; }

@media screen and (max-width: 44rem) {
  .calls tbody tr { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .4rem 0; }
  .calls td::before { display: none; }
  .overview tbody tr { display: flex; flex-wrap: wrap; gap: 0 .9rem; }
  .overview td:nth-child(2) { width: 100% !important; }
  .overview td::before { display: inline; margin-right: .3rem; font-size: inherit; }
  .overview td:nth-child(2)::before, .overview td:nth-child(5)::before { display: none; }
}
@media print {
  .scenario { break-inside: avoid; }
  .calls, .found { break-inside: auto; }
}
`;
