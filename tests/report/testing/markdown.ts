/** A document of Markdown as GitHub reads it. */
import { lexer, type Token } from 'marked';

/** Every token of the document as GitHub-flavoured Markdown, those within others too. */
export function tokens(markdown: string): Token[] {
  const within = (token: Token): Token[] => {
    const { tokens = [], items = [], header = [], rows = [] } = token as unknown as Nested;
    const cells = [...header, ...rows.flat()].flatMap((cell) => cell.tokens);
    return [token, ...[...tokens, ...items, ...cells].flatMap(within)];
  };
  return lexer(markdown).flatMap(within);
}

interface Nested {
  tokens?: Token[];
  items?: Token[];
  header?: { tokens: Token[] }[];
  rows?: { tokens: Token[] }[][];
}

/** What kinds of tokens there are, in order, without the texts. */
export const outline = (markdown: string): string[] =>
  tokens(markdown)
    .map(({ type }) => type)
    .filter((type) => !['text', 'codespan', 'escape', 'space', 'paragraph', 'code'].includes(type));
