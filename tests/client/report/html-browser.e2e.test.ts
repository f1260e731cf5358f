/** The page of a certificate in a real browser. */
import { expect } from '@playwright/test';
import { expectAccessible, skipWithoutBrowser, test, unfold } from '../../report/testing/browser.ts';
import { HOSTILE, poisoned } from '../../server/report/testing/sample-reports.ts';
import { renderCertificateHtml } from './html.ts';
import { broken, CHOSEN, conformant, SAMPLES } from './testing/sample-certificates.ts';

skipWithoutBrowser();

const report = { ...broken, problems: ['It broke.'] };

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [320, 1280])
    test(`${colorScheme}, ${width} px: no violation of accessibility, folded or not`, async ({ open }) => {
      test.slow(); // It looks at every cell of every table.
      const scenarios = report.scenarios.filter(({ name }) => name !== '403-stays');
      // What looks into the page has to be let in past the page's own policy.
      const { page } = await open(renderCertificateHtml({ ...report, scenarios }), {
        ...{ colorScheme, viewport: { width, height: 800 }, bypassCSP: true },
      });
      await expectAccessible(page);
    });

for (const [name, sample] of Object.entries(SAMPLES))
  test(`${name}: the page asks for nothing, and nothing sticks out on a phone`, async ({ open }) => {
    const { page, heard } = await open(renderCertificateHtml(sample), {
      viewport: { width: 320, height: 640 },
    });
    await unfold(page);
    expect(heard).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

for (const name of ['script', 'attribute', 'quotes', 'comment', 'terminal', 'bidi'])
  test(`hostile ${name}: nothing comes alive, nothing leaves, nothing sticks out`, async ({ open }) => {
    const { page, heard } = await open(renderCertificateHtml(poisoned(report, HOSTILE[name] ?? '', CHOSEN)), {
      viewport: { width: 320, height: 640 },
    });
    await unfold(page);
    expect(heard).toEqual([]);
    expect(await page.title()).toMatch(/^nonconformant: 14 passed/);
    expect(await page.locator('script, img, iframe, form, input, b b, [onerror], [onfocus]').count()).toBe(0);
    expect(await page.locator('article').count()).toBe(report.rules.length);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

test('the outcome, the strategy, the counts and what to do next fit one screen', async ({ open }) => {
  for (const sample of [broken, conformant]) {
    const { page } = await open(renderCertificateHtml(sample), { viewport: { width: 1280, height: 800 } });
    const box = await page.locator('header').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(800);
  }
});

test('a finding leads to its call in a folded table, which opens, and its mark leads back', async ({
  open,
}) => {
  const { page } = await open(renderCertificateHtml(report));
  const call = page.locator('#scenario-steady-call-5');
  await expect(call).toBeHidden();
  await page.getByRole('link', { name: '5 of steady', exact: true }).click();
  await expect(call).toBeVisible();
  await page.getByRole('link', { name: 'Finding 2: token-reuse failed' }).press('Enter');
  expect(page.url()).toMatch(/#finding-2$/);
});

test('the keyboard gets past the summary, and into a drawing that is wider than the screen', async ({
  open,
}) => {
  const { page } = await open(renderCertificateHtml(report), { viewport: { width: 320, height: 640 } });
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(page.url()).toMatch(/#rules$/);
  const drawing = page.getByRole('region', { name: 'Timeline of steady' });
  await drawing.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => drawing.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
});

test('a screen reader finds the verdict of each rule and the columns of a folded table', async ({ open }) => {
  const { page } = await open(renderCertificateHtml(report), { viewport: { width: 320, height: 640 } });
  const failed = page.getByRole('article', { name: /^token-reuse A token is used until it expires/ });
  await expect(failed.getByText('✗ failed')).toBeVisible();
  await page.getByText('Call by call in steady').click();
  await expect(
    page
      .getByRole('row', { name: /^2 0\.031 s/ })
      .first()
      .getByRole('cell'),
  ).toHaveText([...['0.031 s', 'GET /ods_data/', '200', 'served', '1']]);
});

test('no mark of a drawing lies outside of it, and each call is in a mark', async ({ open }) => {
  const { page } = await open(renderCertificateHtml(SAMPLES.endless), {
    viewport: { width: 1280, height: 800 },
  });
  const drawing = page.locator('.drawing svg').first();
  const outer = await drawing.boundingBox();
  for (const mark of await drawing.locator('.mark').all()) {
    const box = await mark.boundingBox();
    expect(box?.x ?? -1).toBeGreaterThanOrEqual(outer?.x ?? 0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
  }
  const titles = await drawing.locator('title').allTextContents();
  const calls = titles.map((title) => Number(title.match(/^(\d+) calls/)?.[1] ?? 1));
  expect(calls.reduce((sum, count) => sum + count, 0)).toBe(500);
});

test('it prints: drawings are on paper, what is folded is not', async ({ open }) => {
  const { page } = await open(renderCertificateHtml(report), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('Call by call').first()).toBeHidden();
  await expect(page.locator('.drawing svg').first()).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
});
