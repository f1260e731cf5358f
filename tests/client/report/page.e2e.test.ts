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

test('finding links to its call in a folded table, which opens, and its mark links back', async ({
  open,
}) => {
  const { page } = await open(pageOf(report));
  const call = page.locator('#scenario-steady-call-5');
  await expect(call).toBeHidden();
  await page.getByRole('link', { name: '5 of steady', exact: true }).click();
  await expect(call).toBeVisible();
  await page.getByRole('link', { name: 'Finding 2: token-reuse failed' }).press('Enter');
  await expect(page).toHaveURL(/#finding-2$/);
});

test('keyboard scrolls a drawing that is wider than the screen', async ({ open }) => {
  const { page } = await open(pageOf(report), { viewport: { width: 320, height: 640 } });
  const drawing = page.getByRole('region', { name: 'Timeline of steady' });
  await drawing.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => drawing.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('drawing contains its marks, and each call is in a mark', async ({ open }) => {
  const { page } = await open(pageOf(SAMPLES.endless), {
    viewport: { width: 1280, height: 800 },
  });
  const drawing = page.locator('.drawing svg').first();
  const outer = await drawing.boundingBox();
  const marks = drawing.locator('.mark');
  const boxes = await marks.evaluateAll((all) => all.map((mark) => mark.getBoundingClientRect().toJSON()));
  for (const { left, right } of boxes) {
    expect(left).toBeGreaterThanOrEqual(outer?.x ?? 0);
    expect(right).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
  }
  const titles = await drawing.locator('title').allTextContents();
  const calls = titles.map((title) => Number(title.match(/^(\d+) calls/)?.[1] ?? 1));
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(500);
});
