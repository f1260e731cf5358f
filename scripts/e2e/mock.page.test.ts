/** The page for people in a real browser: CHROMIUM_PATH, or Debian's. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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
  await expect(clock).toContainText('Running');
  await press(page, 'Freeze');
  await expect(clock).toContainText('Frozen');
  mock.clock.advance('8h'); // A test moves it.
  await expect(time(page)).toHaveText(new Date(mock.clock.now()).toISOString().slice(11, 23));
  await press(page, 'Reset');
  await expect(clock).toContainText('Running');
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
    ...['09:00:00.000', '200', 'acme', 'GET /ods_data/', 'served', '#1 0 s old, valid'],
  ]);
  await expect(acme).toContainText('1 token issued, 1 valid · 2 calls · token lifetime 15 min');
  await expect(acme.getByRole('listitem')).toHaveText([/#1\s+valid until 09:15:00, 15 min left/]);
  await press(page, 'Expire all tokens of acme');
  await expect(status(page)).toHaveText('1 token of acme expired.');
  expect(await readData(mock, token)).toBe(403);
  await expect(rows(page).first().getByRole('cell')).toHaveText([
    ...['09:00:00.000', '403', 'acme', 'GET /ods_data/', 'expired-on-order', '#1 0 s old, expired'],
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

test('page gives a client the script of a scenario, and removes it', async ({ start, enter }) => {
  const mock = await start({ clients: ['acme', 'other'].map((id) => ({ id, secret: 's3cret' })) });
  const { page } = await enter(mock);
  await page.getByLabel('Client', { exact: true }).selectOption('other');
  const remove = page.getByRole('button', { name: 'Remove its script' });
  await expect(remove).toBeDisabled();
  await page.getByLabel('Scenario').selectOption('expires-every-3');
  await expect(page.locator('#script')).toHaveText('{"every":3,"do":{"expire":"token"}}');
  await press(page, 'Give it to the client');
  await expect(status(page)).toHaveText('other meets expires-every-3 from its next call on.');
  const token = await obtainToken(mock, 'other');
  expect([await readData(mock, token), await readData(mock, token), await readData(mock, token)]).toEqual([
    ...[200, 200, 403],
  ]);
  await expect(rows(page).first()).toContainText('step 1');
  await expect(card(page, 'other')).toContainText('script of 1 step');
  await page.getByLabel('Scenario').selectOption('none');
  await remove.click();
  await expect(status(page)).toHaveText('other has no script.');
  await expect(card(page, 'other')).not.toContainText('script of');
});

for (const [what, client, env, code] of [
  ['the demo client', { id: 'demo', secret: 'demo-secret' }, {}, 0],
  ['a client with an odd secret', { id: 'demo-odd-secret', secret: 'demo-secret+&%=' }, {}, 0],
  ['a client whose secret is set', { id: "o'hara", secret: 's3cret' }, { SECRET: 's3cret' }, 0],
  ['a client whose secret is not set', { id: 'acme', secret: 's3cret' }, {}, 1],
] as const)
  test(`the commands of ${what} ${code === 0 ? 'run as they are copied' : 'say what to set'}`, async ({
    start,
    enter,
  }) => {
    const mock = await start({ clients: [client] });
    const { page } = await enter(mock);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press(page, 'Copy the commands');
    await expect(status(page)).toHaveText('The commands are copied.');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toBe(await page.locator('#curl').textContent());
    expect(copied).not.toContain(KEY);
    const run = promisify(execFile)('bash', ['-c', copied], { env: { PATH: process.env.PATH, ...env } });
    const { stdout, stderr } = await run.catch((error) => error);
    if (code === 0) expect(stdout).toContain('"ods_data"');
    else expect(stderr).toContain('SECRET: Set SECRET to the secret of the client.');
  });

test('commands are selected where they cannot be copied', async ({ start, enter }) => {
  const mock = await start();
  const { page } = await enter(mock);
  await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await press(page, 'Copy the commands');
  await expect(status(page)).toHaveText('The commands are selected. Copy them with Ctrl+C.');
  expect(await page.evaluate('getSelection().toString()')).toContain('client_id=acme');
});

test('a token that has just begun is a bar that is hardly past, and the status of a call is seen at 390 px', async ({
  start,
  enter,
}) => {
  const mock = await start();
  const { page } = await enter(mock, { viewport: { width: 390, height: 844 } });
  await readData(mock, await obtainToken(mock));
  mock.clock.advance('3s');
  const past = card(page, 'acme').locator('.bar.past');
  await expect(past).toHaveAttribute('style', /width: 0\.33/);
  const widths = await Promise.all(
    [past, card(page, 'acme').locator('.bar.valid')].map((one) => one.boundingBox()),
  );
  expect((widths[0]?.width ?? 0) / (widths[1]?.width ?? 1)).toBeLessThan(0.02);
  await rows(page).first().scrollIntoViewIfNeeded();
  await expect(rows(page).first().getByText('200', { exact: true })).toBeInViewport({ ratio: 1 });
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
