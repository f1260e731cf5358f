/** That each defect breaks the rule that it says, and no other; what the suite makes of it is for `mrs prove` to show. */
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { type Mock, type MockOptions, startMock } from '../../index.ts';
import { rulesBroken } from '../../testing/record-rules.ts';
import type { Defect } from '../deployment.ts';
import { recordVariants } from '../variants/records.ts';
import { recordDefects } from './records.ts';

const RULES = [
  ...['not-json', 'envelope', 'legacy-schema', 'required', 'type', 'digit-string', 'range', 'time-format'],
  ...['time-style', 'interval', 'frequency-order', 'site-position', 'past', 'order', 'duplicate', 'stale'],
];

const OPTIONS = { profile: 'nrao-ods', seed: 'a', clock: 'frozen', tokenLifetime: '9d' } as const;

/** The rule that the patterns of a defect are for. */
function ruleOf({ fails }: Defect): string | undefined {
  if ('MRS-4.2b' in fails) return 'not-json';
  const pattern = fails['MRS-2b@nrao-ods'] ?? fails['MRS-4.2g@nrao-ods'];
  return RULES.find((rule) => pattern?.test(`expected records that keep the rule ${rule} (1 does not)`));
}

for (const defect of recordDefects.filter(({ name }) => name !== 'rec-stale'))
  test(`${defect.name} breaks one rule, the one that it says`, async () => {
    for (const seed of ['a', 'b', 'c']) {
      await using mock = await startMock({ ...OPTIONS, seed, defect: defect.name });
      expect(rulesBroken(await read(mock), mock.clock.now()), seed).toEqual([ruleOf(defect)]);
    }
  });

test('there is a defect for every rule that a record can break', () => {
  expect([...new Set(recordDefects.map(ruleOf))].sort()).toEqual(RULES.toSorted());
});

test('rec-stale goes on giving what was right at the first read', async () => {
  await using mock = await startMock({ ...OPTIONS, defect: 'rec-stale' });
  const first = await read(mock);
  expect(rulesBroken(first, mock.clock.now())).toEqual([]);
  await mock.clock.advance('15m');
  expect(await read(mock)).toBe(first);
  expect(rulesBroken(first, mock.clock.now())).toEqual(['past']);
  await using whole = await startMock(OPTIONS);
  await whole.clock.advance('15m');
  expect(await read(whole)).not.toBe(first);
});

for (const { name } of recordVariants)
  test(`${name} is otherwise, and breaks no rule`, async () => {
    const plain = await textOf(OPTIONS);
    for (const seed of ['a', 'b', 'c']) {
      await using mock = await startMock({ ...OPTIONS, seed, variant: name });
      const text = await read(mock);
      if (seed === OPTIONS.seed) expect(text).not.toBe(plain);
      expect(rulesBroken(text, mock.clock.now()), seed).toEqual([]);
    }
  });

test('an empty schedule is changed without an exception inside', async () => {
  for (const { name } of recordDefects) {
    const faults: unknown[] = [];
    const onFault = (error: unknown) => faults.push(error);
    await using mock = await startMock({ ...OPTIONS, records: 0, defect: name, onFault });
    await read(mock);
    expect(faults, name).toEqual([]);
  }
});

async function textOf(options: MockOptions): Promise<string> {
  await using mock = await startMock(options);
  return await read(mock);
}

async function read({ url }: Mock): Promise<string> {
  const body = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const issued = await request(`${url}/token/`, { method: 'POST', headers, body });
  const { token } = (await issued.body.json()) as { token: string };
  const answer = await request(`${url}/ods_data/`, { headers: { authorization: `Bearer ${token}` } });
  return answer.body.text();
}
