import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { readContract } from '../contract/contract.ts';
import { loadProfile } from '../contract/profile.ts';
import { uploadProblem } from '../contract/upload-operation.ts';
import { type Mock, type MockOptions, startMock } from '../index.ts';
import { withUploadResult } from './upload.ts';

const ELEMENTS = [
  'ISS (ZARYA)',
  '1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927',
  '2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537',
  '',
].join('\n');
const LOG = `utc_time,freq_lower_mhz,freq_upper_mhz,avoidance_type,sat_id
2026-03-01 00:00:10,10700,12700,outer,44713
2026-03-01 00:00:20,10700,12700,inner,44713
`;

const start = (options: MockOptions = {}) => startMock({ profile: 'nrao-ods', ...options });

test('a file of orbital elements is taken with a token', async () => {
  await using mock = await start();
  const { status, body, type } = await upload(mock, await tokenOf(mock));
  expect([status, type, body]).toEqual([201, 'application/json', { ingested_records: 1 }]);
});

test('an avoidance log is taken with a token', async () => {
  await using mock = await start();
  const { status, body } = await upload(mock, await tokenOf(mock), {
    path: '/sat_avoidance_logs',
    field: 'file',
    name: 'GBT_Logs.csv',
    type: 'text/csv',
    text: LOG,
  });
  expect([status, body]).toEqual([200, { ingested_records: 2 }]);
});

for (const [change, sentence] of [
  [{ field: 'file' }, 'The file is not in the form field tle_file. Send it there.'],
  [{ name: 'a.tle' }, 'The file name does not end with .txt. Rename the file.'],
  [{ type: 'text/csv' }, 'The Content-Type of the file is not text/plain. Send it with that type.'],
  [{ text: 'ISS' }, 'The file ends before line 2. Line 1 of the elements is expected there.'],
  [
    { text: ELEMENTS.repeat(400) },
    'The file is too long. Send less than 50000 bytes, in several files if necessary.',
  ],
  [{ text: Buffer.from('K\xf6ln\n', 'latin1') }, 'The file is not UTF-8. Send it as text.'],
] as const)
  test(`${Object.keys(change)} can be invalid, which is reported in a sentence: ${sentence}`, async () => {
    await using mock = await start();
    const { status, body } = await upload(mock, await tokenOf(mock), change);
    expect([status, body]).toEqual([422, { error: 'invalid_request', error_description: sentence }]);
  });

test('an upload needs a live token, as a read of the data does', async () => {
  await using mock = await start({ clock: 'frozen', tokenLifetime: 60 });
  const token = await tokenOf(mock);
  const refusals = [await upload(mock), await upload(mock, 'a b'), await upload(mock, 'unknown')];
  expect(refusals.map(({ status, body }) => [status, body.error])).toEqual([
    [401, 'invalid_request'],
    [401, 'invalid_request'],
    [401, 'invalid_token'],
  ]);
  await mock.clock.advance(60);
  expect(await upload(mock, token)).toMatchObject({ status: 403, body: { error: 'invalid_token' } });
  expect(await upload(mock, await tokenOf(mock))).toMatchObject({ status: 201 });
});

test('the journal names the operation and what came of it, and keeps nothing of the file', async () => {
  await using mock = await start();
  await upload(mock, await tokenOf(mock));
  await upload(mock, await tokenOf(mock), { text: 'ISS' });
  await upload(mock);
  const entries = mock.journal({ operation: 'uploadTle' });
  expect(entries.map(({ reason, status, client }) => [reason, status, client])).toEqual([
    ['ingested', 201, 'demo'],
    ['invalid-upload', 422, 'demo'],
    ['missing-token', 401, undefined],
  ]);
  expect(JSON.stringify(entries)).not.toContain('ISS');
  const headers = { authorization: `Bearer ${mock.controlKey}` };
  const origin = new URL(mock.url).origin;
  const read = await request(`${origin}/__mock/journal?operation=uploadTle`, { headers });
  expect([read.statusCode, ((await read.body.json()) as { entries: unknown[] }).entries.length]).toEqual([
    200, 3,
  ]);
});

test('an upload does not count as a call of a step of a script', async () => {
  const clients = {
    a: { secret: 's', script: [{ on: 'readData', nth: 1, do: { answer: { status: 429 } } }] },
  };
  await using mock = await start({ clients: clients as NonNullable<MockOptions['clients']> });
  const token = await tokenOf(mock, 'a', 's');
  expect(await upload(mock, token)).toMatchObject({ status: 201 });
  const data = await request(`${mock.url}/ods_data/`, { headers: { authorization: `Bearer ${token}` } });
  await data.body.dump();
  expect(data.statusCode).toBe(429);
});

test('a client that leaves in the middle of a file, or sends one that never ends, affects no one else', async () => {
  const faults: unknown[] = [];
  await using mock = await start({ onFault: (error) => faults.push(error) });
  const token = await tokenOf(mock);
  const head = (length: string) =>
    `POST /tle_data HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${length}\r\n` +
    'content-type: multipart/form-data; boundary=x\r\n\r\n';
  const { port } = new URL(mock.url);
  const leaving = connect(Number(port), '127.0.0.1');
  leaving.write(`${head('content-length: 500')}--x\r\n`);
  await once(leaving, 'connect');
  leaving.destroy();
  const endless = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  endless.write(head('transfer-encoding: chunked'));
  const chunk = `4000\r\n${'--x\r\n'.padEnd(0x4000, 'a: b\r\n')}\r\n`;
  endless.write(chunk.repeat(5));
  const [answer] = await once(endless, 'data');
  expect(answer).toContain('HTTP/1.1 422 ');
  endless.destroy();
  expect(await upload(mock, token)).toMatchObject({ status: 201 });
  expect(faults).toEqual([]);
});

test('uploads exist only where a profile declares them', async () => {
  await using mock = await startMock();
  expect(await upload(mock, await tokenOf(mock))).toMatchObject({ status: 404 });
});

test('an invalid x-upload is reported in a sentence', async () => {
  const good = { kind: 'tle', field: 'f', bytes: 1 };
  expect(uploadProblem(good, 'uploadX')).toBeUndefined();
  expect(uploadProblem(good, 'putX')).toContain('Give it an operationId that begins with "upload".');
  for (const kind of ['csv', 'toString', undefined])
    expect(uploadProblem({ ...good, kind }, 'uploadX')).toContain('Valid kinds are tle and avoidance-log.');
  for (const broken of [
    { ...good, field: '' },
    { ...good, bytes: '1' },
    { ...good, bytes: 0 },
    { kind: 'tle' },
  ])
    expect(uploadProblem(broken, 'uploadX'), JSON.stringify(broken)).toContain('Write both.');
});

test('an upload without one of its answers is reported with the condition', async () => {
  const { document } = await loadProfile('nrao-ods');
  const without = structuredClone(document) as { paths: Record<string, { post: { responses: object } }> };
  const { responses } = without.paths['/tle_data']?.post ?? { responses: {} };
  Reflect.deleteProperty(responses, '422');
  expect(() => readContract(without as never, throwing)).toThrow(
    'no answer of uploadTle has "x-response-when: invalid-upload".',
  );
});

test('the answer reports the result of an upload in the member that the profile declares', () => {
  const answer = (body: object) => ({ status: 422, headers: {}, body, bytes: Buffer.alloc(0) });
  const told = (body: object, reading: Parameters<typeof withUploadResult>[1]) =>
    JSON.parse(withUploadResult(answer(body), reading).bytes.toString());
  expect(told({ detail: 'no' }, { problem: 'Why.' })).toEqual({ detail: 'Why.' });
  expect(told({ other: 1 }, { problem: 'Why.' })).toEqual({ other: 1 });
  expect(told({ ingested_records: 9, more: 1 }, { records: 0 })).toEqual({ ingested_records: 0, more: 1 });
});

const throwing = (problem: string): never => {
  throw new Error(problem);
};

async function tokenOf({ url }: Mock, id = 'demo', secret = 'demo-secret'): Promise<string> {
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await request(`${url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}

const FILE = { path: '/tle_data', field: 'tle_file', name: 'a.txt', type: 'text/plain', text: ELEMENTS };

async function upload(
  mock: Mock,
  token?: string,
  change: Partial<Record<keyof typeof FILE, string | Buffer>> = {},
) {
  const { path, field, name, type, text } = { ...FILE, ...change };
  const body = new FormData();
  body.append(String(field), new Blob([text], { type: String(type) }), String(name));
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(mock.url + String(path), { method: 'POST', headers, body });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: (await answer.json()) as Record<string, unknown>,
  };
}
