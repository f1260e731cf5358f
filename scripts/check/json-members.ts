/** What a YAML document holds, and where: each member with the JSON pointer that leads to it. */

export type Members = Record<string, unknown>;

export interface Located {
  pointer: string;
  /** The last part of the pointer, unescaped. */
  key: string;
  value: unknown;
}

/** Every member of `node`, in its order and at any depth. What an example holds is data: it is not entered. */
export function* membersOf(node: unknown, path: readonly string[] = []): Generator<Located> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const here = [...path, key];
    yield { pointer: here.map((part) => `/${escaped(part)}`).join(''), key, value };
    if (!isExampleData(here)) yield* membersOf(value, here);
  }
}

/** A schema may have a property of the name `example`; that one is a schema, not data. */
function isExampleData(path: readonly string[]): boolean {
  if (path.at(-1) === 'example') return path.at(-2) !== 'properties';
  return path.at(-1) === 'value' && path.at(-3) === 'examples';
}

/** Where `located` leads to: itself, or what its local `$ref` names. */
export function followed(document: Members, located: Located): Located {
  const { $ref } = asMembers(located.value);
  if (typeof $ref !== 'string') return located;
  const keys = $ref.split('/').slice(1).map(unescaped);
  const value = keys.reduce<unknown>((node, key) => asMembers(node)[key], document);
  return { pointer: $ref.slice(1), key: keys.at(-1) ?? '', value };
}

/** The members that stand directly in `located`. */
export function childrenOf({ pointer, value }: Located): Located[] {
  return Object.entries(asMembers(value)).map(([key, child]) => ({
    pointer: `${pointer}/${escaped(key)}`,
    key,
    value: child,
  }));
}

/** `value` where it has members; else nothing. */
export const asMembers = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (key: string): string => key.replaceAll('~1', '/').replaceAll('~0', '~');
