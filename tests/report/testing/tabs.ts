/** Tabs that tests use one after the other: a new one takes a third of a second of processor time. */
import type { Browser, Page } from '@playwright/test';

/** Those after `reducedMotion` cannot be changed in a tab: it has them for good. */
export interface TabOptions {
  viewport?: { width: number; height: number };
  colorScheme?: 'light' | 'dark';
  reducedMotion?: 'reduce' | 'no-preference';
  bypassCSP?: boolean;
  javaScriptEnabled?: boolean;
}

export interface Tabs {
  /** An empty tab, until it is returned. */
  take(options?: TabOptions): Promise<Page>;
  /** Ends all that a test did to it. */
  putBack(page: Page): Promise<void>;
}

const LISTENED_TO = ['console', 'dialog', 'pageerror', 'request'] as const;

export function createTabs(chrome: Browser): Tabs {
  const kinds = new Map<Page, string>();
  const free: Page[] = [];

  async function tabOf(options: TabOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const at = free.findIndex((page) => kinds.get(page) === kind);
    const [known] = at === -1 ? [] : free.splice(at, 1);
    const page = known ?? (await chrome.newPage(options));
    kinds.set(page, kind);
    return page;
  }

  return {
    async take({
      viewport = { width: 1280, height: 720 },
      colorScheme = 'light',
      reducedMotion = 'no-preference',
      bypassCSP = false,
      javaScriptEnabled = true,
    } = {}) {
      const page = await tabOf({ bypassCSP, javaScriptEnabled });
      await page.setViewportSize(viewport);
      await page.emulateMedia({ media: null, colorScheme, reducedMotion });
      await page.mouse.move(0, 0);
      return page;
    },
    async putBack(page) {
      for (const event of LISTENED_TO) page.removeAllListeners(event);
      await page.unrouteAll();
      try {
        await page.evaluate('sessionStorage.clear()'); // The system may give its port to another test.
        await page.goto('about:blank');
        free.push(page);
      } catch {
        await page.close(); // It showed no page, or an error.
      }
    },
  };
}
