/** Members of JSON objects that have the same name. JSON.parse keeps the last of them and does not report it. */
import { visit } from 'jsonc-parser';

/** The number of members of a parsed value, at all depths. */
export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  const members = value as Record<string, unknown>;
  for (const name in members) {
    const member = members[name];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}

/** Paths of the members whose name their object had before, at most `limit`. `text` is JSON. */
export function repeatedMembers(text: string, limit: number): string[][] {
  const repeated: string[][] = [];
  const open: Set<string>[] = [];
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectProperty(name, _offset, _length, _line, _character, pathOf) {
      const names = open.at(-1);
      if (names?.has(name) && repeated.length < limit) repeated.push([...pathOf().map(String), name]);
      names?.add(name);
    },
    onObjectEnd: () => void open.pop(),
  });
  return repeated;
}
