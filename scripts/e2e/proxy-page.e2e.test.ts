/** The page of the proxy in a real browser: CHROMIUM_PATH, or Debian's. */
import { expect } from '@playwright/test';
import {
  expectAccessible,
  skipWithoutBrowser,
  browserTest as test,
} from '../../tests/report/testing/browser.ts';
import { startMock } from '../index.ts';
import { proxyTo, read, SECRET, tokenFrom } from '../proxy/testing/proxied.ts';

skipWithoutBrowser();

test('the page names the service, shows calls as they pass, and has no control of a mock', async ({
  tab,
}) => {
  await using service = await startMock({ clients: [{ id: 'acme', secret: SECRET }], controlKey: false });
  await using proxy = await proxyTo(service.url, { page: { key: 'a-key-of-the-test', port: 0 } });
  const page = await tab({ reducedMotion: 'reduce' });
  await page.goto(`${proxy.page}#key=a-key-of-the-test`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Proxy to ${service.url}`);
  await expect(page.getByText('No calls yet.')).toBeVisible();
  const token = await tokenFrom(proxy.url);
  await read(proxy.url, token);
  await expect(page.locator('#rows tr')).toHaveCount(2);
  await expect(page.locator('#rows')).toContainText('#1');
  await expect(page.getByText('token lifetime not known')).toBeVisible();
  for (const name of ['Freeze', 'Expire all tokens of acme', 'Revoke all tokens of acme'])
    await expect(page.getByRole('button', { name, exact: true })).toBeHidden();
  expect(await page.content()).not.toContain(token);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText(`to ${service.url}`)).toHaveCSS('clip-path', 'none');
  await page.setViewportSize({ width: 1280, height: 844 });
  await expectAccessible(page, [1280]);
});
