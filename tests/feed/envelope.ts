/** The list of records in a body that has been parsed, and what to say where it is not in its place. */
import { append } from '@hyperjump/json-pointer';
import type { FeedContract } from './feed-contract.ts';
import { quote } from './findings.ts';

/** `fault` is called with the JSON pointer and the description of what is wrong. */
export type ReportFault = (pointer: string, seen: string) => void;

/** The records of `body`. A bare list is reported and read all the same: many feeds are one. */
export function recordsIn(
  body: unknown,
  { listPath }: Pick<FeedContract, 'listPath'>,
  fault: ReportFault,
): unknown[] | undefined {
  let node = body;
  let pointer = '';
  for (const name of listPath) {
    const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
    if (!isObject || !Object.hasOwn(node as object, name)) {
      const members = isObject ? Object.keys(node as object) : undefined;
      fault(pointer, memberMissing(node, name, members));
      return pointer === '' && Array.isArray(node) ? node : undefined;
    }
    node = (node as Record<string, unknown>)[name];
    pointer = append(name, pointer);
  }
  if (Array.isArray(node)) return node;
  fault(pointer, notAList(node));
  return undefined;
}

/** Why the list is not where the profile puts it. `members`: of the object that was found, if it is an object. */
export function memberMissing(seen: unknown, name: string, members?: string[]): string {
  if (!members) return `it is ${quote(seen)}; expected an object with the member ${quote(name)}`;
  const others = members.slice(0, 5).map(quote).join(', ');
  const found = others ? `only ${others}${members.length > 5 ? ' and more' : ''}` : 'no members at all';
  return `it has no member ${quote(name)}, ${found}`;
}

export const notAList = (seen: unknown): string => `it is ${quote(seen)}; expected the list of records`;
