/** A page of a report in a real browser: CHROMIUM_PATH, or Debian's. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, test as base, chromium, expect, type Page } from '@playwright/test';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** Opens `html` as it would be served, with all that the page asked for, said or threw. */
type Open = (
  html: string,
  options?: Parameters<Browser['newPage']>[0],
) => Promise<{ page: Page; heard: string[] }>;

/** Tests with one browser for each worker, which all files share. */
export const browserTest = base.extend<object, { chrome: Browser }>({
  chrome: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
    async ({}, use) => {
      const chrome = await chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--headless', ...QUIET],
      });
      await use(chrome);
      await chrome.close();
    },
    { scope: 'worker', timeout: 180_000 }, // A browser that is read from a slow disk for the first time.
  ],
});

export const test = browserTest.extend<{ open: Open }>({
  open: async ({ chrome }, use) => {
    const pages: Page[] = [];
    let body = '';
    const heard: string[] = [];
    const server = createServer((request, response) => {
      if (request.url !== '/report.html') heard.push(`request ${request.url}`);
      response.setHeader('content-type', 'text/html').end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report.html`;
    await use(async (html, options) => {
      body = html;
      const page = await chrome.newPage(options);
      pages.push(page);
      page.on('request', (request) => request.url() !== url && heard.push(`request ${request.url()}`));
      page.on('console', (message) => heard.push(`console ${message.text()}`));
      page.on('pageerror', (error) => heard.push(`error ${error.message}`));
      page.on('dialog', (dialog) => heard.push(`dialog ${dialog.message()}`));
      await page.goto(url, { waitUntil: 'networkidle' });
      return { page, heard };
    });
    for (const page of pages) await page.close();
    server.close();
  },
});

const isMissing = !existsSync(executablePath);
const reason = `The page is not tried in a browser: there is no ${executablePath}. Set CHROMIUM_PATH.`;
if (isMissing && process.env.TEST_WORKER_INDEX === undefined) console.log(reason);

/** To be called in each file of tests: without a browser they are left out, and say so. */
export const skipWithoutBrowser = (): void => test.skip(isMissing, reason);

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Opens all that is folded. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
}

/** That the page, opened with `bypassCSP`, violates no rule of accessibility, folded or not. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const prepare of [async () => {}, () => unfold(page)]) {
    await prepare();
    await page.evaluate(axe);
    const { violations, passes } = await page.evaluate<AxeResult>('axe.run()');
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
  }
}

interface AxeResult {
  violations: { id: string; nodes: { html: string }[] }[];
  passes: { id: string }[];
}
