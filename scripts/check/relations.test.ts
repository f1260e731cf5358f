/** The relations between clauses, in tests/requirements.yaml and in the mock: two copies that must agree. */
import { expect, _baseTest as test } from '@playwright/test';
import { TOKEN_CLAUSES } from '../../mocks/contract/spec-invariants.ts';
import {
  withoutData,
  withoutToken,
  withoutTokenResponse,
} from '../../mocks/deployments/defects/consequences.ts';
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
