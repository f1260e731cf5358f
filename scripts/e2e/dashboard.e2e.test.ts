/** The page for people in a real browser: CHROMIUM_PATH, or Debian's. */
import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import { request } from 'undici';
import { startMock as startPlainMock } from '../../mocks/index.ts';
import {
  browserTest,
  expectAccessible,
  skipWithoutBrowser,
  unfold,
} from '../../tests/report/testing/browser.ts';
import type { TabOptions } from '../../tests/report/testing/tabs.ts';
import { type Mock, type MockOptions, startMock } from '../index.ts';

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
      await expect(status(opened.page)).toHaveText('This page shows each call as it arrives.');
      return opened;
    });
  },
});

skipWithoutBrowser();

const status = (page: Page) => page.getByRole('status');
const time = (page: Page) => page.locator('time#time');
const rows = (page: Page) => page.getByRole('table', { name: 'Calls' }).locator('tbody').getByRole('row');
const lane = (page: Page, id: string) => page.getByRole('article', { name: id });

async function giveKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
}

async function obtainToken(mock: Mock, id = 'acme'): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: 's3cret' };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}

async function readData(mock: Mock, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const { statusCode, body } = await request(`${mock.url}/ods_data/`, { headers });
  await body.dump();
  return statusCode;
}

test('a wrong key is said to be wrong, and nothing is asked for before the right one', async ({
  start,
  open,
}) => {
  const mock = await start();
  const { page, heard } = await open(mock);
  const asked: string[] = [];
  page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
  await expect(page.getByLabel('Key', { exact: true })).toBeFocused();
  await giveKey(page, 'wrong');
  await expect(page.locator('#key-fault')).toHaveText(/^This is not the key of the mock\./);
  await expect(page.getByLabel('Key', { exact: true })).toHaveAccessibleDescription(/^This is not the key/);
  await giveKey(page, 'no header ✗');
  await expect(page.locator('#key-fault')).toHaveText(/^This is not the key of the mock\./);
  await expect(page.getByRole('heading', { name: 'Clients' })).toBeHidden();
  expect(asked).toEqual(['/__mock/clock']);
  await giveKey(page, KEY);
  await expect(status(page)).toHaveText('This page shows each call as it arrives.');
  await expect(page.getByRole('heading', { name: 'acme' })).toBeVisible();
  expect(heard).toEqual([]);
});

test('the key outlives a reload in the tab alone, until it is forgotten', async ({ start, enter }) => {
  const { page, heard } = await enter(await start());
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, document.cookie])')).toBe('[{},""]');
  await page.reload();
  await expect(status(page)).toHaveText('This page shows each call as it arrives.');
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await expect(page.getByLabel('Key', { exact: true })).toBeFocused();
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
  await expect(page.getByRole('heading', { name: 'acme' })).toHaveCount(0);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
  expect(heard).toEqual([]);
});

test('the clock is moved, and shown as it is', async ({ start, enter }) => {
  const mock = await start();
  await obtainToken(mock);
  const { page } = await enter(mock);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const clock = page.getByRole('region', { name: 'Clock' });
  await expect(clock).toContainText('Frozen');
  await expect(clock).toContainText('Next expiry: 09:15:00, in 15 min.');
  const shows = async (shown: string) => {
    await expect(time(page)).toHaveText(`${shown}.000`);
    expect(new Date(mock.clock.now()).toISOString().slice(11, 19)).toBe(shown);
  };
  await shows('09:00:00');
  await press('By 1 min');
  await shows('09:01:00');
  await press('1 s before it');
  await shows('09:14:59');
  await press('To the next expiry');
  await shows('09:15:00');
  await expect(clock).toContainText('No token is valid.');
  await press('To the next expiry');
  await expect(status(page)).toHaveText('Nothing was changed: no token is valid, so none can expire next.');
  await press('By 15 min');
  await shows('09:30:00');
  await page.getByLabel('Duration').fill('8h');
  await press('Advance');
  await shows('17:30:00');
  await page.getByLabel('Duration').fill('soon');
  await press('Advance');
  await expect(page.getByLabel('Duration')).toHaveAccessibleDescription(
    /^Nothing was changed: \/by must be seconds, or a number with a unit/,
  );
  await shows('17:30:00');
  await page.getByLabel('Date and time').fill('2031-05-01T12:00:00Z');
  await press('Set');
  await shows('12:00:00');
  await expect(clock).toContainText('2031-05-01 UTC');
  await page.getByLabel('Times as fast').fill('3600');
  await press('Scale');
  await expect(clock).toContainText('Passing 3600 times as fast');
  expect(mock.clock.scale).toBe(3600);
  await expect(time(page)).toHaveText(/^(1[3-9]|2\d):/); // it ticks by itself
  await press('Resume');
  await expect(clock).toContainText('Passing in real time');
  await press('Freeze');
  await expect(clock).toContainText('Frozen');
  expect(mock.clock.mode).toBe('frozen');
  mock.clock.advance('8h'); // Somebody else moves it.
  await expect(time(page)).toHaveText(new Date(mock.clock.now()).toISOString().slice(11, 23));
  await press("Reset to the machine's time");
  await expect(clock).toContainText('Passing in real time');
  expect(mock.clock.mode).toBe('real');
});

test('a call appears and opens, a token is ended by the button, and the next call shows 403', async ({
  start,
  enter,
}) => {
  const mock = await start();
  const { page, heard } = await enter(mock);
  await expect(page.getByText('No calls yet.')).toBeVisible();
  const token = await obtainToken(mock);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first()).toContainText('acme#1');
  await rows(page).first().getByText('obtainToken').click();
  await expect(rows(page).first().locator('dl.call div')).toHaveText([
    'RequestPOST /token/',
    'Content-Typeapplication/x-www-form-urlencoded',
    'Fieldsgrant_type, client_id, client_secret',
    /^Answerapplication\/json, \d+ bytes, [\d.]+ ms$/,
    /^Machine time\d{4}-/,
  ]);
  await expect(rows(page).first()).not.toContainText('s3cret');
  await readData(mock, token);
  await expect(rows(page).first().getByRole('cell')).toHaveText([
    ...['09:00:00.000', 'acme', 'readData', '200', 'served', 'acme#1', '0 s old, 15 min left', ''],
  ]);
  await expect(lane(page, 'acme')).toContainText('1 token issued, 1 live · 2 calls');
  await expect(lane(page, 'acme').locator('.life.live')).toHaveCount(1);
  await page.getByRole('button', { name: 'Expire all tokens of acme' }).click();
  await expect(status(page)).toHaveText('1 token of acme expired.');
  await expect(lane(page, 'acme').locator('.life.expired')).toHaveCount(1);
  expect(await readData(mock, token)).toBe(403);
  await expect(rows(page).first().getByRole('cell')).toHaveText([
    ...['09:00:00.000', 'acme', 'readData', '403', 'expired-on-order', 'acme#1', '0 s old, ended early', ''],
  ]);
  await expect(lane(page, 'acme').locator('.mark.refused')).toHaveCount(1);
  await expect(lane(page, 'acme')).toContainText('1 refused with 403');
  await lane(page, 'acme').getByText('Tokens as a table').click();
  await expect(lane(page, 'acme').getByRole('row').nth(1)).toContainText(
    'acme#1expired09:00:00.00009:00:00.0000 s31',
  );
  await obtainToken(mock);
  await page.getByRole('button', { name: 'Revoke all tokens of acme' }).click();
  await expect(lane(page, 'acme').locator('.life.revoked')).toHaveCount(2);
  expect(heard).toEqual([]);
});

test('a key in the fragment of the address opens the page, and is removed from the address', async ({
  start,
  open,
  tab,
}) => {
  const mock = await start();
  const page = await tab();
  await page.goto(`${mock.url}/__mock/#key=${KEY}`);
  await expect(status(page)).toHaveText('This page shows each call as it arrives.');
  expect(page.url()).toBe(`${mock.url}/__mock/`);
  const { page: other } = await open(mock);
  await other.goto(`${mock.url}/__mock/#key=wrong`);
  await expect(other.locator('#key-fault')).toHaveText(/^This is not the key of the mock\./);
  expect(other.url()).toBe(`${mock.url}/__mock/`);
});

test('a page of another origin may call the API, and not the control API', async ({ start, tab }) => {
  const mock = await start();
  const elsewhere = await start();
  const page = await tab({ bypassCSP: true }); // Its own policy would allow neither.
  await page.goto(`${elsewhere.url}/__mock/`); // Another port is another origin.
  const call = (path: string, authorization: string) =>
    page.evaluate(
      `fetch('${mock.url}${path}', { headers: { authorization: '${authorization}' } }).then(({ status }) => status, String)`,
    );
  expect(await call('/ods_data/', `Bearer ${await obtainToken(mock)}`)).toBe(200);
  expect(await call('/__mock/clock', `Bearer ${KEY}`)).toBe('TypeError: Failed to fetch');
});

test('a client is given a script, and one that cannot be played is refused in words', async ({
  start,
  enter,
}) => {
  const mock = await start();
  const { page } = await enter(mock);
  const acme = lane(page, 'acme');
  await acme.getByText('No script').click();
  const text = acme.getByLabel(/^Script, as JSON/);
  const give = () => acme.getByRole('button', { name: /^Set this script/ }).click();
  await text.fill('[{ "do": { "answer": { "status": 503 } } }]');
  await give();
  await expect(text).toHaveAccessibleDescription(/the contract does not answer readData with 503/);
  await expect(text).toBeFocused();
  await text.fill('[');
  await give();
  await expect(text).toHaveAccessibleDescription('Nothing was changed: the body is not JSON.');
  await acme.getByLabel(/^Scenario/).selectOption('expires-every-3');
  await give();
  await expect(status(page)).toHaveText('acme has a new script; its calls count from 1 again.');
  await expect(acme.getByText('Script of 1 step')).toBeVisible();
  await expect(acme.locator('pre')).toHaveText('{"every":3,"do":{"expire":"token"}}');
  const token = await obtainToken(mock);
  for (const expected of [200, 200, 403]) expect(await readData(mock, token)).toBe(expected);
  await expect(rows(page).first()).toContainText('step 1');
  await acme.getByRole('button', { name: /^Remove the script/ }).click();
  await expect(acme.getByText('No script')).toBeVisible();
});

test('calls are filtered by client, held, and downloaded', async ({ start, enter }) => {
  const mock = await start({
    clients: ['acme', 'other'].map((id) => ({ id, secret: 's3cret' })),
  });
  await obtainToken(mock, 'acme');
  const { page } = await enter(mock);
  await page.getByLabel('Client', { exact: true }).selectOption('other');
  await expect(page.getByText('No calls by this client yet.')).toBeVisible();
  await obtainToken(mock, 'acme');
  await obtainToken(mock, 'other');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('other#1');
  await page.getByRole('button', { name: 'Pause' }).click();
  await obtainToken(mock, 'other');
  await expect(page.getByText('Paused; 1 more since then.')).toBeVisible();
  await expect(rows(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(rows(page)).toHaveCount(2);
  await page.getByLabel('Client', { exact: true }).selectOption('all clients');
  await expect(rows(page)).toHaveCount(4);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as HAR' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('mrs-mock.har');
  const har = JSON.parse(readFileSync(await download.path(), 'utf8'));
  expect(har.log.entries).toHaveLength(4);
});

test('text of others does not come alive', async ({ start, enter }) => {
  const mock = await start({ clock: 'real' });
  mock.addClient({
    id: HOSTILE,
    secret: 's3cret',
    script: [{ nth: 9, do: { add: { [HOSTILE]: HOSTILE } }, outsideContract: true }],
  });
  const { page, heard } = await enter(mock, { viewport: { width: 360, height: 800 } });
  await expect(lane(page, HOSTILE)).toBeVisible();
  await readData(mock, await obtainToken(mock, HOSTILE));
  await request(`${mock.url}/${encodeURIComponent(HOSTILE)}/%3Cb%3E?${encodeURIComponent(HOSTILE)}`).then(
    ({ body }) => body.dump(),
  );
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('Client', { exact: true }).selectOption(HOSTILE);
  await expect(rows(page)).toHaveCount(2);
  await page.getByRole('button', { name: `Expire all tokens of ${HOSTILE}` }).click();
  await expect(status(page)).toHaveText(`1 token of ${HOSTILE} expired.`);
  await lane(page, HOSTILE).getByText('Script of 1 step').click();
  await lane(page, HOSTILE)
    .getByRole('button', { name: /^Remove the script/ })
    .click();
  await expect(status(page)).toHaveText(`The script of ${HOSTILE} is removed.`);
  expect(await page.locator('img, b b, [onerror], iframe').count()).toBe(0);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(heard).toEqual([]);
});

test('by the keyboard alone the clock goes to the next expiry, also before the calls are shown', async ({
  start,
  open,
}) => {
  const mock = await start();
  await obtainToken(mock);
  const { page } = await open(mock);
  let show = () => {};
  const isShown = new Promise<void>((resolve) => {
    show = resolve;
  });
  await page.route('**/__mock/events*', (route) => isShown.then(() => route.continue()));
  await expect(page.getByLabel('Key', { exact: true })).toBeFocused();
  await page.keyboard.type(KEY);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Clock' })).toBeFocused();
  const button = page.getByRole('button', { name: 'To the next expiry' });
  for (const name of ['Freeze', 'Resume', 'To the next expiry']) {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name })).toBeFocused();
  }
  await expect(button).toBeFocused();
  await expect(button).toHaveCSS('outline-style', 'solid');
  await page.keyboard.press('Enter');
  await expect(time(page)).toHaveText('09:15:00.000');
  await expect(button).toBeFocused();
  await expect(status(page)).toHaveText('It is 09:15:00 on 2030-01-01 for the mock, frozen.');
  await expect(page.locator('#connection')).toHaveText('Connecting');
  show();
  await expect(page.locator('#connection')).toHaveText('Connected');
  await expect(status(page)).toHaveText('It is 09:15:00 on 2030-01-01 for the mock, frozen.');
});

test('it says that the mock has gone, and goes on with one in its place, with all that came meanwhile', async ({
  start,
  enter,
}) => {
  const mock = await start();
  const { page } = await enter(mock);
  await obtainToken(mock);
  await expect(rows(page)).toHaveCount(1);
  let isOpen = false;
  await page.route('**/__mock/journal', (route) => (isOpen ? route.continue() : route.abort()));
  const asked = page.waitForRequest((sent) => sent.url().endsWith('/__mock/events'));
  await mock.close();
  await expect(status(page)).toHaveText(/^The mock does not answer at 127\.0\.0\.1:\d+\./);
  await expect(page.getByText('Mock gone')).toBeVisible();
  const again = await start({ port: Number(new URL(mock.url).port) });
  await obtainToken(again);
  await readData(again, 'no token');
  isOpen = true;
  expect(await (await asked).headerValue('last-event-id')).toBe('2');
  await expect(status(page)).toHaveText('Connected to the mock again.');
  await expect(rows(page)).toHaveCount(2);
  await readData(again, 'no token');
  await expect(rows(page)).toHaveCount(3);
});

test('a mock that was started again with another key asks for that one', async ({ start, enter }) => {
  const mock = await start();
  const { page } = await enter(mock);
  await mock.close();
  await start({ port: Number(new URL(mock.url).port), controlKey: 'another-key' });
  await expect(page.locator('#key-fault')).toHaveText(/^The key is no longer valid/);
  await giveKey(page, 'another-key');
  await expect(status(page)).toHaveText(/^(This page shows each call|Connected to the mock again)/);
});

test('of a great many calls at once the latest two hundred are shown', async ({ start, enter }) => {
  const mock = await start();
  const { page } = await enter(mock);
  const token = await obtainToken(mock);
  for (let round = 0; round < 20; round++)
    await Promise.all(Array.from({ length: 50 }, () => readData(mock, token)));
  await expect(lane(page, 'acme')).toContainText('1,001 calls');
  await expect(rows(page)).toHaveCount(200);
  await expect(page.getByText('Showing the latest 200.')).toBeVisible();
});

test('a certificate shows the words of a client as text, and what to do', async ({ enter }) => {
  const finding = {
    verdict: 'failed',
    scenario: 'journal',
    seen: `It asked for ${HOSTILE}.`,
    calls: [1],
  } as const;
  const clients = [{ id: 'acme', secret: 's3cret' }];
  await using judged = await startMock({ clients });
  const real = judged.certificate('acme');
  const rules = real.rules.map((rule) =>
    rule.id === 'token-reuse' ? { ...rule, verdict: 'failed' as const, findings: [finding] } : rule,
  );
  const certificate = { ...real, rules, strategy: 'proactive', marginSeconds: 2 };
  await using mock = await startPlainMock({
    controlKey: KEY,
    clients,
    examiner: { certificate: () => certificate },
  });
  const { page, heard } = await enter(mock);
  const own = lane(page, 'acme');
  await own.getByText('Certificate of acme').click();
  await expect(own).toContainText('Proactive: renews by its own clock, 2 s before the expiry.');
  await expect(own).toContainText(`It asked for ${HOSTILE}.`);
  const advice = own.getByText(/^Keep the token in one place/);
  await expect(advice).toBeHidden();
  await own.getByText('What to do about token-reuse').click();
  await expect(advice).toBeVisible();
  expect(heard).toEqual([]);
});

test('the certificate of a client is in its lane, as of now', async ({ start, enter }) => {
  const mock = await start();
  const token = await obtainToken(mock);
  for (let n = 0; n < 3; n++) await readData(mock, token);
  const { page } = await enter(mock);
  const asked: string[] = [];
  page.on('request', (sent) => asked.push(new URL(sent.url()).pathname));
  const own = lane(page, 'acme');
  await own.getByText('Certificate of acme').click();
  await expect(own).toContainText('token-accept failed MRS-4.1d');
  await own.getByText('What to do about token-accept').click();
  await obtainToken(mock);
  await expect(own).toContainText('2 tokens requested, 1 required.');
  await expect(own).toContainText('token-reuse failed MRS-5.3a');
  await expect(own.getByText(/^Set accept: application\/json on POST/)).toBeVisible(); // what was unfolded stays so
  expect(asked.filter((path) => path === '/__mock/certificate').length).toBeLessThan(6);
});

test('page violates no rule of accessibility, whatever it shows', async ({ start, open }) => {
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
  const judge = () => expectAccessible(page, [360, 1440], ['target-size']);
  await giveKey(page, 'wrong');
  await expect(page.locator('#key-fault')).toBeVisible();
  await judge();
  await giveKey(page, KEY);
  await expect(rows(page)).toHaveCount(6);
  await expect(page.locator('#lanes .life')).toHaveCount(3);
  await judge();
  await unfold(page);
  await expect(lane(page, 'acme')).toContainText('token-accept failed');
  await lane(page, 'acme')
    .getByLabel(/^Script, as JSON/)
    .fill('[');
  await lane(page, 'acme')
    .getByRole('button', { name: /^Set this/ })
    .click();
  await expect(lane(page, 'acme').locator('.fault')).toBeVisible();
  await judge();
});
