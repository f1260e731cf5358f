/** What every page must keep in a real browser, as tests that each judge runs on samples of its own. */
import { expect } from '@playwright/test';
import { itemsOf } from '../model.ts';
import { renderPage } from '../page.ts';
import { inOneLine } from '../text.ts';
import { expectAccessible, test, unfold } from './browser.ts';
import { HOSTILE, poisoned } from './hostile.ts';
import type { Reports } from './renderings.ts';

export function testPages<R>({ samples, victim, chosen, modelOf }: Omit<Reports<R>, 'terminalOf'>): void {
  const html = renderPage(modelOf(victim));

  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [320, 1280])
      test(`page violates no rule of accessibility in ${colorScheme} at ${width} px`, async ({ open }) => {
        test.slow(); // It looks at every cell of every table.
        // axe has to be let in past the page's own policy.
        const { page } = await open(html, {
          colorScheme,
          viewport: { width, height: 800 },
          bypassCSP: true,
        });
        await expectAccessible(page);
      });

  for (const [name, sample] of Object.entries(samples))
    test(`page of ${name} requests nothing, fits a phone, and its summary one screen`, async ({ open }) => {
      const { page, heard } = await open(renderPage(modelOf(sample)), {
        viewport: { width: 1280, height: 800 },
      });
      const box = await page.locator('header').boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(800);
      await page.setViewportSize({ width: 320, height: 640 });
      await unfold(page);
      expect(heard).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    });

  for (const [name, text] of Object.entries(HOSTILE))
    test(`page with hostile ${name} runs nothing, sends nothing, and fits a phone`, async ({ open }) => {
      const model = modelOf(poisoned(victim, text, chosen));
      const { page, heard } = await open(renderPage(model), { viewport: { width: 320, height: 640 } });
      await unfold(page);
      expect(heard).toEqual([]);
      expect(await page.title()).toMatch(new RegExp(`^${model.outcome}: `));
      expect(await page.locator('script, img, iframe, form, input, b b, [onerror], [onfocus]').count()).toBe(
        0,
      );
      expect(await page.locator('article').count()).toBe(itemsOf(model).length);
      expect(await page.locator('.facts dd').first().textContent()).toBe(inOneLine(model.subject.text));
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    });

  test('page policy stops text that came alive', async ({ open }) => {
    const alive = html.replace('<main>', '<main><script>document.title="taken"</script><img src="/x">');
    const { page, heard } = await open(alive);
    expect(await page.title()).not.toBe('taken');
    expect(heard.filter((line) => line.startsWith('request /'))).toEqual([]);
    expect(
      heard.filter((line) => line.includes('violates the following Content Security Policy')),
    ).toHaveLength(2);
  });

  test('keyboard skips the summary', async ({ open }) => {
    const { page } = await open(html);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(page.url()).toMatch(/#items$/);
  });

  test('screen reader finds each item by its id and statement, with its verdict', async ({ open }) => {
    const { page } = await open(html, { viewport: { width: 320, height: 640 } });
    const failed = itemsOf(modelOf(victim)).find(({ verdict }) => verdict === 'failed');
    const article = page.getByRole('article', { name: `${failed?.id} ${failed?.statement}` }).first();
    await expect(article.getByText('✗ failed')).toBeVisible();
  });

  test('page prints in light colors and without folded parts', async ({ open }) => {
    const { page } = await open(html, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('details').first()).toBeHidden();
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
    expect((await page.pdf({ format: 'A4' })).subarray(0, 5).toString()).toBe('%PDF-');
  });
}
