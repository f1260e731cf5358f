/** The page of a fleet in a real browser. */
import { expect, type Page } from '@playwright/test';
import { expectAccessible, skipWithoutBrowser, test, unfold } from '../../report/testing/browser.ts';
import { testPages } from '../../report/testing/page-tests.ts';
import { pageModelOf, renderFleetPage } from './fleet-page.ts';
import { CHOSEN, EXAMPLE, fleetOf, largeFleet, SAMPLES, VICTIM } from './testing/sample-fleets.ts';

skipWithoutBrowser();
testPages({ samples: SAMPLES, victim: VICTIM, chosen: CHOSEN, modelOf: pageModelOf });

/** Names in the matrix and among the feeds that are seen. */
const shown = (page: Page): Promise<string[]> =>
  page.locator('#matrix tbody tr:visible th').allTextContents();

for (const [view, expected] of [
  ['Failing', ['green-bank', 'green-bank-staging', 'hat-creek', 'parkes', 'lofar', 'sardinia', 'vla-feed']],
  ['Different from last time', ['green-bank', 'vla-feed']],
  ['Regressions', ['green-bank', 'vla-feed']],
] as const)
  test(`view "${view}" shows its deployments only, without a script`, async ({ open }) => {
    const { page } = await open(renderFleetPage(EXAMPLE), { javaScriptEnabled: false });
    const views = page.getByRole('navigation', { name: 'Views' });
    await views.getByRole('link', { name: view }).click();
    expect(await shown(page)).toEqual(expected);
    await views.getByRole('link', { name: 'All' }).click();
    expect(await shown(page)).toHaveLength(16);
  });

test('matrix of 200 deployments fits a wide screen, and a phone without scrolling sideways', async ({
  open,
}) => {
  const { page } = await open(renderFleetPage(largeFleet()), { viewport: { width: 1440, height: 900 } });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1440);
  const box = page.getByRole('region', { name: 'Deployments by clause' });
  expect(await box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await box.scrollIntoViewIfNeeded();
  await box.evaluate((element) => element.scrollTo(0, 2000));
  await expect(box.getByRole('columnheader', { name: '5.6a' })).toBeInViewport();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('phone shows the clauses that are violated, with their numbers', async ({ open }) => {
  const fleet = fleetOf([{ name: 'alpha', failed: ['MRS-2a', 'MRS-5.6a'] }]);
  const { page } = await open(renderFleetPage(fleet), { viewport: { width: 390, height: 800 } });
  const cells = page.locator('.matrix td.failed');
  await expect(cells).toHaveCount(2);
  await expect(cells.first()).toBeVisible();
  const content = `getComputedStyle(document.querySelector('.matrix td.failed'), '::after').content`;
  expect(await page.evaluate(content)).toContain('2a');
  await expect(page.locator('.matrix td.passed').first()).toBeHidden();
});

test('screen reader finds the verdict of a deployment and a clause', async ({ open }) => {
  const { page } = await open(renderFleetPage(EXAMPLE));
  const row = page.getByRole('row', { name: /^parkes nonconformant/ });
  await expect(row.getByRole('cell', { name: 'failed', exact: true })).toHaveCount(1);
});

test('matrix with a view chosen violates no rule of accessibility', async ({ open }) => {
  const { page } = await open(renderFleetPage(EXAMPLE), { bypassCSP: true });
  await page.getByRole('link', { name: 'Regressions' }).click();
  await unfold(page);
  await expectAccessible(page, [390, 1440]);
});
