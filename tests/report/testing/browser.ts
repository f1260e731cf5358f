/** A page of a report in a real browser: CHROMIUM_PATH, or Debian's. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  type Browser,
  type BrowserContextOptions,
  _baseTest as base,
  chromium,
  expect,
  type Page,
} from '@playwright/test';

const executablePath = process.env.CHROMIUM_PATH || '/usr/bin/chromium';

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

interface Opened {
  page: Page;
  /** All that the page shown now asked for, said or threw. */
  heard: string[];
  /** Replaces the page by another in the same tab. */
  show(html: string): Promise<void>;
}

/** Opens a tab, and shows `html` in it as it would be served. */
type Open = (html?: string, options?: TabOptions) => Promise<Opened>;

export type TabOptions = BrowserContextOptions;

/** Tests with one browser for each worker, which all files share. `tab` gives a new tab. */
export const browserTest = base.extend<{ tab: (options?: TabOptions) => Promise<Page> }, { chrome: Browser }>(
  {
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
    tab: async ({ chrome }, use) => {
      const pages: Page[] = [];
      await use(async (options) => {
        const page = await chrome.newPage(options);
        pages.push(page);
        return page;
      });
      for (const page of pages) await page.close();
    },
  },
);

export const test = browserTest.extend<{ open: Open }>({
  open: async ({ tab }, use) => {
    let body = '';
    const heard: string[] = [];
    const server = createServer((request, response) => {
      if (request.url !== '/report.html') heard.push(`request ${request.url}`);
      response.setHeader('content-type', 'text/html').end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report.html`;
    await use(async (html, options) => {
      const page = await tab(options);
      page.on('request', (request) => request.url() !== url && heard.push(`request ${request.url()}`));
      page.on('console', (message) => heard.push(`console ${message.text()}`));
      page.on('pageerror', (error) => heard.push(`error ${error.message}`));
      page.on('dialog', (dialog) => heard.push(`dialog ${dialog.message()}`));
      const show = async (shown: string) => {
        body = shown;
        heard.length = 0;
        await page.goto(url);
      };
      if (html !== undefined) await show(html);
      return { page, heard, show };
    });
    server.close();
  },
});

const isMissing = !existsSync(executablePath);
const reason = `There is no ${executablePath}. Set CHROMIUM_PATH.`;
if (isMissing && process.env.TEST_WORKER_INDEX === undefined)
  console.log(`skipped: tests of pages: ${reason}`);

/** To be called in each file of tests: without a browser they are left out, and say so. */
export const skipWithoutBrowser = (): void => test.skip(isMissing, reason);

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Opens all that is folded. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
}

/**
 * That the page as it is now, opened with `bypassCSP`, violates no rule of accessibility in these colors and at this width
 * in CSS pixels. `rules`: those that axe leaves out unless it is asked for them.
 */
export async function expectAccessible(
  page: Page,
  colorScheme: 'light' | 'dark',
  width: number,
  rules: readonly string[] = [],
): Promise<void> {
  await page.evaluate(`window.axe || ${axe}`);
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  const { violations, passes } = await page.evaluate<AxeResult>(runOfAxe(rules));
  expect(violations, `${colorScheme} at ${width} px`).toEqual([]);
  expect(passes).toEqual(expect.arrayContaining(['color-contrast', ...rules]));
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
}

/** The whole result, with an entry for each element and rule, takes longer on its way than the run. */
const runOfAxe = (rules: readonly string[]): string => {
  const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]));
  return `axe.run(${JSON.stringify({ resultTypes: ['violations'], rules: enabled })}).then((result) => ({
    violations: result.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    passes: result.passes.map(({ id }) => id),
  }))`;
};

interface AxeResult {
  violations: [id: string, html: string[]][];
  passes: string[];
}
