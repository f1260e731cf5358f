/** fleet.yaml: the deployments of a fleet and how each is judged. A mistake has its line and a sentence that says what to write. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { pointerSegments } from '@hyperjump/json-pointer';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type Document, LineCounter, type Node, parseDocument } from 'yaml';
import { inOneLine } from '../../tests/report/text.ts';
import { readBounded } from '../../tests/support/files.ts';
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
}

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

/** The entries, sorted by name. Throws UsageError with the mistakes in the file. */
export function readFleetFile(file: string): Entry[] {
  const advice = 'Name the file that lists the deployments.';
  return readText(readBounded(file, LONGEST_BYTES, `"${file}"`, advice).toString(), file);
}

/** Those with one of these labels or names. Throws UsageError where one of them selects nothing. */
export function selectEntries(entries: readonly Entry[], only: readonly string[]): Entry[] {
  const isSelected = ({ name, labels = [] }: Entry, word: string) => name === word || labels.includes(word);
  const idle = only.find((word) => !entries.some((entry) => isSelected(entry, word)));
  if (idle !== undefined)
    throw new UsageError(
      `--only is "${idle}", which is neither a label nor a name in the fleet. mrs fleet list shows them.`,
    );
  return entries.filter((entry) => only.length === 0 || only.some((word) => isSelected(entry, word)));
}

/** Throws UsageError with the first problems in the order of lines, if there are any. */
export function refuse(problems: readonly Problem[], file: string): void {
  if (problems.length === 0) return;
  const sorted = problems.toSorted((one, other) => one.line - other.line);
  const all = [...new Set(sorted.map(({ line, text }) => `${file}:${line}: ${text}`))];
  throw new UsageError(all.slice(0, MOST_PROBLEMS).join('\n'));
}

/** What a feed inherits. A profile of deployments need not describe records. */
const OF_FEEDS: readonly string[] = ['timeout', 'strict', 'labels'];

/** The entries that `text` describes. Throws UsageError with a line for each mistake. */
export function readText(text: string, file: string): Entry[] {
  const { value, lineOf } = parse(text, file);
  const { defaults = {}, deployments } = value;
  const problems: Problem[] = [];
  // Names are also those of folders, and some file systems do not distinguish upper and lower case.
  const names = new Set<string>();
  const entries = deployments.map((own, at): Entry => {
    const line = lineOf(['deployments', at]);
    const isFeed = own.feed !== undefined;
    const note = (sentence: string) => problems.push({ line, text: `deployment "${own.name}" ${sentence}` });
    if (names.has(own.name.toLowerCase())) note('has the name of another. Choose another name.');
    names.add(own.name.toLowerCase());
    if (isFeed === (own.baseUrl !== undefined)) note('needs either baseUrl or feed. Write one of them.');
    for (const name of Object.keys(own))
      if (isFeed ? !['name', 'feed', 'profile', ...OF_FEEDS].includes(name) : name === 'strict')
        note(`has ${name}, which is for ${isFeed ? 'deployments' : 'feeds'} only. Remove it.`);
    const inherited = Object.entries(defaults).filter(([name]) =>
      isFeed ? OF_FEEDS.includes(name) : name !== 'strict',
    );
    return { ...Object.fromEntries(inherited), ...own, line };
  });
  refuse(problems, file);
  return entries.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Throws UsageError for what is not YAML, and for what the schema does not allow. */
function parse(text: string, file: string): { value: FleetFileSchema; lineOf(path: Path): number } {
  const counter = new LineCounter();
  // A message of the parser may quote the text, and with it a secret in the wrong place.
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'silent' });
  const problems = document.errors.map(({ code, pos }) => ({
    line: counter.linePos(pos[0]).line,
    text:
      code === 'DUPLICATE_KEY'
        ? 'the setting is there twice. Remove one of them.'
        : 'this is not YAML. Correct the line, or the one before it.',
  }));
  refuse(problems, file);
  const lineOf = (path: Path): number => {
    const node = document.getIn(path, true) as Node | undefined;
    if (node?.range) return counter.linePos(node.range[0]).line;
    return path.length === 0 ? 1 : lineOf(path.slice(0, -1));
  };
  const value = contentOf(document, file);
  const schema = fileURLToPath(import.meta.resolve('mrs-contract/fleet-file.schema.json'));
  const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, validateSchema: false });
  const validate = ajv.compile<FleetFileSchema>(JSON.parse(readFileSync(schema, 'utf8')));
  if (validate(value)) return { value, lineOf };
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'allOf');
  const found = errors.slice(0, MOST_PROBLEMS).map(problemOf);
  refuse(
    found.map((one) => ({ line: lineOf(one.path), text: one.text })),
    file,
  );
  throw new UsageError(`${file} is not a fleet file.`);
}

function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS() ?? {};
  } catch {
    // It leads nowhere, or too often into the same value.
    throw new UsageError(
      `${file}: an alias (*) cannot be resolved. Write the settings out, or under defaults.`,
    );
  }
}

const SECRETS = /^(clientSecret|expiredToken|mockControlKey|headers)$/;

/** What was written is not repeated: it may be a secret. */
function problemOf({ params, parentSchema = {}, instancePath }: ErrorObject): { path: Path; text: string } {
  const path = [...pointerSegments(instancePath)].map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const secret = path.find((step) => SECRETS.test(String(step)));
  const extra: unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (secret !== undefined) {
    const what = secret === 'headers' ? 'for each header' : 'or { file: PATH }';
    const text = `${secret} does not name where the secret is. Write { env: VARIABLE } ${what}; never write the secret itself.`;
    return { path, text };
  }
  if (typeof extra === 'string')
    return {
      path: [...path, extra],
      text: `"${inOneLine(extra).slice(0, 60)}" is not a setting. Remove it.`,
    };
  if (params.missingProperty) return { path, text: `${params.missingProperty} is missing. Add it.` };
  const member = path.findLast((step) => typeof step === 'string') ?? 'the file';
  return { path, text: `${member} is invalid. Write ${parentSchema.description ?? 'another value'}.` };
}
