/** JSON schemas of the reports. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Name = 'report' | 'certificate' | 'feed' | 'traffic' | 'fleet';

/**
 * The schema of a report as text, with the common schema embedded as JSON Schema 2020-12 section 9.3 describes. A copy
 * next to a report needs no other file.
 */
export function readSchema(name: Name): string {
  const schema = read(name);
  const common = read('common');
  return `${JSON.stringify({ ...schema, $defs: { ...schema.$defs, common } }, null, 2)}\n`;
}

const read = (name: Name | 'common'): { $defs: object } =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${name}.schema.json`)), 'utf8'));

/** `T` with every member read-only, at any depth: reports are values. */
export type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: Immutable<T[Name]> }
    : T;
