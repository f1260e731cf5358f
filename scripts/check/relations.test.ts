/** The relations between clauses, in tests/requirements.yaml, the contract and the judges: copies that must agree. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { INVARIANTS } from '../../mocks/contract/spec-invariants.ts';
import { requirements } from '../../tests/server/judge.ts';
import { CONDITIONS } from '../../tests/server/requests.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { readerScenarios, scenarios } from '../certify/scenarios.ts';

test('each condition is one that the contract names, or that of a health check, and some requirement asks for it', () => {
  const contract = readFileSync(new URL(import.meta.resolve('mrs-contract/openapi.yaml')), 'utf8');
  const named = new Set([...contract.matchAll(/x-response-when: ([\w-]+)/g)].map(([, name]) => name));
  const conditions = new Set(CONDITIONS.map((condition) => condition.split(' ')[0]));
  expect([...conditions].filter((condition) => !named.has(condition))).toEqual(['healthy']);
  const asked = new Set(requirements.flatMap(({ of }) => of));
  expect(CONDITIONS.filter((condition) => !asked.has(condition))).toEqual([]);
});

test('a profile cannot change what a requirement states: each has an invariant', () => {
  const kept = new Set(INVARIANTS.flatMap(([clauses]) => clauses.split(' ')));
  expect(ledger.filter(isBinding).filter(({ id }) => !kept.has(id))).toEqual([]);
});

test('the documents state the numbers of requirements and of scenarios', () => {
  const textOf = (name: string) => readFileSync(new URL(import.meta.resolve(`../../${name}`)), 'utf8');
  const [all, ofClients, ofReaders] = [ledger.filter(isBinding), scenarios, readerScenarios].map(
    ({ length }) => length,
  );
  expect(textOf('README.md')).toContain(`All ${all} requirements`);
  expect(textOf('tests/README.md')).toContain(`each of the ${all} requirements`);
  expect(textOf('README.md')).toContain(`in ${ofClients} scenarios`);
  expect(textOf('README.md')).toContain(`in ${ofReaders} other scenarios`);
  expect(textOf('tests/client/README.md')).toContain(`through ${ofClients} scenarios`);
});

test('the tree in CONTRIBUTING.md has each folder, and only files and folders that exist', () => {
  const root = fileURLToPath(new URL('./', import.meta.resolve('../../package.json')));
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  // Each sample report has a folder of its views.
  const folders = new Set(files.map((file) => `${posix.dirname(file)}/`.replace(/(?<=\/views\/).*/, '')));
  const document = readFileSync(`${root}CONTRIBUTING.md`, 'utf8');
  const [, tree = ''] = /^## Structure$.*?^```text\n(.*?)^```$/ms.exec(document) ?? [];
  const path: string[] = [];
  const named = [...tree.matchAll(/^( *)(\S+\/) /gm)].map(([, indent = '', name = '']) => {
    path.splice(indent.length / 2, path.length, name);
    return path.join('');
  });
  expect(named.filter((folder) => !folders.has(folder))).toEqual([]);
  expect([...folders].filter((one) => one !== './' && !named.includes(one))).toEqual([]);
  const names = new Set(files.map((file) => posix.basename(file)));
  const words = [...tree.matchAll(/(?<![\w*.-])\.?[a-z][\w.-]*\.(?:ts|mjs|json|yaml|yml)\b/g)].map(
    ([name]) => name,
  );
  expect(words.length).toBeGreaterThan(40);
  expect(words.filter((name) => !names.has(name))).toEqual([]);
});
