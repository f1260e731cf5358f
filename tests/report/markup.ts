/** HTML and XML by a tagged template in which everything is text, except what is markup already. */
import { visible } from './text.ts';

const markupOf = Symbol('markup');

/** A piece of markup; its text is written unchanged. */
export interface Markup {
  [markupOf]: string;
}

type Part = Markup | string | number | undefined | false | Part[];

/** Escapes what it is given, so that it is inert in content and in a quoted attribute alike. */
export function markup(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  const text = strings.map((string, index) => string + written(parts[index])).join('');
  return { [markupOf]: text };
}

/** Text of our own that is written unchanged: a style sheet. */
export const trusted = (text: string): Markup => ({ [markupOf]: text });

export const toText = (piece: Markup): string => piece[markupOf];

function written(part: Part): string {
  if (part === undefined || part === false) return '';
  if (Array.isArray(part)) return part.map(written).join('');
  if (typeof part === 'object') return part[markupOf];
  return visible(String(part)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The entities that XML and HTML share. */
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
