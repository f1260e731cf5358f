/** Style of the scenarios and timelines, in addition to that of every report. */
export const TIMELINE_STYLE = `
.found b {
  display: inline-block; min-width: 1.4rem; margin-right: .3rem; padding: 0 .3rem; border: 1px solid var(--tone); border-radius: .25rem;
  color: var(--tone); font-size: .8125rem; font-weight: 600; text-align: center; font-variant-numeric: tabular-nums;
}
.warned b { border-radius: .8rem; }
.overview td:nth-child(3), .overview td:nth-child(4) { white-space: nowrap; font-variant-numeric: tabular-nums; }
.overview td:nth-child(2) { width: 40%; }
.overview .badge { white-space: normal; }
.legend { margin-top: 2rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; font-size: .9375rem; }
.legend p { max-width: 48rem; }
.legend ul { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin-top: .6rem; }
.shape { vertical-align: -.25rem; }
.scenario { margin-top: 1.5rem; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
.scenario > h3 { color: var(--ink); font-size: 1.125rem; }
.scenario > p { max-width: 52rem; }
.found { margin-top: .6rem; }
.found li { font-size: .9375rem; }
.drawing { margin-top: 1rem; overflow-x: auto; }
.drawing svg { display: block; width: 100%; min-width: 42rem; height: auto; }
.drawing text { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
.drawing .name { fill: var(--ink); font-size: 12.5px; }
.drawing .tick { text-anchor: middle; }
.drawing .unit { text-anchor: end; }
.grid { stroke: var(--line); }
.live { fill: var(--passed-wash); stroke: var(--passed); stroke-opacity: .45; }
.old { fill: var(--not-applicable-wash); stroke: var(--not-applicable); stroke-opacity: .45; stroke-dasharray: 3 2; }
.end { stroke: var(--ink); stroke-width: 2; }
.over { stroke: var(--soft); stroke-dasharray: 3 3; }
.issued { --shape: var(--link); } .no-token, .failed.mark { --shape: var(--could-not-run); }
.served { --shape: var(--passed); } .refused { --shape: var(--failed); } .other { --shape: var(--soft); }
.mark > *, .mark g > * { fill: var(--shape); }
.mark .stroke { fill: none; stroke: var(--shape); stroke-width: 2.4; stroke-linecap: round; }
.mark .hollow { fill: var(--card); stroke: var(--shape); stroke-width: 2; }
.mark .many { fill: var(--card); stroke: var(--shape); stroke-opacity: .6; }
.mark .many.proving { stroke-opacity: 1; stroke-width: 2.5; }
.mark .halo { fill: none; stroke: var(--shape); stroke-width: 1.5; }
.drawing .mark text { fill: var(--ink); stroke: var(--card); stroke-width: 3px; paint-order: stroke; font-weight: 600; }
.flag rect { fill: var(--tone); }
.flag:hover rect { stroke: var(--ink); stroke-width: 1.5; }
.drawing .flag text { fill: var(--card); font-weight: 700; text-anchor: middle; }
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
  .scenario, .legend { break-inside: avoid; }
  .drawing { overflow: visible; }
  .drawing svg { min-width: 0; }
  .calls, .found { break-inside: auto; }
}
`;
