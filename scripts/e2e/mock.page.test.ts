/** The page for people in a real browser: CHROMIUM_PATH, or Debian's. */
import { expect, type Page } from '@playwright/test';
import { request } from 'undici';
import {
  browserTest,
  expectAccessible,
  skipWithoutBrowser,
  type TabOptions,
} from '../../tests/report/testing/browser.ts';
import { type Mock, type MockOptions, startMock } from '../mock/index.ts';

const KEY = 'a-key-of-the-test';
const HOSTILE = '<img src=x onerror=alert(1)>';

interface Opened {
  page: Page;
  /** What the page said, threw or asked of others than its mock. */
  heard: string[];
}

interface Fixtures {
  start: (options?: MockOptions) => Promise<Mock>;
  /** The page, before it has a key. */
  open: (mock: Pick<Mock, 'url'>, options?: TabOptions) => Promise<Opened>;
  /** The same, with it. */
  enter: (mock: Pick<Mock, 'url'>, options?: TabOptions) => Promise<Opened>;
}

const test = browserTest.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  start: async ({}, use) => {
    const mocks: Mock[] = [];
    await use(async (options) => {
      const mock = await startMock({
        controlKey: KEY,
        clock: 'frozen',
        startsAt: '2030-01-01T09:00:00Z',
        clients: [{ id: 'acme', secret: 's3cret' }],
        ...options,
      });
      mocks.push(mock);
      return mock;
    });
    for (const mock of mocks) await mock.close();
  },
  open: async ({ tab }, use) => {
    await use(async (mock, options) => {
      const page = await tab({ viewport: { width: 1440, height: 900 }, ...options });
      const heard: string[] = [];
      const { origin } = new URL(mock.url);
      page.on('request', (sent) => {
        if (!sent.url().startsWith(`${origin}/__mock/`)) heard.push(`request ${sent.url()}`);
        if (sent.url().includes(KEY)) heard.push('the key in an address');
      });
      page.on('pageerror', (error) => heard.push(`error ${error.message}`));
      page.on('dialog', (dialog) => {
        heard.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        if (/Content Security Policy/.test(message.text())) heard.push(`console ${message.text()}`);
      });
      await page.goto(`${origin}/__mock/`);
      return { page, heard };
    });
  },
  enter: async ({ open }, use) => {
    await use(async (mock, options) => {
      const opened = await open(mock, options);
      await giveKey(opened.page, KEY);
      await expect(connection(opened.page)).toHaveText('Connected');
      return opened;
    });
  },
});

skipWithoutBrowser();

const status = (page: Page) => page.getByRole('status');
const connection = (page: Page) => page.locator('#connection');
const time = (page: Page) => page.locator('time#time');
const rows = (page: Page) => page.getByRole('table', { name: 'Calls' }).locator('tbody').getByRole('row');
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const card = (page: Page, id: string) => page.getByRole('article', { name: id });

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
}

async function obtainToken(mock: Pick<Mock, 'url'>, id = 'acme'): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: 's3cret' };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}

async function readData(mock: Pick<Mock, 'url'>, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${mock.url}/ods_data/`, { headers });
  await body.dump();
  return statusCode;
}

test('a wrong key is refused, the right one stays in the tab until it is forgotten', async ({
  start,
  open,
}) => {
  const mock = await start();
  const { page, heard } = await open(mock);
  const asked: string[] = [];
  page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
  const key = page.getByLabel('Key', { exact: true });
  await expect(key).toBeFocused();
  for (const wrong of ['wrong', 'no header ✗']) {
    await giveKey(page, wrong);
    await expect(key).toHaveAccessibleDescription(/^This is not the key of the mock\./);
  }
  await expect(page.getByRole('heading', { name: 'Clients' })).toBeHidden();
  expect(asked).toEqual(['/__mock/clock']);
  await giveKey(page, KEY);
  await expect(page.getByRole('heading', { name: 'acme' })).toBeVisible();
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]');
  await page.reload();
  await expect(connection(page)).toHaveText('Connected');
  await press(page, 'Forget the key');
  await expect(key).toBeFocused();
  await expect(key).toHaveValue('');
  await expect(page.getByRole('heading', { name: 'acme' })).toHaveCount(0);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  await page.goto(`${mock.url}/__mock/#key=${KEY}`);
  await expect(connection(page)).toHaveText('Connected');
  expect(page.url()).toBe(`${mock.url}/__mock/`);
  expect(heard).toEqual([]);
});

test('a page of another origin may not call the control API', async ({ start, tab }) => {
  const mock = await start();
  const elsewhere = await start();
  const page = await tab({ bypassCSP: true }); // Its own policy would not allow it.
  await page.goto(`${elsewhere.url}/__mock/`); // Another port is another origin.
  const call = (path: string, authorization: string) =>
    page.evaluate(
      `fetch('${mock.url}${path}', { headers: { authorization: '${authorization}' } }).then(({ status }) => status, String)`,
    );
  expect(await call('/__mock/clock', `Bearer ${KEY}`)).toBe('TypeError: Failed to fetch');
});

test('buttons and forms move the clock, and the page shows its time', async ({ start, enter }) => {
  const mock = await start();
  await obtainToken(mock);
  const { page } = await enter(mock);
  const clock = page.getByRole('region', { name: 'Clock' });
  const shows = async (shown: string) => {
    await expect(time(page)).toHaveText(`${shown}.000`);
    expect(new Date(mock.clock.now()).toISOString().slice(11, 19)).toBe(shown);
  };
  await expect(clock).toContainText('Next expiry: 09:15:00, in 15 min.');
  await shows('09:00:00');
  await press(page, '1 s before it');
  await shows('09:14:59');
  await press(page, 'To the next expiry');
  await shows('09:15:00');
  await expect(clock).toContainText('No token is valid.');
  await press(page, 'To the next expiry');
  await expect(status(page)).toHaveText('No token is valid, so none can expire next.');
  const by = page.getByLabel('Advance by');
  await by.fill('soon');
  await press(page, 'Advance');
  await expect(by).toHaveAccessibleDescription(/^by is "soon"\. Use seconds, or a number with a unit/);
  await by.fill('8h');
  await press(page, 'Advance');
  await shows('17:15:00');
  await press(page, 'Resume');
  await expect(clock).toContainText('Real time');
  await press(page, 'Freeze');
  await expect(clock).toContainText('Frozen');
  mock.clock.advance('8h'); // A test moves it.
  await expect(time(page)).toHaveText(new Date(mock.clock.now()).toISOString().slice(11, 23));
  await press(page, 'Reset');
  await expect(clock).toContainText('Real time');
  expect(mock.clock.mode).toBe('real');
});

test('a call appears, a button ends its token, and the next call shows 403', async ({ start, enter }) => {
  const mock = await start();
  const { page, heard } = await enter(mock);
  const acme = card(page, 'acme');
  await expect(page.getByText('No calls yet.')).toBeVisible();
  const token = await obtainToken(mock);
  await expect(rows(page)).toHaveCount(1);
  await readData(mock, token);
  await expect(rows(page).first().getByRole('cell')).toHaveText([
    ...['09:00:00.000', 'acme', 'GET /ods_data/', '200', 'served', '#1 0 s old, valid'],
  ]);
  await expect(acme).toContainText('1 token issued, 1 valid · 2 calls · token lifetime 15 min');
  await expect(acme.getByRole('listitem')).toHaveText([/#1\s+valid until 09:15:00, 15 min left/]);
  await press(page, 'Expire all tokens of acme');
  await expect(status(page)).toHaveText('1 token of acme expired.');
  expect(await readData(mock, token)).toBe(403);
  await expect(rows(page).first().getByRole('cell')).toHaveText([
    ...['09:00:00.000', 'acme', 'GET /ods_data/', '403', 'expired-on-order', '#1 0 s old, expired'],
  ]);
  await expect(acme).toContainText('1 refused with 403');
  await expect(acme.getByRole('listitem')).toHaveText([/#1\s+expired at 09:00:00/]);
  await expect(acme.locator('.mark')).toHaveClass(['mark issued', 'mark served', 'mark refused']);
  await obtainToken(mock);
  await press(page, 'Revoke all tokens of acme');
  await expect(acme.locator('.bar.revoked')).toHaveCount(2);
  expect(await page.content()).not.toContain(token);
  expect(heard).toEqual([]);
});

test('a client and a scenario have their commands, without the key', async ({ start, enter }) => {
  const mock = await start({ clients: ['acme', 'other'].map((id) => ({ id, secret: 's3cret' })) });
  const { page } = await enter(mock);
  const curl = page.locator('#curl');
  await expect(curl).toContainText('client_id=acme');
  await expect(curl).toContainText("-H 'accept: application/json' \\ -d grant_type");
  await page.getByLabel('Client', { exact: true }).selectOption('other');
  await expect(curl).toContainText('client_id=other');
  await expect(curl).not.toContainText('/__mock/');
  await page.getByLabel('Scenario').selectOption('expires-every-3');
  await expect(curl).toContainText('/__mock/clients/other/script');
  await expect(curl).toContainText('{"every":3,"do":{"expire":"token"}}');
  await expect(curl).not.toContainText(KEY);
  mock.client('other').script([{ do: { delay: 0 } }]);
  await readData(mock, await obtainToken(mock, 'other'));
  await expect(rows(page).first()).toContainText('step 1');
  await expect(card(page, 'other')).toContainText('script of 1 step');
});

test('text from outside never comes alive', async ({ start, enter }) => {
  const mock = await start();
  mock.addClient({
    id: HOSTILE,
    secret: 's3cret',
    script: [{ nth: 9, do: { answer: { status: 503, body: { [HOSTILE]: HOSTILE } } } }],
  });
  const { page, heard } = await enter(mock, { viewport: { width: 360, height: 800 } });
  await readData(mock, await obtainToken(mock, HOSTILE));
  const path = `${encodeURIComponent(HOSTILE)}/%3Cb%3E?${encodeURIComponent(HOSTILE)}`;
  await request(`${mock.url}/${path}`).then(({ body }) => body.dump());
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('Calls of').selectOption(HOSTILE);
  await expect(rows(page)).toHaveCount(2);
  await press(page, `Expire all tokens of ${HOSTILE}`);
  await expect(status(page)).toHaveText(`1 token of ${HOSTILE} expired.`);
  expect(await page.locator('img, b b, [onerror], iframe').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(heard).toEqual([]);
});

test('page reports a lost mock, and continues with the next one at its address', async ({ start, enter }) => {
  const mock = await start();
  const { page } = await enter(mock);
  await obtainToken(mock);
  await obtainToken(mock);
  await expect(rows(page)).toHaveCount(2);
  await mock.close();
  await expect(status(page)).toHaveText(/^The mock does not answer at 127\.0\.0\.1:\d+\. Retrying/);
  await expect(connection(page)).toHaveText('Connection lost');
  const port = Number(new URL(mock.url).port);
  const again = await start({ port });
  await readData(again, 'no token');
  await expect(connection(page)).toHaveText('Connected');
  await expect(status(page)).toHaveText('');
  await expect(rows(page)).toHaveCount(1);
});

test('page violates no rule of accessibility', async ({ start, open }) => {
  const mock = await start({ clients: ['acme', 'idle'].map((id) => ({ id, secret: 's3cret' })) });
  const first = await obtainToken(mock);
  await readData(mock, first);
  mock.clock.advance('20m');
  await readData(mock, first);
  await readData(mock, 'no token');
  await obtainToken(mock);
  mock.client('acme').revoke();
  await obtainToken(mock);
  // axe has to be let in past the page's own policy, and must not see a color on its way to another.
  const { page } = await open(mock, { bypassCSP: true, reducedMotion: 'reduce' });
  await giveKey(page, 'wrong');
  await expect(page.locator('#key-fault')).toBeVisible();
  await expectAccessible(page, 'light', 360, ['target-size']);
  await giveKey(page, KEY);
  await expect(rows(page)).toHaveCount(6);
  await expect(card(page, 'acme')).toBeVisible(); // The clients are shown after the calls.
  await page.getByLabel('Advance by').fill('soon');
  await press(page, 'Advance');
  await expect(page.locator('#clock-fault')).toBeVisible();
  await expectAccessible(page, 'light', 1440, ['target-size']);
  await expectAccessible(page, 'dark', 360, ['target-size']);
});
