/** Values of a document by their JSON Pointer (RFC 6901), where any member may be missing. */
import { pointerSegments } from '@hyperjump/json-pointer';

export type Node = Record<string, unknown>;

/** The value as an object; an empty one if it is not an object. */
export const nodeOf = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {};

/** A valid pointer: empty, or segments in which `~` is followed by 0 or 1. */
export const POINTER = /^(\/([^~]|~[01])*)?$/s;

/** The value at the pointer, or undefined; each `$ref` on the way is followed within `document`. */
export function valueAt(node: unknown, pointer: string, document: unknown = node): unknown {
  let value = resolved(document, node);
  for (const segment of pointerSegments(pointer)) value = resolved(document, nodeOf(value)[segment]);
  return value;
}

/** The node, or what its `$ref` leads to. */
export function resolved(document: unknown, node: unknown): unknown {
  const { $ref } = nodeOf(node);
  if (typeof $ref !== 'string') return node;
  const pointer = $ref.slice(1);
  return POINTER.test(pointer) ? valueAt(document, pointer) : undefined;
}
