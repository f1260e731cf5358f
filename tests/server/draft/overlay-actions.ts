/** The actions of an overlay that put seen answers into the place of those that the contract assumes. */

import { STATUS_CODES } from 'node:http';
import { pointerSegments } from '@hyperjump/json-pointer';
import { at } from '../support/declared.ts';
import type { Annotate, Node } from './drafted.ts';
import type { SeenAnswer } from './seen-answers.ts';

/**
 * What has to be changed at an operation: each status that an answer leaves or comes to is written anew, since an
 * overlay can merge and remove, and not replace.
 */
export function actionsFor(
  document: Node,
  pointer: string,
  own: readonly SeenAnswer[],
  annotate: Annotate,
): Node[] {
  const base = at(document, `${pointer}/responses`) as Node;
  const conditions = own.map(({ when }) => when);
  const target = `$${targetOf(pointer)}.responses`;
  const next: Node = {};
  const removals: Node[] = [];
  for (const [status, given] of Object.entries(base)) {
    const { $ref } = given as { $ref?: string };
    const response = structuredClone($ref === undefined ? given : at(document, $ref.slice(1))) as Node;
    const isLeft = takeOut(response, conditions);
    const isTarget = own.some((one) => one.status === Number(status));
    if (!isLeft.changed && !isTarget) continue;
    removals.push({ target: `${target}['${status}']`, remove: true });
    if (isLeft.owed > 0) next[status] = withOwnHeaders(response);
    else if (isTarget) next[status] = { description: response.description };
  }
  for (const one of own) addTo(next, one, annotate);
  return [...removals, { target, update: next }];
}

const targetOf = (pointer: string): string =>
  [...pointerSegments(pointer)].map((name) => (/^[a-z]+$/i.test(name) ? `.${name}` : `['${name}']`)).join('');

/** Takes the answers to these conditions out of a response, and says how many others it has. */
function takeOut(response: Node, conditions: readonly string[]): { changed: boolean; owed: number } {
  let changed = false;
  let owed = 0;
  const look = (described: Node, remove: () => void) => {
    const when = described['x-response-when'];
    if (when === undefined) return;
    if (conditions.includes(String(when))) {
      changed = true;
      remove();
    } else owed++;
  };
  look(response, () => {
    for (const name of ['x-response-when', 'x-headers', 'x-declared', 'x-assumption']) delete response[name];
  });
  const bodiless = (response['x-without-body'] ?? {}) as Record<string, Node>;
  for (const [name, one] of Object.entries(bodiless)) look(one, () => delete bodiless[name]);
  const content = (response.content ?? {}) as Record<string, { examples?: Record<string, Node> }>;
  for (const [type, { examples = {} }] of Object.entries(content)) {
    for (const [name, one] of Object.entries(examples)) look(one, () => delete examples[name]);
    if (changed && Object.keys(examples).length === 0) delete content[type];
  }
  return { changed, owed };
}

/** What all answers of a status have is from now on said of each, since those that come to it have others. */
function withOwnHeaders(response: Node): Node {
  const { headers = {}, ...rest } = response as { headers?: Record<string, { example?: unknown }> } & Node;
  const served = Object.entries(headers)
    .filter(([, { example }]) => example !== undefined)
    .map(([name, { example }]) => [name, String(example)]);
  const content = (rest.content ?? {}) as Record<string, { examples?: Record<string, Node> }>;
  for (const { examples = {} } of Object.values(content))
    for (const one of Object.values(examples))
      if (served.length > 0)
        one['x-headers'] = { ...Object.fromEntries(served), ...(one['x-headers'] as Node) };
  return rest;
}

/** Adds an answer to the responses of an operation. */
export function addTo(
  responses: Node,
  { status, mediaType, when, place, ...one }: SeenAnswer,
  annotate: Annotate,
): void {
  const response = (responses[status] ?? { description: STATUS_CODES[status] ?? 'An answer.' }) as Node;
  responses[status] = response;
  const { value, ...described } = place;
  const whole = { ...described, ...annotate(one), ...(mediaType !== undefined && { value }) };
  if (mediaType === undefined) {
    response['x-without-body'] = { ...(response['x-without-body'] as Node), [when]: whole };
    return;
  }
  const content = (response.content ?? {}) as Record<string, { schema: object; examples?: Node }>;
  const media = content[mediaType] ?? { schema: {} };
  response.content = {
    ...content,
    [mediaType]: { ...media, examples: { ...media.examples, [when]: whole } },
  };
}
