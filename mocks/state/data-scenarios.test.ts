import { expect, _baseTest as test } from '@playwright/test';
import { scenarios } from '../scenarios.ts';

interface Read {
  src_id: string;
  src_start_utc: string;
  src_end_utc: string;
}

const NOW = Date.parse('2030-01-01T00:00:00Z');
const MINUTE = 60_000;

/** The bodies of the first two reads and of all that follow. */
function bodiesOf(name: string): [before: string, after: string] {
  const script = scenarios.find((one) => one.name === name)?.terms({ now: NOW, renewal: 2 }).script ?? [];
  const [before, after] = script.map((step) => JSON.stringify(step.do.answer?.body));
  expect(script.map(({ from = 1 }) => from)).toEqual([1, 3]);
  return [before ?? '', after ?? ''];
}

const recordsIn = (body: string): Read[] => JSON.parse(body).ods_data;
const ms = (time: string): number => Date.parse(`${time}Z`);

/** By how many minutes the start and the end of each record that is still there have moved. */
const moves = ([before, after]: [string, string]): Record<string, readonly number[]> =>
  Object.fromEntries(
    recordsIn(after).map((one) => {
      const old = recordsIn(before).find(({ src_id: source }) => source === one.src_id) as Read;
      const moved = [
        ms(one.src_start_utc) - ms(old.src_start_utc),
        ms(one.src_end_utc) - ms(old.src_end_utc),
      ];
      return [one.src_id, moved.map((by) => by / MINUTE)];
    }),
  );

test('a cancelled record is missing before its start, and the others stay as they are', () => {
  const [before, after] = bodiesOf('data-cancelled');
  const gone = recordsIn(before).filter((one) => ms(one.src_start_utc) > NOW)[0];
  expect(recordsIn(before)).toHaveLength(3);
  expect(recordsIn(after)).toEqual(recordsIn(before).filter(({ src_id: source }) => source !== gone?.src_id));
});

test('an extended record runs, ends later, and still before the next one starts', () => {
  const bodies = bodiesOf('data-extended');
  expect(moves(bodies)).toEqual({ running: [0, 3], next: [0, 0], last: [0, 0] });
  const [running, next] = recordsIn(bodies[1]) as [Read, Read];
  expect(ms(running.src_start_utc)).toBeLessThan(NOW);
  expect(ms(running.src_end_utc)).toBeLessThan(ms(next.src_start_utc));
});

test('a slid record starts and ends later, and still before the next one starts', () => {
  const bodies = bodiesOf('data-slid');
  expect(moves(bodies)).toEqual({ running: [0, 0], next: [3, 3], last: [0, 0] });
  const [, next, last] = recordsIn(bodies[1]) as [Read, Read, Read];
  expect(ms(next.src_end_utc)).toBeLessThan(ms(last.src_start_utc));
});

test('a republished record means the same in another text', () => {
  const [before, after] = bodiesOf('data-republished');
  const withMicroseconds = recordsIn(before).map((one) => ({
    ...one,
    src_start_utc: `${one.src_start_utc}000`,
    src_end_utc: `${one.src_end_utc}000`,
  }));
  expect(recordsIn(after)).toEqual(withMicroseconds);
  const namesIn = (body: string) => Object.keys(recordsIn(body)[0] ?? {});
  expect(namesIn(after)).toEqual(namesIn(before).reverse());
});
