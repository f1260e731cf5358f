import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { request } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { valueAt } from './contract/document.ts';
import { MockError } from './contract/mock-error.ts';
import { loadProfile } from './contract/profile.ts';
import { type Mock, type MockOptions, startMock } from './index.ts';
import { createRecords, createSchedule, declaredIn, readRecordsFile, type Site } from './records.ts';
import { refusesOptions } from './testing/refused.ts';

const SITE = { id: 'x', latDeg: 1, lonDeg: 2, elM: 3 };

test('the data is records of the moment, for as long as they are not over', async () => {
  await using mock = await startMock({ profile: 'nrao-ods', seed: 'a', clock: 'frozen' });
  const first = await read(mock);
  expect(first.records).toHaveLength(20);
  const ends = first.records.map((one) => Date.parse(`${one.src_end_utc}Z`));
  expect(ends.every((end) => end >= Date.UTC(2030, 0, 1))).toBe(true);
  expect((await read(mock)).text).toBe(first.text);
  await mock.clock.advance((Math.min(...ends) + 1 - mock.clock.now()) / 1000);
  const second = await read(mock);
  expect(second.records).toHaveLength(20);
  expect(second.records.slice(0, -1)).toEqual(
    first.records.filter((one) => Date.parse(`${one.src_end_utc}Z`) >= mock.clock.now()),
  );
});

for (const [profile, sites, bands] of [
  ['nrao-ods', ['gbt', 'vla_D', 'vlba_PT'], 2],
  ['hcro', ['ATA'], 4],
] as const)
  test(`the records under ${profile} are of ${sites.join(', ')} in ${bands} bands`, async () => {
    const declared = declaredIn((await loadProfile(profile)).document);
    const body =
      createRecords({ given: 20, declared, onFault: () => {} })
        ?.body(AT)
        .toString() ?? '';
    const served: (Read & { freq_lower_hz: number })[] = JSON.parse(body).ods_data;
    expect([...new Set(served.map((one) => one.site_id))].sort()).toEqual(sites);
    expect(new Set(served.map((one) => one.freq_lower_hz)).size).toBe(bands);
  });

for (const [options, sentence] of [
  [{ profile: 'rfc6750', records: 3 }, 'The profile does not declare records, so the mock cannot make 3'],
  [
    { profile: 'nrao-ods', records: 100_001 },
    '100001 is not a number of records. Use a whole number from 0 ',
  ],
  [{ profile: 'nrao-ods', records: Number.NaN }, 'NaN is not a number of records.'],
  [{ profile: 'nrao-ods', records: '' }, '`records` is empty: use a number of records or a file name'],
  [{ records: 'nowhere.json' }, 'The file nowhere.json of the records cannot be read: ENOENT.'],
] satisfies [MockOptions, string][])
  test(`${JSON.stringify(options)} is refused with a sentence`, () => refusesOptions(options, sentence));

const AT = Date.parse('2030-01-01T00:00:00Z');
const SITES: Site[] = [SITE, { ...SITE, id: 'Köln "1"', latDeg: 51 }, { ...SITE, id: 'z', latDeg: -30 }];

function scheduleOf(count: number) {
  const schedule = createSchedule(SITES, count, '/ods_data');
  return (nowMs: number): Read[] => JSON.parse(schedule.body(nowMs).toString()).ods_data;
}

const msOf = (time: string): number => Date.parse(`${time}Z`);

test('a record is there until its very end, and only then another one enters, at the far end', async () => {
  const { document } = await loadProfile('nrao-ods');
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const schema = valueAt(document, '/paths/~1ods_data~1/get/responses/200/content/application~1json/schema');
  const isDocumented = ajv.compile({ ...(schema as object), components: document.components });
  const at = scheduleOf(20);
  let nowMs = AT;
  for (let nth = 0; nth < 200; nth++) {
    const before = at(nowMs);
    const next = Math.min(...before.map((one) => msOf(one.src_end_utc)));
    expect(isDocumented({ ods_data: before }), ajv.errorsText(isDocumented.errors)).toBe(true);
    const starts = before.map((one) => msOf(one.src_start_utc));
    expect(starts.every((start, at) => start < msOf(before[at]?.src_end_utc ?? ''))).toBe(true);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(at(next + 0.5)).toEqual(before);
    expect(scheduleOf(20)(next), 'not asked before').toEqual(before);
    const after = at(next + 1);
    expect(after.slice(0, -1)).toEqual(before.slice(1));
    expect(after).toHaveLength(20);
    nowMs = next + 1;
  }
});

interface Read {
  site_id: string;
  src_start_utc: string;
  src_end_utc: string;
}

async function read({ url }: Mock, id = 'demo', secret = 'demo-secret') {
  const form = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const issued = await request(`${url}/token/`, { method: 'POST', headers, body: form });
  const { token } = (await issued.body.json()) as { token: string };
  const answer = await request(`${url}/ods_data/`, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.body.text();
  expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  const { ods_data: records = [] } = JSON.parse(text) as { ods_data?: Read[] };
  return { text, records, date: String(answer.headers.date) };
}

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'records-'));
  file = join(folder, 'ods.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

function reading(text: string) {
  writeFileSync(file, text);
  const faults: string[] = [];
  const records = readRecordsFile(file, ({ message }) => faults.push(message));
  return { faults, records, served: () => records.body(0).toString() };
}

test('a file is served as it is, the same buffer until it changes', () => {
  const text = ' { "ods_data" : [1.0, 1e2,\n"ü"] }\n';
  const { served, records, faults } = reading(text);
  expect(served()).toBe(text);
  expect(records.body(0)).toBe(records.body(1e12));
  writeFileSync(file, '[1,2]');
  expect(served()).toBe('[1,2]');
  writeFileSync(join(folder, 'new.json'), '[3,4]');
  renameSync(join(folder, 'new.json'), file);
  expect([served(), faults]).toEqual(['[3,4]', []]);
});

test('while a file is half written or missing, the last whole one is served, and each state is reported once', () => {
  const { served, faults } = reading('[1]');
  writeFileSync(file, '[1,2');
  expect([served(), served()]).toEqual(['[1]', '[1]']);
  expect(faults).toEqual([
    `The file ${file} of the records is not valid JSON: it ends too early or does not parse. Use a valid file, or a number of records. The mock serves what it read last.`,
  ]);
  rmSync(file);
  expect([served(), served()]).toEqual(['[1]', '[1]']);
  expect(faults.slice(1)).toEqual([expect.stringContaining('cannot be read: ENOENT.')]);
  writeFileSync(file, '[2]');
  expect([served(), faults.length]).toEqual(['[2]', 2]);
});

for (const [what, bytes, why] of [
  ['no JSON', 'ods_data', 'is not valid JSON'],
  ['empty', '', 'is not valid JSON'],
  ['marked', '\ufeff[]', 'is not valid JSON'],
  ['not UTF-8', Buffer.from('"K\xf6ln"', 'latin1'), 'is not valid JSON'],
] as const)
  test(`a file that is ${what} is refused at the start`, () => {
    writeFileSync(file, bytes);
    expect(() => readRecordsFile(file, () => {})).toThrow(MockError);
    expect(() => readRecordsFile(file, () => {})).toThrow(`The file ${file} of the records ${why}`);
  });
