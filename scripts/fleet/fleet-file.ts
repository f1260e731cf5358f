/** fleet.yaml: the deployments of a fleet and how each is judged. A mistake has its line and a sentence that says what to write. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pointerSegments } from '@hyperjump/json-pointer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { distance } from 'fastest-levenshtein';
import { LineCounter, type Node, parseDocument } from 'yaml';
import { readBounded } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Deployment, FleetFileSchema } from './fleet-file.schema.ts';

/** One deployment or feed, with the defaults that it inherits, and its line in fleet.yaml, counted from 1. */
export type Entry = Deployment & { line: number };

/** A mistake in the fleet file. */
export interface Problem {
  line: number;
  text: string;
}

type Path = readonly (string | number)[];

/** Where a fleet is described, unless another file is named. */
export const FLEET_FILE = 'fleet.yaml';

const LONGEST_BYTES = 1024 * 1024;
const MOST_PROBLEMS = 20;
/** What a feed inherits. A profile of deployments need not describe records. */
const OF_FEEDS: readonly string[] = ['timeout', 'strict', 'labels'];

/** The entries, sorted by name. Throws UsageError with the mistakes in the file. */
export const readFleetFile = (file: string): Entry[] =>
  readText(readBounded(file, LONGEST_BYTES, `The fleet file "${file}"`).toString(), file);

/** The variables that a fleet file names. Throws UsageError with the mistakes in the file. */
export function namedVariables(file: string): string[] {
  const named: string[] = [];
  JSON.stringify(readFleetFile(file), (name, value) => {
    if (name === 'env') named.push(value);
    return value;
  });
  return named;
}

/** Those with one of these labels or names. Throws UsageError where one of them selects nothing. */
export function selectEntries(entries: readonly Entry[], only: readonly string[]): Entry[] {
  const isSelected = ({ name, labels = [] }: Entry, word: string) => name === word || labels.includes(word);
  const idle = only.find((word) => !entries.some((entry) => isSelected(entry, word)));
  if (idle !== undefined)
    throw new UsageError(`--only is "${idle}", which is neither a label nor a name in the fleet file.`);
  return entries.filter((entry) => only.length === 0 || only.some((word) => isSelected(entry, word)));
}

/** Throws UsageError with the first problems in the order of lines, if there are any. */
export function refuse(problems: readonly Problem[], file: string): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  const all = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${text}`))];
  throw new UsageError(all.slice(0, MOST_PROBLEMS).join('\n'));
}

/** The entries that `text` describes. Throws UsageError with a line for each mistake. */
export function readText(text: string, file: string): Entry[] {
  const counter = new LineCounter();
  // A message of the parser may quote the text, and with it a secret in the wrong place.
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const lineOf = (path: Path): number => {
    const node = document.getIn(path, true) as Node | undefined;
    if (node?.range) return counter.linePos(node.range[0]).line;
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  const sentence = 'this is not YAML, or a setting is there twice. Correct the line, or the one before it.';
  const wrong = document.errors.map(({ pos }) => ({ line: counter.linePos(pos[0]).line, text: sentence }));
  refuse(wrong, file);
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch {
    // It leads nowhere, or too often into the same value.
    const advice = 'Write the settings out, or under defaults.';
    throw new UsageError(`${file}: an alias (*) cannot be resolved. ${advice}`);
  }
  const { defaults = {}, deployments } = validated(value, file, lineOf);
  const entries = deployments.map((own, at): Entry => {
    const inherited = Object.entries(defaults).filter(([name]) =>
      own.feed === undefined ? name !== 'strict' : OF_FEEDS.includes(name),
    );
    return { ...Object.fromEntries(inherited), ...own, line: lineOf(['deployments', at]) };
  });
  // Names are also those of folders, and some file systems do not distinguish upper and lower case.
  const names = entries.map(({ name }) => name.toLowerCase());
  const repeated = entries.filter((_, at) => names.indexOf(names[at] ?? '') !== at);
  refuse(
    repeated.map(({ name, line }) => ({
      line,
      text: `deployment "${name}" has the name of another. Choose another name.`,
    })),
    file,
  );
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws UsageError for what the schema does not allow. */
function validated(value: unknown, file: string, lineOf: (path: Path) => number): FleetFileSchema {
  const content = JSON.parse(
    readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/fleet-file.schema.json')), 'utf8'),
  );
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateSchema: false });
  const validate = ajv.compile<FleetFileSchema>(content);
  if (validate(value)) return value;
  const { deployment, settings } = content.$defs;
  const names = Object.keys({ ...deployment.properties, ...settings.properties });
  const problems = (validate.errors ?? [])
    .filter(({ keyword, propertyName }) => !['allOf', 'if'].includes(keyword) && propertyName === undefined)
    .slice(0, MOST_PROBLEMS)
    .map((error) => problemOf(error, names));
  refuse(
    problems.map(({ path, text }) => ({ line: lineOf(path), text })),
    file,
  );
  throw new UsageError(`${file} is not a fleet file.`);
}

const SECRETS = /^(clientSecret|expiredToken|mockControlKey|headers)$/;

/** What was written is not repeated: it may be a secret. `settings`: the names of all. */
function problemOf(
  { params, parentSchema = {}, instancePath }: ErrorObject,
  settings: readonly string[],
): { path: Path; text: string } {
  const path = [...pointerSegments(instancePath)].map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const secret = path.find((step) => SECRETS.test(String(step)));
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  if (secret !== undefined) {
    const what = secret === 'headers' ? 'for each header' : 'or { file: PATH }';
    const text = `${secret} does not name where the secret is. Write { env: VARIABLE } ${what}; never write the secret itself.`;
    return { path, text };
  }
  if (typeof extra === 'string') {
    const near = settings.includes(extra) ? undefined : settings.find((name) => distance(name, extra) <= 2);
    // What follows a name may be its value, where a space is missing.
    const name = extra.replace(/[^\w-].*/s, '…').slice(0, 60);
    const text = `"${name}" is not a setting here. ${near ? `Did you mean ${near}?` : 'Remove it.'}`;
    return { path: [...path, extra], text };
  }
  if (params.missingProperty) return { path, text: `${params.missingProperty} is missing. Add it.` };
  const member = path.findLast((step) => typeof step === 'string') ?? 'the file';
  const what = typeof path.at(-1) === 'number' ? `an item of ${member}` : member;
  const quotes = parentSchema.type === 'string' ? ' as text, in quotes if it is a number' : '';
  return { path, text: `${what} is invalid. Write ${parentSchema.description ?? 'another value'}${quotes}.` };
}
