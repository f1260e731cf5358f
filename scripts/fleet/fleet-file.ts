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

export interface FleetFile {
  /** Sorted by name. */
  entries: Entry[];
  problems: Problem[];
}

/** What a feed has in common with a deployment; the rest is for deployments only. */
const OF_FEEDS: readonly string[] = [
  'name',
  'feed',
  'profile',
  'timeout',
  'bodyLimit',
  'strict',
  'labels',
  'contact',
];
/** What a feed inherits. A profile of deployments need not describe records. */
const INHERITED_BY_FEEDS: readonly string[] = ['timeout', 'bodyLimit', 'strict', 'labels', 'contact'];
const ONLY_OF_FEEDS: readonly string[] = ['feed', 'strict'];

/** What `text` describes. Throws UsageError with a line for each violation of the schema; other mistakes are in the result. */
export function readText(text: string, file: string): FleetFile {
  const source = sourceText(text, file);
  const { deployments, defaults = {} } = source.value;
  const problems = [
    ...deployments.flatMap((entry, at) => problemsOf(entry, at, source)),
    ...repeatedNames(deployments, source),
  ];
  const defaultLines = Object.fromEntries(
    Object.keys(defaults).map((member) => [member, source.lineOf(['defaults', member])]),
  );
  const entries = deployments
    .map((entry, at): Entry => {
      const inherited = Object.entries(defaults).filter(([member]) =>
        entry.feed === undefined ? !ONLY_OF_FEEDS.includes(member) : INHERITED_BY_FEEDS.includes(member),
      );
      return {
        ...Object.fromEntries(inherited),
        ...entry,
        line: source.lineOf(['deployments', at]),
        lines: {
          ...defaultLines,
          ...Object.fromEntries(
            Object.keys(entry).map((member) => [member, source.lineOf(['deployments', at, member])]),
          ),
        },
      } as Entry;
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return { entries, problems };
}

function problemsOf(entry: Written, at: number, { problemAt }: SourceText): Problem[] {
  const { name, baseUrl, feed } = entry;
  const label = `deployment "${name}"`;
  const path = ['deployments', at];
  const problems: Problem[] = [];
  if (baseUrl === undefined && feed === undefined)
    return [
      problemAt(
        path,
        `${label} has neither baseUrl nor feed. Write the URL of the deployment, or of the feed.`,
      ),
    ];
  if (baseUrl !== undefined && feed !== undefined)
    return [problemAt(path, `${label} has baseUrl and feed. Make two entries of it.`)];
  const why = feed === undefined ? 'which is for feeds' : 'which a feed does not have';
  for (const member of Object.keys(entry))
    if (feed === undefined ? ONLY_OF_FEEDS.includes(member) : !OF_FEEDS.includes(member))
      problems.push(problemAt([...path, member], `${label} has ${member}, ${why}. Remove it.`));
  return problems;
}

/** Names are also those of folders, and some file systems do not distinguish upper and lower case. */
function repeatedNames(deployments: readonly Written[], { problemAt, lineOf }: SourceText): Problem[] {
  const firsts = new Map<string, number>();
  return deployments.flatMap(({ name }, at) => {
    const first = firsts.get(name.toLowerCase());
    if (first === undefined) {
      firsts.set(name.toLowerCase(), at);
      return [];
    }
    const line = lineOf(['deployments', first]);
    return [
      problemAt(
        ['deployments', at, 'name'],
        `the name "${name}" is already used in line ${line}. Choose another.`,
      ),
    ];
  });
}

/** Where a fleet is described, unless another file is named. */
export const FLEET_FILE = 'fleet.yaml';

/** Bytes. */
const LIMIT = 16 * 1024 * 1024;

/** The entries, sorted by name, and what else is wrong with the file. Throws UsageError for what is not of its form. */
export const readFleetFile = (file: string): FleetFile => readText(textOf(file), file);

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

function textOf(file: string): string {
  try {
    return readBounded(file, LIMIT, { followsLink: true }).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`"${file}" ${error.message}. Name the file that lists the deployments.`);
  }
}

// The text of the file against its schema.

type Path = readonly (string | number)[];

export interface SourceText {
  value: FleetFileSchema;
  /** Counts from 1. */
  lineOf(path: Path): number;
  /** `text` about the place. */
  problemAt(path: Path, text: string): Problem;
}

/** A mistake in the fleet file. */
export interface Problem {
  line: number;
  text: string;
}

/** Throws UsageError with all problems in the order of lines, if there are any. */
export function refuse(problems: readonly Problem[], file: string): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  const all = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${text}`))];
  const rest = all.length - MOST_PROBLEMS;
  throw new UsageError([...all.slice(0, MOST_PROBLEMS), ...(rest > 0 ? [`${rest} more`] : [])].join('\n'));
}

/** Characters, and lines: a parser takes seconds for more. */
const LONGEST = 1_000_000;
const MOST_LINES = 50_000;
const MOST_DEPLOYMENTS = 2000;
const MOST_PROBLEMS = 20;
/** What was written there may be a secret, and is not repeated. */
const PRIVATE = /^(clientSecret|expiredToken|mockControlKey|headers|baseUrl|feed)$/;
const LONGEST_VALUE = 60;

/** Throws UsageError for what is not YAML, or violates the schema. */
export function sourceText(text: string, file: string): SourceText {
  if (text.length > LONGEST)
    throw new UsageError(`${file} is longer than ${LONGEST} characters. Divide the fleet.`);
  if (text.split('\n', MOST_LINES + 1).length > MOST_LINES)
    throw new UsageError(`${file} has more than ${MOST_LINES} lines. Divide the fleet.`);
  const lines = new LineCounter();
  // A message of the parser may quote the text, and with it a secret in the wrong place.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    uniqueKeys: false, // The parser compares each with each.
  });
  const [broken] = document.errors;
  if (broken) {
    const { line } = lines.linePos(broken.pos[0]);
    throw new UsageError(`${file}:${line}: this is not YAML. Correct the line, or the one before it.`);
  }
  refuse(repeatedKeys(document, lines), file);

  const lineOf = (path: Path): number => {
    for (let length = path.length; length > 0; length--) {
      const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
      const key = path[length - 1];
      const pair = isMap(parent)
        ? parent.items.find((one) => isScalar(one.key) && one.key.value === key)
        : undefined;
      const node = pair?.key ?? document.getIn(path.slice(0, length), true);
      const range = (node as { range?: [number, number, number] } | undefined)?.range;
      if (range) return lines.linePos(range[0]).line;
    }
    return 1;
  };
  const problemAt = (path: Path, text: string): Problem => ({ line: lineOf(path), text });

  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null))
    throw new UsageError(`${file}:1: the file is empty; it needs \`deployments:\`.`);
  if (!isMap(contents)) throw new UsageError(`${file}:1: the file is not a map; it needs \`deployments:\`.`);
  const list = contents.get('deployments');
  if (isSeq(list) && list.items.length > MOST_DEPLOYMENTS)
    throw new UsageError(
      `${file}:${lineOf(['deployments'])}: deployments has ${list.items.length} entries, and ${MOST_DEPLOYMENTS} are allowed. Divide the fleet.`,
    );

  refuseCycles(document, file, lines);
  const value = contentOf(document, file, lines);
  const validate = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    validateSchema: false,
  }).compile(schema());
  if (!validate(value)) {
    // Each takes a search for its line.
    const errors = (validate.errors ?? []).slice(0, 10 * MOST_PROBLEMS);
    refuse(
      errors.flatMap((error) => problemOf(error, value, problemAt)),
      file,
    );
  }
  return { value: value as FleetFileSchema, lineOf, problemAt };
}

function repeatedKeys(document: Document, lines: LineCounter): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value))
          problems.push({
            line: lines.linePos(key.range?.[0] ?? 0).line,
            text: 'the setting is there twice. Remove one of them.',
          });
        seen.add(key.value);
      }
    },
  });
  return problems;
}

/** An alias within its own anchor has a value without an end. */
function refuseCycles(document: Document, file: string, lines: LineCounter): void {
  visit(document, {
    Alias(_, alias, path) {
      const anchored = alias.resolve(document);
      if (!path.some((node) => node === anchored)) return;
      throw new UsageError(
        `${file}:${lines.linePos(alias.range?.[0] ?? 0).line}: an alias (*) is part of what it stands for, and cannot be resolved. Write the settings out.`,
      );
    },
  });
}

/** An alias that leads nowhere, or too often into the same value. */
function contentOf(document: Document, file: string, lines: LineCounter): unknown {
  try {
    return document.toJS();
  } catch {
    let at = 0;
    visit(document, {
      Alias: (_, alias) => {
        at = alias.range?.[0] ?? at;
        return alias.resolve(document) ? undefined : visit.BREAK;
      },
    });
    throw new UsageError(
      `${file}:${lines.linePos(at).line}: an alias (*) cannot be resolved. Write the settings out, or under defaults.`,
    );
  }
}

const schema = () =>
  JSON.parse(readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/fleet-file.schema.json')), 'utf8'));

/** None for an error that only says that another one is there. */
function problemOf(error: ErrorObject, value: unknown, problemAt: SourceText['problemAt']): Problem[] {
  const path = [...pointerSegments(error.instancePath)].map((step) =>
    /^\d+$/.test(step) ? Number(step) : step,
  );
  const secret = path.findIndex((step) => /^(clientSecret|expiredToken|mockControlKey)$/.test(String(step)));
  const { keyword, params, parentSchema = {}, data } = error;
  const label = labelOf(path, value);
  const description = String(parentSchema.description ?? '');
  if (secret !== -1)
    return [
      problemAt(
        path.slice(0, secret + 1),
        `${label}${path[secret]} does not name where the secret is. Write { env: VARIABLE } or { file: PATH }; never write the secret itself.`,
      ),
    ];
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof extra === 'string')
    return path.includes('headers')
      ? [problemAt(path, `${label}a header has more than its variable. Write { env: VARIABLE }.`)]
      : [
          problemAt(
            [...path, extra],
            `${label}"${inOneLine(extra).slice(0, LONGEST_VALUE)}" is not a setting. ${nearest(extra, path)}`,
          ),
        ];
  if (keyword === 'required')
    return path.includes('headers')
      ? [problemAt(path, `${label}a header has no variable. Write { env: VARIABLE }.`)]
      : [problemAt(path, `${label}${params.missingProperty} is missing. Add it.`)];
  if (keyword === 'if' || keyword === 'allOf') return [];
  const member = [...path].reverse().find((step) => typeof step === 'string') ?? 'the file';
  const isPrivate = path.length < 3 || path.some((step) => PRIVATE.test(String(step)));
  const seen = isPrivate ? 'is invalid' : `is ${inOneLine(JSON.stringify(data)).slice(0, LONGEST_VALUE)}`;
  return [problemAt(path, `${label}${member} ${seen}. Write ${description || 'another value'}.`)];
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
