/** The contract of this repository: openapi.yaml, the ledger, the profiles and the generated types fit together. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { parse, stringify } from 'yaml';
import { loadProfile, profileNames, SPECIFICATION } from '../../mocks/contract/profile.ts';
import type { Requirement } from '../../tests/support/requirements.ts';
import { suite } from '../../tests/support/version.ts';
import { contractFaults, lintFaults, typesFaults } from './contract-check.ts';
import { ledgerFaults, notShownFaults } from './ledger-check.ts';

const fileOf = (path: string): string =>
  fileURLToPath(new URL(path, import.meta.resolve('mrs-contract/package.json')));
const textOf = (path: string): string => readFileSync(fileOf(path), 'utf8');

const rules = fileOf('redocly.yaml');
const ledger: Requirement[] = parse(textOf('tests/requirements.yaml'));

/** The text of the specification, which is not part of this repository. */
const specification = fileOf('../shared/spec/interface-specification.md');

for (const document of ['openapi.yaml', 'mocks/control.openapi.yaml'])
  test(`${document} passes the rules of Redocly`, async () => {
    expect(await lintFaults(textOf(document), rules, document)).toEqual([]);
  });

for (const profile of profileNames().filter((name) => name !== SPECIFICATION))
  test(`the contract under the profile ${profile} passes the rules of Redocly`, async () => {
    const merged = stringify((await loadProfile(profile)).document, { aliasDuplicateObjects: false });
    expect(await lintFaults(merged, rules, `the profile ${profile}`)).toEqual([]);
  });

test('the schemas, examples, paths and references of the contract are valid', () => {
  expect(contractFaults(parse(textOf('openapi.yaml')), ledger)).toEqual([]);
});

test('openapi.d.ts is what openapi.yaml generates', async () => {
  expect(await typesFaults(textOf('openapi.yaml'), textOf('openapi.d.ts'))).toEqual([]);
});

for (const [json, yaml] of [
  ['openapi.json', 'openapi.yaml'],
  ['control.openapi.json', 'mocks/control.openapi.yaml'],
  ['requirements.json', 'tests/requirements.yaml'],
  ['feed-rules.json', 'tests/feed-rules.yaml'],
  ['client-rules.json', 'tests/client-rules.yaml'],
  ['feed-corpus.json', 'tests/feed/corpus/feeds.yaml'],
] as const)
  test(`${json} of the package holds what ${yaml} says`, () => {
    expect(JSON.parse(textOf(`dist/${json}`))).toEqual(parse(textOf(yaml)));
  });

test('reports name the specification by the digest of its text', () => {
  test.skip(!existsSync(specification), 'The text of the specification is not next to this repository.');
  const digest = createHash('sha256').update(readFileSync(specification)).digest('hex');
  expect(suite.specification).toBe(`sha256:${digest}`);
});

test('the ledger has an open row for each "not shown" of the specification', () => {
  test.skip(!existsSync(specification), 'The text of the specification is not next to this repository.');
  expect(ledgerFaults(ledger)).toEqual([]);
  expect(notShownFaults(readFileSync(specification, 'utf8'), ledger)).toEqual([]);
});
