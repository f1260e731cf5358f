/** An item of a report as plain text, for formats that have no layout. */
import type { Item } from './model.ts';
import { inOneLine } from './text.ts';

/** Facts and findings, one a line. */
export function explain({ facts, findings }: Item): string {
  const width = Math.max(0, ...facts.map(([name]) => name.length)) + 2;
  return [
    ...facts.map(([name, text]) => `${`${name}:`.padEnd(width)}${inOneLine(text)}`),
    ...findings.map(({ where, seen, proof }) => inOneLine(`${where}: ${seen}${proof ? ` (${proof})` : ''}`)),
  ].join('\n');
}
