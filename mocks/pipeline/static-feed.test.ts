/** The mock of a feed without tokens behaves like a file server. */
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { startMock } from '../index.ts';

const start = () => startMock({ profile: 'static-feed', records: 3, clock: 'frozen' });

test('a reader gets the file once, and 304 until it changes', async () => {
  await using mock = await start();
  const read = async (headers: Record<string, string> = {}) => {
    const { statusCode, headers: answered, body } = await request(`${mock.url}/ods.json`, { headers });
    return { status: statusCode, etag: String(answered.etag), text: await body.text() };
  };
  const first = await read();
  expect(JSON.parse(first.text).ods_data).toHaveLength(3);
  expect(await read({ 'if-none-match': first.etag })).toEqual({ status: 304, etag: first.etag, text: '' });
  mock.clock.advance('1d');
  const second = await read({ 'if-none-match': first.etag });
  expect([second.status, second.text === first.text]).toEqual([200, false]);
  expect(mock.traffic('demo').calls.map(({ isConditional }) => isConditional)).toEqual([
    undefined,
    true,
    true,
  ]);
});

test('a static feed has the records of one site', async () => {
  for (const records of [20, 500]) {
    await using mock = await startMock({ profile: 'static-feed', records });
    const { body } = await request(`${mock.url}/ods.json`);
    const { ods_data: list } = (await body.json()) as { ods_data: { site_id: string }[] };
    expect(list).toHaveLength(records);
    expect(new Set(list.map((one) => one.site_id))).toEqual(new Set(['ATA']));
  }
});

test('a reader gets the file whatever media type it accepts', async () => {
  await using mock = await start();
  for (const accept of ['text/html', 'application/json', 'nonsense']) {
    const { statusCode, body } = await request(`${mock.url}/ods.json`, { headers: { accept } });
    await body.dump();
    expect(statusCode, accept).toBe(200);
  }
});

test('the readers of a feed meet the script of the first client', async () => {
  await using mock = await start();
  mock.client('demo').script([{ nth: 2, outsideContract: true, do: { answer: { status: 500, body: '' } } }]);
  const statuses: number[] = [];
  for (let nth = 0; nth < 3; nth++) {
    const { statusCode, body } = await request(`${mock.url}/ods.json`);
    await body.dump();
    statuses.push(statusCode);
  }
  expect(statuses).toEqual([200, 500, 200]);
});

test('a deployment with tokens answers no conditional request with 304', async () => {
  await using mock = await startMock();
  const body = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const issued = await request(`${mock.url}/token/`, { method: 'POST', headers: form, body });
  const { token } = (await issued.body.json()) as { token: string };
  const headers = { authorization: `Bearer ${token}`, 'if-none-match': '*' };
  const read = await request(`${mock.url}/ods_data/`, { headers });
  await read.body.dump();
  expect([read.statusCode, read.headers.etag]).toEqual([200, undefined]);
});
