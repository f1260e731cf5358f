/** The contract of this repository: openapi.yaml, the ledger and the profiles fit together. The build generates the rest. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Requirement } from '../../tests/support/requirements.ts';
import { SEVERITIES } from '../../tests/support/verdict.ts';
import { suite } from '../../tests/support/version.ts';

const fileOf = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve('mrs-contract/package.json')));
const textOf = (path: string): string => readFileSync(fileOf(path), 'utf8');

type Members = Record<string, unknown>;
const contract: Members = parse(textOf('openapi.yaml'));
const ledger: Requirement[] = parse(textOf('tests/requirements.yaml'));
const ids = ledger.map(({ id }) => id);

// The documents by themselves.

/** What Redocly reports of a document; warnings too. */
async function lintFaults(source: string, absoluteRef: string): Promise<string[]> {
  const config = await loadConfig({ configPath: fileOf('redocly.yaml') });
  const problems = await lintFromString({ source, absoluteRef, config });
  return problems.map(({ ruleId, message, location: [place] }) => `${place?.pointer}: ${ruleId}: ${message}`);
}

for (const document of ['openapi.yaml', 'mocks/control.openapi.yaml'])
  test(`${document} passes the rules of Redocly`, async () => {
    expect(await lintFaults(textOf(document), document)).toEqual([]);
  });

for (const profile of profileNames().filter((name) => name !== SPECIFICATION))
  test(`the contract under the profile ${profile} passes the rules of Redocly`, async () => {
    const merged = stringify((await loadProfile(profile)).document, { aliasDuplicateObjects: false });
    expect(await lintFaults(merged, `the profile ${profile}`)).toEqual([]);
  });

// Schemas, examples and operations.

interface Located {
  pointer: string;
  key: string;
  value: Members;
}

/** Every object or list in `node`, at any depth. What an example holds is data, and is not entered. */
function* membersOf(node: unknown, path: readonly string[] = []): Generator<Located> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const here = [...path, key];
    const pointer = here.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
    yield { pointer, key, value };
    const isData =
      (key === 'example' && path.at(-1) !== 'properties') || (key === 'value' && path.at(-2) === 'examples');
    if (!isData) yield* membersOf(value, here);
  }
}
const members = [...membersOf(contract)];
/** What a local reference leads to. */
const followed = (value: Members): Members =>
  typeof value?.$ref === 'string'
    ? (members.find(({ pointer }) => `#${pointer}` === value.$ref)?.value ?? {})
    : value;

/** The document is one big schema to Ajv, so that `$ref` finds its way. Strict: a misspelt keyword is a fault. */
const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const extensions = members.map(({ key }) => key).filter((key) => key.startsWith('x-'));
ajv.addVocabulary([...new Set([...Object.keys(contract), ...extensions])]);
ajv.addSchema(contract, 'contract');
const compiled = (pointer: string) => ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });

test('every schema of the contract compiles, and every example fits the schema next to it', () => {
  for (const { pointer, key } of members)
    if (key === 'schema' || /^\/components\/schemas\/[^/]+$/.test(pointer))
      expect(() => compiled(pointer), pointer).not.toThrow();
  let examples = 0;
  for (const { pointer, value } of members) {
    if (!value?.schema) continue;
    const named = Object.values(value.examples ?? {}).map((one) => followed(one as Members).value);
    for (const example of value.example === undefined ? named : [value.example, ...named]) {
      const fits = compiled(`${pointer}/schema`);
      expect(fits(example) ? [] : fits.errors, pointer).toEqual([]);
      examples++;
    }
  }
  expect(examples).toBeGreaterThan(10);
});

// The ledger, and what the contract says about it.

const text = { type: 'string', pattern: '\\S' };
/** Of what binds a deployment. */
const OPTIONAL = ['needs', 'passive', 'about'];
const COLUMNS: Record<string, { required: string[]; optional?: string[] }> = {
  server: { required: ['severity', 'violation', 'advice'], optional: OPTIONAL },
  interpretation: { required: ['reading', 'severity', 'violation', 'advice'], optional: OPTIONAL },
  client: { required: [], optional: ['about'] },
  open: { required: ['question'] }, // It binds no deployment, so none can leave it out.
  'not-observable': { required: ['reason'], optional: ['about'] },
};
const VALUES: Record<string, object> = {
  needs: { enum: ['token-response', 'token', 'data'] },
  passive: { enum: ['usual', 'occasional'] },
  severity: { enum: SEVERITIES },
  about: { const: 'tokens' },
};

test('each row of the ledger has the columns of its kind, and an id of its clause', () => {
  const ofKind = Object.entries(COLUMNS).map(([kind, { required, optional = [] }]) => {
    const columns = ['id', 'clause', 'kind', 'statement', ...required];
    const named = [...columns, ...optional].map((name) => [name, VALUES[name] ?? text]);
    const properties = { ...Object.fromEntries(named), kind: { const: kind } };
    return { type: 'object', required: columns, properties, additionalProperties: false };
  });
  const fits = new Ajv2020().compile({ oneOf: ofKind });
  for (const row of ledger) {
    expect(fits(row) ? [] : fits.errors, row.id).toEqual([]);
    expect(row.id).toMatch(new RegExp(`^MRS-${row.clause.replaceAll('.', '\\.')}(\\.\\d+)?[a-z]?$`));
  }
});

test('the contract names rows of the ledger', () => {
  const clauses = members.flatMap(({ key, value }) =>
    key === 'x-clauses' || key === 'clauses' ? (value as unknown as string[]) : [],
  );
  expect(clauses.filter((id) => !ids.includes(id))).toEqual([]);
  expect(clauses.length).toBeGreaterThan(10);
});

test('an assumption answers a row that leaves something open, and states its choice and its reason', () => {
  const assumptions = members.filter(({ key }) => key === 'x-assumption');
  expect(assumptions.length).toBeGreaterThan(0);
  for (const { pointer, value } of assumptions) {
    expect([value.choice, value.reason], pointer).toEqual([
      expect.stringMatching(/\S/),
      expect.stringMatching(/\S/),
    ]);
    const row = ledger.find(({ id }) => id === value.answers);
    expect(['open', 'interpretation'], `${pointer}: ${value.answers}`).toContain(row?.kind);
  }
});

/** The text of the specification, which is not part of this repository. */
const specification = fileOf('../shared/spec/interface-specification.md');

test('reports name the specification by the digest of its text', ({ skip }) => {
  skip(!existsSync(specification), 'The text of the specification is not next to this repository.');
  const digest = createHash('sha256').update(readFileSync(specification)).digest('hex');
  expect(suite.specification).toBe(`sha256:${digest}`);
});

test('the ledger has an open row for each "not shown" of the specification', ({ skip }) => {
  skip(!existsSync(specification), 'The text of the specification is not next to this repository.');
  const marks: Record<string, number> = {};
  let section = '';
  for (const line of readFileSync(specification, 'utf8').split('\n')) {
    section = /^#+ (\d+(?:\.\d+)*)\.? /.exec(line)?.[1] ?? section;
    if (section !== '' && line.includes('not shown')) marks[section] = (marks[section] ?? 0) + 1;
  }
  for (const [marked, count] of Object.entries(marks)) {
    const open = ledger.filter(({ kind, clause }) => kind === 'open' && clause === marked);
    expect(open.length, `section ${marked}`).toBeGreaterThanOrEqual(count);
  }
});
