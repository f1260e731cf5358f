import { expect, _baseTest as test } from '@playwright/test';
import { loadProfile } from '../contract/profile.ts';
import { createRandom } from '../state/random.ts';
import { declaredIn } from './records.ts';
import { createSchedule } from './schedule.ts';

interface Read {
  site_id: string;
  subarray: number;
  src_ra_j2000_deg: number;
  src_start_utc: string;
  src_end_utc: string;
}

const SECOND = 1000;
const PERIOD = 30 * SECOND;
const HOUR = 3600 * SECOND;
const AT = Date.parse('2030-01-01T00:00:00Z');
/** More than those that can change: a record that moves beyond the last one that is served would be missing. */
const COUNT = 60;

const sites = declaredIn((await loadProfile('nrao-ods')).document)?.sites ?? [];

function scheduleOf(seed: string, churnMs = PERIOD, count = COUNT) {
  const schedule = createSchedule({ sites, count, list: '', random: createRandom(seed), churnMs });
  return (nowMs: number): string => schedule.body(nowMs).toString();
}

const ms = (time: string): number => Date.parse(`${time}Z`);

/** The text of each record, and its values, by what is the same about an observation whatever becomes of it. */
const recordsOf = (body: string): Map<string, { text: string; one: Read; startMs: number; endMs: number }> =>
  new Map(
    (body.match(/\{[^}]*\}/g) ?? []).map((text) => {
      const one: Read = JSON.parse(text);
      const key = `${one.site_id} ${one.subarray} ${one.src_ra_j2000_deg}`;
      return [key, { text, one, startMs: ms(one.src_start_utc), endMs: ms(one.src_end_utc) }];
    }),
  );

/** The members of a record without their order, and with numbers as numbers. */
const valuesIn = (text: string): string =>
  JSON.stringify(
    Object.entries(JSON.parse(text))
      .filter(([name]) => !name.endsWith('_utc'))
      .sort(),
  );

/** What a period has changed, where only churn can be the cause; a wrong change begins with "wrong". */
function changesBetween(before: string, after: string, nowMs: number): string[] {
  const now = recordsOf(after);
  const horizonMs = Math.max(...[...now.values()].map(({ startMs }) => startMs));
  const changes: string[] = [];
  for (const [key, { text, startMs, endMs }] of recordsOf(before)) {
    const new_ = now.get(key);
    if (!new_) {
      if (endMs >= nowMs && startMs < horizonMs)
        changes.push(startMs > nowMs ? `cancelled ${key}` : 'wrong: a running record has gone');
      continue;
    }
    const [byStart, byEnd] = [new_.startMs - startMs, new_.endMs - endMs];
    if (byStart !== 0 && (startMs <= nowMs || new_.startMs <= nowMs))
      changes.push('wrong: a start in the past has moved');
    if (byEnd !== 0 && new_.endMs <= nowMs) changes.push('wrong: a record has ended in the past');
    if (byStart === 0 && byEnd > 0) changes.push('extended');
    else if (byStart > 0 && byEnd === 0) changes.push('shortened');
    else if (byStart !== 0 && Math.abs(byStart - byEnd) <= 1) changes.push('moved');
    else if (byStart !== 0 || byEnd !== 0) changes.push(`wrong: ${byStart} ms and ${byEnd} ms`);
    else if (text !== new_.text)
      changes.push(
        valuesIn(text) === valuesIn(new_.text) ? 'rewritten' : `wrong: another value in ${new_.text}`,
      );
  }
  return changes;
}

/** What each period of two hours has changed, and the records at its begin. */
const historyOf = (seed: string): readonly { nowMs: number; changes: string[]; keys: string[] }[] => {
  const at = scheduleOf(seed);
  return Array.from({ length: (2 * HOUR) / PERIOD }, (_, nth) => {
    const nowMs = AT + nth * PERIOD;
    const before = at(nowMs - 1);
    const body = at(nowMs);
    return { nowMs, changes: changesBetween(before, body, nowMs), keys: [...recordsOf(body).keys()] };
  });
};
let known: ReturnType<typeof historyOf>[] | undefined;
const histories = () => (known ??= ['a', 'b'].map(historyOf));

const kindOf = (change: string): string => change.split(' ')[0] as string;

test('records are cancelled, extended, moved and written differently, one in each period', async () => {
  for (const history of histories()) {
    const seen: string[] = [];
    const several: string[] = []; // One `expect` for all: each costs a stack trace.
    for (const { nowMs, changes } of history) {
      seen.push(...changes);
      // The observation after an extended or a moved one may start later.
      const own = changes.map(kindOf).filter((kind) => kind !== 'shortened');
      if (own.length > 1) several.push(`${new Date(nowMs).toISOString()}: ${changes}`);
    }
    expect(several).toEqual([]);
    expect(seen.filter((change) => kindOf(change) === 'wrong:')).toEqual([]);
    for (const kind of ['cancelled', 'extended', 'moved', 'rewritten'])
      expect(seen.filter((change) => kindOf(change) === kind).length, kind).toBeGreaterThan(
        history.length / 40,
      );
  }
});

test('a record is written in the usual form, with decimal points, or with its members in another order', async () => {
  const body = scheduleOf('a')(AT + HOUR);
  for (const form of [
    /\{"site_id"[^}]*"site_el_m":\d+,/,
    /\{"site_id"[^}]*"freq_lower_hz":\d+\.0,/,
    /\{"src_start_utc"/,
  ])
    expect(body).toMatch(form);
});

test('nothing but the end of a record changes the data within a period', () => {
  const at = scheduleOf('a');
  const changed: string[] = [];
  for (let nowMs = AT; nowMs < AT + HOUR; nowMs += PERIOD) {
    const last = recordsOf(at(nowMs + PERIOD - 1));
    for (const [key, { text, endMs }] of recordsOf(at(nowMs)))
      if (endMs >= nowMs + PERIOD - 1 && last.get(key)?.text !== text) changed.push(text);
  }
  expect(changed).toEqual([]);
});

test('a cancelled record does not return', () => {
  for (const history of histories()) {
    const cancelled = new Set<string>();
    const returned: string[] = [];
    for (const { changes, keys } of history) {
      for (const change of changes)
        if (change.startsWith('cancelled ')) cancelled.add(change.slice('cancelled '.length));
      returned.push(...keys.filter((key) => cancelled.has(key)));
    }
    expect(returned).toEqual([]);
    expect(cancelled.size).toBeGreaterThan(5);
  }
});

test('the data is the same at the same moment, whatever was asked before', () => {
  const moments = Array.from({ length: 60 }, (_, nth) => AT + nth * 13 * 60 * SECOND);
  const at = scheduleOf('a');
  const inOrder = moments.map(at);
  const backwards = scheduleOf('a');
  expect(moments.toReversed().map(backwards).toReversed()).toEqual(inOrder);
  expect(moments.map(at)).toEqual(inOrder);
  const other = scheduleOf('another seed');
  expect(moments.map(other)).not.toEqual(inOrder);
});

test('the buffer is the same within a period, and another one after it', () => {
  const parts = { sites, count: COUNT, list: '', random: createRandom('a'), churnMs: PERIOD };
  const schedule = createSchedule(parts);
  const body = schedule.body(AT);
  const ends = [...recordsOf(body.toString()).values()].map(({ endMs }) => endMs);
  const lastMs = Math.min(AT + PERIOD - 1, ...ends);
  expect(schedule.body(lastMs)).toBe(body);
  expect(schedule.body(lastMs + 1)).not.toBe(body);
});

test('a longer period brings fewer changes', () => {
  const changesWith = (churnMs: number): number => {
    const at = scheduleOf('a', churnMs);
    let changes = 0;
    for (let nowMs = AT; nowMs < AT + HOUR; nowMs += 15 * SECOND)
      if (changesBetween(at(nowMs - 1), at(nowMs), nowMs).length > 0) changes++;
    return changes;
  };
  const [often, seldom] = [changesWith(30 * SECOND), changesWith(300 * SECOND)];
  expect(often).toBeGreaterThan(100); // of 120
  expect(seldom).toBeGreaterThan(8); // of 12
  expect(seldom).toBeLessThanOrEqual(12);
});
