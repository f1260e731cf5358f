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

  test('page violates no rule of accessibility in light and dark, wide and narrow', async ({ open }) => {
    // axe has to be let in past the page's own policy.
    const { page } = await open(html, { bypassCSP: true });
    await expectAccessible(page, [1280]);
    await unfold(page);
    await expectAccessible(page, [320, 1280]);
  });

  test('page requests nothing, fits a phone, and its summary one screen', async ({ open }) => {
    const { page, heard, show } = await open();
    for (const [name, sample] of Object.entries(samples))
      await test.step(name, async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await show(renderPage(modelOf(sample)));
        const box = await page.locator('header').boundingBox();
        expect((box?.y ?? 0) + (box?.height ?? Number.POSITIVE_INFINITY), name).toBeLessThanOrEqual(800);
        await page.setViewportSize({ width: 320, height: 640 });
        await unfold(page);
        expect(heard, name).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(320);
      });
  });

  test('page with hostile text runs nothing, sends nothing, and fits a phone', async ({ open }) => {
    const { page, heard, show } = await open(undefined, { viewport: { width: 320, height: 640 } });
    for (const [name, text] of Object.entries(HOSTILE))
      await test.step(name, async () => {
        const model = modelOf(poisoned(victim, text, chosen));
        await show(renderPage(model));
        await unfold(page);
        expect(heard, name).toEqual([]);
        expect(await page.evaluate(WHAT_IT_HOLDS), name).toEqual({
          title: expect.stringMatching(new RegExp(`^${model.outcome}: `)),
          alive: 0,
          articles: itemsOf(model).length,
          fact: inOneLine(model.subject.text),
          width: 320,
        });
      });
  });

  test('page policy stops text that came alive', async ({ open }) => {
    const alive = html.replace('<main>', '<main><script>document.title="taken"</script><img src="/x">');
    const { page, heard } = await open(alive);
    expect(await page.title()).not.toBe('taken');
    expect(heard.filter((line) => line.startsWith('request /'))).toEqual([]);
    const refused = () =>
      heard.filter((line) => line.includes('violates the following Content Security Policy'));
    await expect.poll(refused).toHaveLength(2);
  });

  test('keyboard skips the summary', async ({ open }) => {
    const { page } = await open(html);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/#items$/);
  });

  test('screen reader finds each failure by its id and what is wrong, with its verdict', async ({ open }) => {
    const { page } = await open(html, { viewport: { width: 320, height: 640 } });
    const failed = itemsOf(modelOf(victim)).find(({ verdict }) => verdict === 'failed');
    const name = `${failed?.id} ${failed?.violation ?? failed?.statement}`;
    const article = page.getByRole('article', { name }).first();
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

const WHAT_IT_HOLDS = `({
  title: document.title,
  alive: document.querySelectorAll('script, img, iframe, form, input, b b, [onerror], [onfocus]').length,
  articles: document.querySelectorAll('article').length,
  fact: document.querySelector('.subject').textContent,
  width: document.documentElement.scrollWidth,
})`;
