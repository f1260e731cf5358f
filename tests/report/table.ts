/** A table for wide and narrow screens. */
import { type Markup, markup } from './markup.ts';

/** What a table holds in one place. */
export type Cell = Markup | string;

/**
 * A table whose rows become blocks on a narrow screen, each cell below the name of its column. That takes the roles
 * away from the elements, so they are stated.
 */
export function table(name: string, caption: string, columns: string[], rows: Cell[][]): Markup {
  return markup`<table class="${name}" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => markup`<th role="columnheader" scope="col">${column}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ([first, ...cells]) => markup`<tr role="row"><th role="rowheader" scope="row">${first}</th>${cells.map(
    (cell, index) => markup`<td role="cell" data-column="${columns[index + 1]}">${cell}</td>`,
  )}</tr>
`,
)}</tbody>
</table>`;
}
