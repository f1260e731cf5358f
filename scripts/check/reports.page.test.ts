/** What the page of every judge must keep in a real browser. */
import { expect } from '@playwright/test';
import { renderPage } from '../../tests/report/page.ts';
import type { Report } from '../../tests/report/report.ts';
import { expectAccessible, skipWithoutBrowser, test, unfold } from '../../tests/report/testing/browser.ts';
import { HOSTILE, poisoned } from '../../tests/report/testing/hostile.ts';
import { inOneLine } from '../../tests/report/text.ts';
import { MORE, SAMPLES } from './testing/samples.ts';

skipWithoutBrowser();

const { 'hostile-feed': _, ...JUDGES } = SAMPLES;
const pages: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(JUDGES).map(([name, report]) => [name, renderPage(report)]),
);
const VERIFY = pages.verify ?? '';
const PHONE = { width: 320, height: 640 };

for (const [name, html] of Object.entries(pages))
  test(`page of ${name} violates no rule of accessibility in dark and narrow`, async ({ open }) => {
    // axe has to be let in past the page's own policy.
    const { page } = await open(html, { bypassCSP: true });
    if (name === 'verify') await expectAccessible(page, 'light', 1280);
    await unfold(page);
    await expectAccessible(page, 'dark', 320);
  });

test('page requests nothing, fits a phone, and its summary one screen', async ({ open }) => {
  const { page, heard, show } = await open();
  const more = Object.entries(MORE).map(([name, report]) => [name, renderPage(report)] as const);
  for (const [name, html] of [...Object.entries(pages), ...more])
    await test.step(name, async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await show(html);
      const box = await page.locator('header').boundingBox();
      // The others have more remarks than most runs.
      if (name in pages)
        expect((box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY), name).toBeLessThanOrEqual(800);
      await page.setViewportSize(PHONE);
      await unfold(page);
      expect(heard, name).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(320);
    });
});

// What hostile text leaves of the pages of the other judges is in views.test.ts.
test('page with hostile text runs nothing, sends nothing, and fits a phone', async ({ open }) => {
  const { page, heard, show } = await open(undefined, { viewport: PHONE });
  for (const text of [Object.values(HOSTILE).join(' '), ...Object.values(HOSTILE)]) {
    const report: Report = poisoned(SAMPLES.verify as Report, text);
    await show(renderPage(report));
    await unfold(page);
    expect(heard, text).toEqual([]);
    expect(await page.evaluate(WHAT_IT_HOLDS), text).toEqual({
      title: expect.stringMatching(new RegExp(`^${report.outcome}: `)),
      alive: 0,
      articles: report.items.length,
      fact: inOneLine(report.subject.text),
      width: 320,
    });
  }
});

const WHAT_IT_HOLDS = `({
  title: document.title,
  alive: document.querySelectorAll('script, img, iframe, form, input, b b, [onerror], [onfocus]').length,
  articles: document.querySelectorAll('article').length,
  fact: document.querySelector('.subject').textContent,
  width: document.documentElement.scrollWidth,
})`;

test('page policy stops text that came alive', async ({ open }) => {
  const alive = VERIFY.replace('<main>', '<main><script>document.title="taken"</script><img src="/x">');
  const { page, heard } = await open(alive);
  expect(await page.title()).not.toBe('taken');
  expect(heard.filter((line) => line.startsWith('request /'))).toEqual([]);
  const refused = () =>
    heard.filter((line) => line.includes('violates the following Content Security Policy'));
  await expect.poll(refused).toHaveLength(2);
});

test('screen reader finds each failure by its id and what is wrong, and the cells of a table', async ({
  open,
}) => {
  const { page } = await open(VERIFY, { viewport: PHONE });
  const name = 'MRS-4.1j A token is issued for a wrong client_secret.';
  await expect(page.getByRole('article', { name }).first().getByText('✗ failed')).toBeVisible();
  await unfold(page);
  await expect(page.getByRole('row', { name: /MRS-7d/ }).getByRole('cell')).toHaveText([
    ...['Error codes.', '401; 503'],
  ]);
});

test('page prints in light colors, and all that is folded', async ({ open }) => {
  const { page } = await open(VERIFY, { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  await expect(page.locator('.grounds details pre').first()).toBeVisible();
  await expect(page.locator('.item.passed summary').first()).toBeVisible();
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
});
