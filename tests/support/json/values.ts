/** Values of JSON: the parts of a document by their pointers (RFC 6901), and members that have one name. */
import { pointerSegments } from '@hyperjump/json-pointer';
import { visit } from 'jsonc-parser';

export type Node = Record<string, unknown>;

/** A value of which members are read: empty unless it is an object or a list. */
export const nodeOf = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {};

/** What a JSON pointer leads to; undefined for an anchor, which is none. */
export const at = (document: unknown, pointer: string): unknown =>
  /^(\/|$)/.test(pointer)
    ? [...pointerSegments(pointer)].reduce((node, key) => nodeOf(node)[key], document)
    : undefined;

/**
 * Paths of the members whose name their object had before, at most `limit`: JSON.parse keeps the last of them and does not
 * report it. `text` is JSON; `onValue` gets each single value in it.
 */
export function repeatedMembers(
  text: string,
  limit: number,
  onValue: (value: unknown) => void = () => {},
): string[][] {
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
    onLiteralValue: onValue,
  });
  return repeated;
}
