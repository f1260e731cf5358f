/** What a page is made of, apart from its texts. */

/** What a page consists of: its tags, without the texts. */
export const tags = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];
/** The same without the values of attributes. */
export const outline = (html: string): string[] => tags(html).map((tag) => tag.replace(/"[^"]*"/g, '""'));

/** What a reader sees. */
export const textOf = (html: string): string =>
  html.replace(/<[^>]*>|\n(?=<)/g, '').replace(/&(\w+|#39);/g, (_, name) => CHARACTERS[name] ?? '?');

const CHARACTERS: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" };

/** Without the style sheet, which looks like no tag. */
export const withoutStyle = (html: string): string => html.replace(/<style>.*<\/style>/s, '');

/** Of a table, this many rows are stored; report.json has the cells of all. */
const MOST_ROWS = 5;

/**
 * A page as it is stored: its title and body. Closing tags do not have a line of their own, an exchange that is shown
 * again is only named, and further rows of a table are only counted.
 */
export function brief(html: string): string {
  const shown = new Set<string>();
  return withoutStyle(html)
    .replace(/^.*(?=<title>)/s, '')
    .replace(/<section class="exchange">.*?<\/section>\n/gs, (exchange) => {
      const [, id] = /"times">([^,<]*)/.exec(exchange) ?? [];
      const text = shown.has(exchange) ? `<i>${id} as above</i>\n` : exchange.replace(/\n+(?=<)/g, '');
      shown.add(exchange);
      return text;
    })
    .replace(/(?<=<tbody[^>]*>\n).*?(?=<\/tbody>)/gs, (body) => {
      const rows = body.split(/(?=<tr)/);
      const rest = rows.length - MOST_ROWS;
      return rest > 1 ? `${rows.slice(0, MOST_ROWS).join('')}<i>${rest} more rows</i>\n` : body;
    })
    .replace(
      /(<pre>.*?<\/pre>)|\n+(?=\n|<\/|<div class="grounds">|<details><summary><span class="verdict">)/gs,
      (_, pre = '') => pre,
    );
}
