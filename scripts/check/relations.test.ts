import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { INVARIANTS } from '../../mocks/contract/spec-invariants.ts';
import { PROBES_OF } from '../../tests/server/classify.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';

test('each condition of a recorded call is one that the contract names, or that of a health check', () => {
  const contract = readFileSync(new URL(import.meta.resolve('mrs-contract/openapi.yaml')), 'utf8');
  const named = new Set([...contract.matchAll(/x-response-when: ([\w-]+)/g)].map(([, name]) => name));
  const conditions = new Set(Object.keys(PROBES_OF).map((condition) => condition.split(' ')[0]));
  expect([...conditions].filter((condition) => !named.has(condition))).toEqual(['healthy']);
});

test('each condition of a recorded call shows a requirement, and each requirement that traffic can show has one', () => {
  const shown = ledger.filter(({ conditions }) => conditions !== undefined);
  expect(shown).toEqual(ledger.filter(({ passive }) => passive !== undefined));
  const named = new Set(shown.flatMap(({ conditions = [] }) => conditions));
  expect([...named].toSorted()).toEqual(Object.keys(PROBES_OF).toSorted());
});

test('a profile cannot change what a requirement states: each has an invariant', () => {
  const kept = new Set(INVARIANTS.flatMap(([clauses]) => clauses.split(' ')));
  expect(ledger.filter(isBinding).filter(({ id }) => !kept.has(id))).toEqual([]);
});
