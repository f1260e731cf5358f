import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requirements } from '../../tests/server/judge.ts';
import { CONDITIONS } from '../../tests/server/requests.ts';

test('each condition is one that the contract names, or that of a health check, and some requirement asks for it', () => {
  const contract = readFileSync(new URL(import.meta.resolve('mrs-contract/openapi.yaml')), 'utf8');
  const named = new Set([...contract.matchAll(/x-response-when: ([\w-]+)/g)].map(([, name]) => name));
  const conditions = new Set(CONDITIONS.map((condition) => condition.split(' ')[0]));
  expect([...conditions].filter((condition) => !named.has(condition))).toEqual(['healthy']);
  const asked = new Set(requirements.flatMap(({ of }) => of));
  expect(CONDITIONS.filter((condition) => !asked.has(condition))).toEqual([]);
});
