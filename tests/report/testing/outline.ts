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
