/** fleet.yaml: the deployments of a fleet and how each is judged. A mistake has its line and a sentence that says what to write. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pointerSegments } from '@hyperjump/json-pointer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { closest } from 'fastest-levenshtein';
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { inOneLine } from '../../tests/report/text.ts';
import { readBounded, UnreadableError } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { FleetFileSchema } from './fleet-file.schema.ts';

type Written = FleetFileSchema['deployments'][number];

/** Where a secret is. Exactly one of the two. */
export interface SecretReference {
  env?: string;
  file?: string;
}

/** One deployment or feed, with the defaults that it inherits. */
export interface Entry extends Omit<Written, 'clientSecret' | 'expiredToken' | 'mockControlKey'> {
  clientSecret?: SecretReference;
  expiredToken?: SecretReference;
  mockControlKey?: SecretReference;
  /** In fleet.yaml, counted from 1. */
  line: number;
  /** Those of its settings, by their names. */
  lines?: Readonly<Record<string, number>>;
}

/** A mistake in the fleet file. */
export interface Problem {
  line: number;
  text: string;
}

interface FleetFile {
  /** Sorted by name. */
  entries: Entry[];
  problems: Problem[];
}

/** Where a fleet is described, unless another file is named. */
export const FLEET_FILE = 'fleet.yaml';

/** Bytes; characters and lines, since a parser takes seconds for more. */
const LIMIT = 16 * 1024 * 1024;
const LONGEST = 1_000_000;
const MOST_LINES = 50_000;
const MOST_DEPLOYMENTS = 2000;
const MOST_PROBLEMS = 20;

/** The entries, and what else is wrong with the file. Throws UsageError for what is not of its form. */
export function readFleetFile(file: string): FleetFile {
  try {
    return readText(readBounded(file, LIMIT).toString('utf8'), file);
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`"${file}" ${error.message}. Name the file that lists the deployments.`);
  }
}

/** Those with one of these labels or names. Throws UsageError where one of them selects nothing. */
export function selectEntries(entries: readonly Entry[], only: readonly string[]): Entry[] {
  if (only.length === 0) return [...entries];
  const isSelected = ({ name, labels = [] }: Entry, word: string) => name === word || labels.includes(word);
  const idle = only.find((word) => !entries.some((entry) => isSelected(entry, word)));
  if (idle !== undefined)
    throw new UsageError(
      `--only is "${idle}", which is neither a label nor a name in the fleet. mrs fleet list shows them.`,
    );
  return entries.filter((entry) => only.some((word) => isSelected(entry, word)));
}

/** Throws UsageError with all problems in the order of lines, if there are any. */
export function refuse(problems: readonly Problem[], file: string): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  const all = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${text}`))];
  const rest = all.length - MOST_PROBLEMS;
  throw new UsageError([...all.slice(0, MOST_PROBLEMS), ...(rest > 0 ? [`${rest} more`] : [])].join('\n'));
}

/** What a feed inherits. A profile of deployments need not describe records. */
const OF_FEEDS: readonly string[] = ['timeout', 'bodyLimit', 'strict', 'labels', 'contact'];
const ONLY_OF_FEEDS: readonly string[] = ['feed', 'strict'];

/** What `text` describes. Throws UsageError with a line for each violation of the schema; other mistakes are in the result. */
export function readText(text: string, file: string): FleetFile {
  const { value, lineOf } = sourceText(text, file);
  const { deployments, defaults = {} } = value;
  const problems: Problem[] = [];
  const linesOf = (members: object, path: Path) =>
    Object.fromEntries(Object.keys(members).map((member) => [member, lineOf([...path, member])]));
  const linesOfDefaults = linesOf(defaults, ['defaults']);
  // Names are also those of folders, and some file systems do not distinguish upper and lower case.
  const firsts = new Map<string, number>();
  const entries = deployments.map((entry, at): Entry => {
    const path = ['deployments', at];
    const line = lineOf(path);
    const key = entry.name.toLowerCase();
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, line);
    else
      problems.push({
        line: lineOf([...path, 'name']),
        text: `the name "${entry.name}" is already used in line ${first}. Choose another.`,
      });
    for (const [member, why] of mistakesIn(entry))
      problems.push({
        line: lineOf(member === undefined ? path : [...path, member]),
        text: `deployment "${entry.name}" has ${why}`,
      });
    const inherited = Object.entries(defaults).filter(([member]) =>
      entry.feed === undefined ? !ONLY_OF_FEEDS.includes(member) : OF_FEEDS.includes(member),
    );
    const lines = { ...linesOfDefaults, ...linesOf(entry, path) };
    return { ...Object.fromEntries(inherited), ...entry, line, lines } as Entry;
  });
  return { entries: entries.toSorted((one, other) => (one.name < other.name ? -1 : 1)), problems };
}

/** What an entry has that it must not have, at the member concerned. */
function mistakesIn(entry: Written): [member: string | undefined, why: string][] {
  const { baseUrl, feed } = entry;
  if (baseUrl === undefined && feed === undefined)
    return [[undefined, 'neither baseUrl nor feed. Write the URL of the deployment, or of the feed.']];
  if (baseUrl !== undefined && feed !== undefined)
    return [[undefined, 'baseUrl and feed. Make two entries of it.']];
  const why = feed === undefined ? 'which is for feeds' : 'which a feed does not have';
  return Object.keys(entry)
    .filter((member) =>
      feed === undefined
        ? ONLY_OF_FEEDS.includes(member)
        : !['name', 'feed', 'profile', ...OF_FEEDS].includes(member),
    )
    .map((member) => [member, `${member}, ${why}. Remove it.`]);
}

// The text of the file against its schema.

type Path = readonly (string | number)[];

/** Throws UsageError for what is not YAML, or violates the schema. `lineOf` counts from 1. */
function sourceText(text: string, file: string): { value: FleetFileSchema; lineOf(path: Path): number } {
  if (text.length > LONGEST)
    throw new UsageError(`${file} is longer than ${LONGEST} characters. Divide the fleet.`);
  if (text.split('\n', MOST_LINES + 1).length > MOST_LINES)
    throw new UsageError(`${file} has more than ${MOST_LINES} lines. Divide the fleet.`);
  const counter = new LineCounter();
  const lineAt = (range: readonly number[] | null | undefined) => counter.linePos(range?.[0] ?? 0).line;
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false, // A message may quote the text, and with it a secret in the wrong place.
    logLevel: 'silent',
    uniqueKeys: false, // The parser compares each with each.
  });
  const [broken] = document.errors;
  if (broken)
    refuse(
      [{ line: lineAt(broken.pos), text: 'this is not YAML. Correct the line, or the one before it.' }],
      file,
    );
  const problems: Problem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push({
            line: lineAt(key.range),
            text: 'the setting is there twice. Remove one of them.',
          });
        seen.add(key.value);
      }
    },
    // One that leads nowhere, or within its own anchor, which has a value without an end.
    Alias(_, alias, path) {
      const anchored = alias.resolve(document);
      if (anchored && !path.some((node) => node === anchored)) return;
      problems.push({ line: lineAt(alias.range), text: NO_ALIAS });
      return visit.BREAK;
    },
  });
  refuse(problems, file);

  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length--) {
      const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
      const key = path[length - 1];
      const pair = isMap(parent)
        ? parent.items.find((one) => isScalar(one.key) && one.key.value === key)
        : undefined;
      const node = pair?.key ?? document.getIn(path.slice(0, length), true);
      const range = (node as { range?: [number, number, number] } | undefined)?.range;
      if (range) return lineAt(range);
    }
    return 1;
  };

  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (!isMap(contents))
    throw new UsageError(
      `${file}:1: the file is ${isEmpty ? 'empty' : 'not a map'}; it needs \`deployments:\`.`,
    );
  const list = contents.get('deployments');
  if (isSeq(list) && list.items.length > MOST_DEPLOYMENTS)
    throw new UsageError(
      `${file}:${lineOf(['deployments'])}: deployments has ${list.items.length} entries, and ${MOST_DEPLOYMENTS} are allowed. Divide the fleet.`,
    );
  const value = contentOf(document, file);
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateSchema: false });
  const validate = ajv.compile<FleetFileSchema>(schema());
  if (validate(value)) return { value, lineOf };
  // Each takes a search for its line.
  const errors = (validate.errors ?? []).slice(0, 10 * MOST_PROBLEMS);
  refuse(
    errors.flatMap((error) => {
      const [path, problem] = problemOf(error, value);
      return problem === undefined ? [] : { line: lineOf(path), text: problem };
    }),
    file,
  );
  throw new UsageError(`${file} is not a fleet file.`);
}

const NO_ALIAS = 'an alias (*) cannot be resolved. Write the settings out, or under defaults.';

function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch {
    // It leads too often into the same value.
    throw new UsageError(`${file}: ${NO_ALIAS}`);
  }
}

const schema = () =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/fleet-file.schema.json')), 'utf8'));

const SECRETS = /^(clientSecret|expiredToken|mockControlKey)$/;
/** What was written there may be a secret, and is not repeated. */
const PRIVATE = /^(clientSecret|expiredToken|mockControlKey|headers|baseUrl|feed)$/;
const LONGEST_VALUE = 60;

/** A sentence and its place; none for an error that only says that another one is there. */
function problemOf(error: ErrorObject, value: unknown): [place: Path, problem: string | undefined] {
  const { keyword, params, parentSchema = {}, data, instancePath } = error;
  const path = [...pointerSegments(instancePath)].map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const label = labelOf(path, value);
  const secret = path.findIndex((step) => SECRETS.test(String(step)));
  if (secret !== -1)
    return [
      path.slice(0, secret + 1),
      `${label}${path[secret]} does not name where the secret is. Write { env: VARIABLE } or { file: PATH }; never write the secret itself.`,
    ];
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  const isHeader = path.includes('headers') && (typeof extra === 'string' || keyword === 'required');
  if (isHeader)
    return [
      path,
      `${label}a header has ${keyword === 'required' ? 'no' : 'more than its'} variable. Write { env: VARIABLE }.`,
    ];
  if (typeof extra === 'string')
    return [
      [...path, extra],
      `${label}"${inOneLine(extra).slice(0, LONGEST_VALUE)}" is not a setting. ${nearest(extra, path)}`,
    ];
  if (keyword === 'required') return [path, `${label}${params.missingProperty} is missing. Add it.`];
  if (keyword === 'if' || keyword === 'allOf') return [path, undefined];
  const member = path.findLast((step) => typeof step === 'string') ?? 'the file';
  const isPrivate = path.length < 3 || path.some((step) => PRIVATE.test(String(step)));
  const seen = isPrivate ? 'is invalid' : `is ${inOneLine(JSON.stringify(data)).slice(0, LONGEST_VALUE)}`;
  return [path, `${label}${member} ${seen}. Write ${parentSchema.description || 'another value'}.`];
}

/** The entry that a path leads into, as `deployment "x": `. */
function labelOf([list, at]: Path, value: unknown): string {
  if (list !== 'deployments' || typeof at !== 'number') return list === 'defaults' ? 'defaults: ' : '';
  const name = (value as { deployments?: { name?: unknown }[] }).deployments?.[at]?.name;
  return typeof name === 'string' && /^[\w.-]{1,63}$/.test(name)
    ? `deployment "${name}": `
    : `deployment ${at + 1}: `;
}

function nearest(name: string, path: Path): string {
  const { properties, $defs } = schema();
  const known =
    path.length === 0 ? properties : { ...$defs.settings.properties, ...$defs.deployment.properties };
  return `The nearest is ${closest(name, Object.keys(known))}.`;
}
