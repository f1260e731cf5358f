/** The relations between clauses, in tests/requirements.yaml, the contract and the judges: copies that must agree. */
import { readFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { TOKEN_CLAUSES } from '../../mocks/contract/spec-invariants.ts';
import {
  withoutData,
  withoutToken,
  withoutTokenResponse,
} from '../../mocks/deployments/defects/token-requests.ts';
import { CONDITIONS } from '../../tests/server/classify.ts';
import { ledger, type Need } from '../../tests/support/requirements.ts';

/** The requirements that cannot run where a deployment gives none of these. */
const needing = (...needs: Need[]) =>
  ledger.filter((row) => row.needs !== undefined && needs.includes(row.needs)).map(({ id }) => id);

for (const [what, consequences, expected] of [
  ['no data', withoutData, needing('data')],
  ['no token', withoutToken, needing('data', 'token')],
  [
    'no success answer of the token endpoint',
    withoutTokenResponse,
    needing('data', 'token', 'token-response'),
  ],
] as const)
  test(`a defect with ${what} states the consequences that the ledger has`, () => {
    expect([...consequences].toSorted()).toEqual(expected.toSorted());
  });

test('a profile without tokens leaves out what the ledger has about tokens', () => {
  const about = ledger.filter((row) => row.about === 'tokens').map(({ id }) => id);
  expect([...TOKEN_CLAUSES].toSorted()).toEqual(about.toSorted());
});

test('each condition of a recorded call is one that the contract names, or that of a health check', () => {
  const contract = readFileSync(new URL(import.meta.resolve('mrs-contract/openapi.yaml')), 'utf8');
  const named = new Set([...contract.matchAll(/x-response-when: ([\w-]+)/g)].map(([, name]) => name));
  const conditions = new Set(Object.keys(CONDITIONS).map((condition) => condition.split(' ')[0]));
  expect([...conditions].filter((condition) => !named.has(condition))).toEqual(['healthy']);
});

test('each condition of a recorded call shows a requirement, and each requirement that traffic can show has one', () => {
  const shown = ledger.filter(({ conditions }) => conditions !== undefined);
  expect(shown).toEqual(ledger.filter(({ passive }) => passive !== undefined));
  const named = new Set(shown.flatMap(({ conditions = [] }) => conditions));
  expect([...named].toSorted()).toEqual(Object.keys(CONDITIONS).toSorted());
});
