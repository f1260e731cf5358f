/** Defects and variants as mocks. What the suite makes of them is for `mrs prove` to show. */
import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type MockOptions, startMock as startPlain } from '../index.ts';
import { refusesOptions } from '../testing/refused.ts';
import { defects } from './defects.ts';
import { findDeployments } from './find-deployment.ts';
import { variants } from './variants.ts';

const startMock = (options: MockOptions) => startPlain({ ...options, deployments: findDeployments });

const FORM = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';

test('no two deployments have one name, and each fits the matrix', () => {
  const names = [...defects, ...variants].map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  for (const name of names) expect(name).toMatch(/^[a-z\d]+(-[a-z\d]+)*$/);
  for (const { name } of defects) expect(name.length).toBeLessThanOrEqual(33);
});

test('a mock with a defect shows it, and another mock in the same process does not', async () => {
  let now = 0;
  await using broken = await startMock({ defect: 'never-expires', now: () => now });
  await using whole = await startMock({ now: () => now });
  const bearers = [await obtain(broken.url), await obtain(whole.url)];
  now = 900_000;
  expect([await read(broken.url, bearers[0]), await read(whole.url, bearers[1])]).toEqual([200, 403]);
});

test('state of a defect is not shared by two mocks that have it', async () => {
  await using one = await startMock({ defect: 'one-token-per-client' });
  await using other = await startMock({ defect: 'one-token-per-client' });
  const statuses = [];
  for (const { url } of [one, one, other, other]) statuses.push((await post(url, FORM)).status);
  expect(statuses).toEqual([200, 401, 200, 401]);
});

for (const [options, sentence] of [
  [{ defect: 'never-expire' }, 'There is no defect "never-expire". The nearest is "never-expires"; '],
  [{ variant: 'token-jwts' }, 'There is no variant "token-jwts". The nearest is "token-jwt"; '],
] satisfies [MockOptions, string][])
  test(`${JSON.stringify(options)} is refused with the nearest name`, () =>
    refusesOptions({ ...options, deployments: findDeployments }, sentence));

test('what lives under a profile wants one', async () => {
  for (const options of [{ defect: 'rec-past' }, { variant: 'rec-empty' }])
    await expect(startMock(options)).rejects.toThrow(
      /^"rec-[a-z]+" requires the profile nrao-ods\. Add that profile\.$/,
    );
});

const post = (url: string, body: string) =>
  send(
    `${url}/token/`,
    { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    body,
  );

/** The header with the token of the answer, if there is one. */
async function obtain(url: string): Promise<string> {
  const { body } = await post(url, FORM);
  return `Bearer ${/"token":"([^"]+)"/.exec(body)?.[1] ?? 'none'}`;
}

const read = async (url: string, authorization?: string): Promise<number> =>
  (await send(`${url}/ods_data/`, { headers: { ...(authorization && { authorization }) } })).status;

/** On a connection of its own; undici would take an interim response that it did not ask for as an error. */
async function send(url: string, options: RequestOptions = {}, sent = '') {
  const exchange = request(url, { ...options, agent: false }).end(sent);
  try {
    const [answer] = (await once(exchange, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, body: await text(answer) };
  } catch (error) {
    // Some deployments hang up, as they may.
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return { status: 599, body: '' };
    throw error;
  }
}
