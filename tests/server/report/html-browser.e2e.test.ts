/** The page in a real browser: CHROMIUM_PATH, or Debian's. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { expectAccessible, skipWithoutBrowser, test, unfold } from '../../report/testing/browser.ts';
import { visible } from '../../report/text.ts';
import { renderHtml } from './html.ts';
import { HOSTILE, poisoned, proof, sample } from './testing/sample-reports.ts';

skipWithoutBrowser();

const report = { ...sample, proof, problems: ['It broke.'] };
for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [320, 1280])
    test(`${colorScheme}, ${width} px: no violation of accessibility, folded or not`, async ({ open }) => {
      // axe has to be let in past the page's own policy.
      const { page } = await open(renderHtml(report), {
        colorScheme,
        viewport: { width, height: 800 },
        bypassCSP: true,
      });
      await expectAccessible(page);
    });

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: nothing comes alive, nothing leaves, nothing sticks out`, async ({ open }) => {
    const { page, heard } = await open(renderHtml(poisoned(report, text)), {
      viewport: { width: 320, height: 640 },
    });
    await unfold(page);
    expect(heard).toEqual([]);
    expect(await page.title()).toMatch(/^nonconformant: /);
    expect(await page.locator('script, img, iframe, form, input, b b, [onerror], [onfocus]').count()).toBe(0);
    expect(await page.locator('article').count()).toBe(report.requirements.length);
    expect(await page.locator('.facts code').first().textContent()).toBe(
      visible(`${text}${report.target.baseUrl}${text}`),
    );
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

test('without hostile text the page asks for nothing either', async ({ open }) => {
  expect((await open(renderHtml(report))).heard).toEqual([]);
});

test('a text of a deployment that came alive after all could do nothing', async ({ open }) => {
  const alive = renderHtml(report).replace(
    '<main>',
    '<main><script>document.title="taken"</script><img src="/x">',
  );
  const { page, heard } = await open(alive);
  expect(await page.title()).not.toBe('taken');
  expect(heard.filter((line) => line.startsWith('request /'))).toEqual([]);
  expect(
    heard.filter((line) => line.includes('violates the following Content Security Policy')),
  ).toHaveLength(2);
});

test('the outcome, the deployment, the counts and what to do next fit one screen', async ({ open }) => {
  const { page } = await open(renderHtml({ ...report, problems: [] }), {
    viewport: { width: 1280, height: 800 },
  });
  const box = await page.locator('header').boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(800);
});

test('the page is walked through by the keyboard, beginning with the way past the summary', async ({
  open,
}) => {
  const { page } = await open(renderHtml(report));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(page.url()).toMatch(/#clauses$/);
  const setup = page.locator('details').first();
  await setup.locator('summary').focus();
  await page.keyboard.press('Enter');
  await expect(setup).toHaveAttribute('open', '');
});

test('a screen reader finds the verdict of each requirement and the columns of a folded table', async ({
  open,
}) => {
  const { page } = await open(renderHtml(report), { viewport: { width: 320, height: 640 } });
  const failed = page.getByRole('article', { name: 'MRS-4.1j What MRS-4.1j states.' });
  await expect(failed.getByText('✗ failed')).toBeVisible();
  await expect(page.getByRole('row', { name: /MRS-7d/ }).getByRole('cell')).toHaveText([
    'The codes of errors.',
    '400, 401',
  ]);
});

test('it prints: what is open is on paper, what is folded is not', async ({ open }) => {
  const { page } = await open(renderHtml(report), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByText('Evidence: 1 request').first()).toBeHidden();
  await expect(
    page
      .getByRole('article', { name: /MRS-4.1j/ })
      .locator('pre')
      .first(),
  ).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  const directory = mkdtempSync(join(tmpdir(), 'mrs-report-'));
  writeFileSync(join(directory, 'report.pdf'), await page.pdf({ format: 'A4' }));
  expect(readFileSync(join(directory, 'report.pdf'), 'latin1').slice(0, 5)).toBe('%PDF-');
  rmSync(directory, { recursive: true });
});
