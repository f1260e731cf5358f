/** Reads an OpenAPI document in which any member may be missing: values by JSON Pointer (RFC 6901), answers, operations. */
import { append, pointerSegments } from '@hyperjump/json-pointer';
import type { OperationId } from './answers.ts';

export type Node = Record<string, unknown>;

/** The value as an object; an empty one if it is not an object. */
export const nodeOf = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? (value as Node) : {};

/** A valid pointer: empty, or segments in which `~` is followed by 0 or 1. */
export const POINTER = /^(\/([^~]|~[01])*)?$/s;

/** The value at the pointer, or undefined; each `$ref` on the way is followed. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = resolved(document, document);
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

/** An answer with `x-response-when`: at an example or, without a body, at the response or below it. */
export interface ConditionalAnswer {
  when: string;
  status: number;
  /** Absent if the answer has no body. */
  mediaType?: string;
  /** Name of the example. */
  example?: string;
  /** What the document says about this answer only. */
  described: Node;
}

/**
 * The answers of one operation, in the order of the document. A status may have answers of several media types and,
 * below `x-without-body`, named answers without a body.
 */
export function conditionalAnswers(document: unknown, operation: unknown): ConditionalAnswer[] {
  return Object.entries(nodeOf(nodeOf(operation).responses)).flatMap(([code, given]) => {
    const status = Number(code);
    const response = nodeOf(resolved(document, given));
    const bodiless = [response, ...Object.values(nodeOf(response['x-without-body'])).map(nodeOf)];
    return [
      ...bodiless.map((described) => ({ status, described })),
      ...Object.entries(nodeOf(response.content)).flatMap(([mediaType, media]) =>
        Object.entries(nodeOf(nodeOf(media).examples)).map(([example, described]) => ({
          status,
          mediaType,
          example,
          described: nodeOf(described),
        })),
      ),
    ].flatMap((one) => {
      const when = one.described['x-response-when'];
      return when === undefined ? [] : { ...one, when: String(when) };
    });
  });
}

/** The members of a path that are operations (OpenAPI 3.1 section 4.8.9). */
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Every operation of a document; methods are in capitals, as on the wire. */
export const operationsIn = (document: Node): { path: string; method: string; node: Node }[] =>
  Object.entries(nodeOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(nodeOf(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, node]) => ({ path, method: method.toUpperCase(), node: nodeOf(node) })),
  );

/** A member of a document, at any depth. */
export interface Located {
  pointer: string;
  key: string;
  /** Pointer of what has it as a member. */
  above: string;
  value: unknown;
}

/** Every member of the document, in order. Examples are data and are not searched. */
export function* walk(node: unknown, above = ''): Generator<Located> {
  for (const [key, value] of Object.entries(nodeOf(node))) {
    const pointer = append(key, above);
    yield { pointer, key, above, value };
    if (key !== 'value' && key !== 'example') yield* walk(value, pointer);
  }
}

export interface Operation {
  id: OperationId;
  /** In capitals, as on the wire. */
  method: string;
  path: string;
  summary: string;
}

/** A choice that the mock makes where the specification is open: an `x-assumption` of the contract. */
export interface Assumption {
  /** Id of the open point. */
  answers: string;
  choice: string;
  reason: string;
}
