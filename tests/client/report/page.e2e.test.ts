/** The page of a certificate in a real browser. */
import { expect } from '@playwright/test';
import { renderPage } from '../../report/page.ts';
import { skipWithoutBrowser, test } from '../../report/testing/browser.ts';
import { testPages } from '../../report/testing/page-tests.ts';
import { modelOf } from './model.ts';
import type { CertificateReport } from './report.ts';
import { broken, CHOSEN, SAMPLES } from './testing/sample-certificates.ts';

skipWithoutBrowser();

const report = { ...broken, problems: ['It broke.'] };
const pageOf = (certificate: CertificateReport): string => renderPage(modelOf(certificate));

// A table of 500 calls would take the accessibility checker minutes.
const scenarios = report.scenarios.filter(({ name }) => name !== '403-stays');
testPages({ samples: SAMPLES, victim: { ...report, scenarios }, chosen: CHOSEN, modelOf });

test('finding links to its call in a folded table, which opens, and the call links back', async ({
  open,
}) => {
  const { page } = await open(pageOf(SAMPLES.endless));
  const [{ name = '' } = {}] = SAMPLES.endless.scenarios;
  const call = page.locator(`#scenario-${name}-call-2`);
  await expect(call).toBeHidden();
  await page.getByRole('link', { name: `2 of ${name}`, exact: true }).click();
  await expect(call).toBeVisible();
  const row = page.getByRole('row').filter({ has: call });
  await row.getByRole('link', { name: /^Finding 1: / }).press('Enter');
  await expect(page).toHaveURL(/#finding-1$/);
});
