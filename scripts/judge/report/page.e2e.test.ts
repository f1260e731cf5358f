/** The page of a report on traffic in a real browser. */
import { expect } from '@playwright/test';
import { renderPage } from '../../../tests/report/page.ts';
import { expectAccessible, skipWithoutBrowser, test, unfold } from '../../../tests/report/testing/browser.ts';
import { testPages } from '../../../tests/report/testing/page-tests.ts';
import { modelOf } from './model.ts';
import { broken, CHOSEN, SAMPLES } from './testing/sample-traffic.ts';

skipWithoutBrowser();

testPages({ samples: SAMPLES, victim: broken, chosen: CHOSEN, modelOf });

test('page violates no rule of accessibility on a tablet and on a wide screen', async ({ open }) => {
  const { page } = await open(renderPage(modelOf(broken)), { bypassCSP: true });
  await unfold(page);
  await expectAccessible(page, [768, 1920]);
});

test('finding about a client links to its call in a folded table, which opens', async ({ open }) => {
  const { page } = await open(renderPage(modelOf(broken)));
  const call = page.locator('[id^="scenario-other-station-"][id$="-call-51"]');
  const table = page.locator('details', { has: call }).last();
  await table.evaluate((details) => details.removeAttribute('open'));
  await expect(call).toBeHidden();
  await page.locator('#rule-token-reuse').getByRole('link', { name: '51 in the file' }).click();
  await expect(call).toBeVisible();
  const row = table.getByRole('row').filter({ has: call });
  await row.getByRole('link', { name: /^Finding \d+: token-reuse failed/ }).press('Enter');
  await expect(page).toHaveURL(/#finding-\d+$/);
});

test('violated requirement links to the calls that show it', async ({ open }) => {
  const { page } = await open(renderPage(modelOf(broken)));
  const item = page.locator('[id="MRS-4.2a"]');
  await item.locator('summary').first().click();
  await item.getByRole('link', { name: '45 in the file' }).click();
  await expect(page.locator('#scenario-acme-station-7-call-45')).toBeVisible();
});
