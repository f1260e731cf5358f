import { expect, _baseTest as test } from '@playwright/test';
import { atOnceIn, paceOf, turnMs } from './pace.ts';
import { asks, every, type Made, reads, refused, trafficOf } from './testing/traffic.ts';

const readAt = (at: number): Made => reads(at, 1);
const steady = (calls: readonly Made[]) => trafficOf(calls, { name: 'steady' });

test('the pace is the pause between a read and the next, in the middle and at the shortest', () => {
  const traffic = steady([asks(0, 1), ...[20, 230, 440, 490, 900].map(readAt)]);
  expect(paceOf([traffic], 1)).toEqual({ medianPauseMs: 200, regular: false });
});

test('pauses around a token request or a refusal tell nothing of the pace', () => {
  const calls = [
    asks(0, 1),
    ...[20, 230, 440].map(readAt),
    refused(455, 1),
    asks(470, 2),
    reads(490, 2),
    asks(495, 3),
    reads(510, 3),
  ];
  expect(paceOf([steady(calls)], 1)).toEqual({ medianPauseMs: 200, regular: true });
});

test('a pause in five may be much shorter than usual; more of them are no regular pace', () => {
  const regular = (...pauses: number[]) => {
    const times = [20];
    for (const pause of pauses) times.push((times.at(-1) ?? 0) + 10 + pause);
    return paceOf([steady([asks(0, 1), ...times.map(readAt)])], 1)?.regular;
  };
  expect(regular(200, 200, 200, 200, 50)).toBe(true);
  expect(regular(200, 200, 200, 50, 50)).toBe(false);
  expect(regular(200, 160, 170, 900, 5000)).toBe(true);
});

test('where nothing went wrong it is taken from, if that was seen', () => {
  const slow = trafficOf([asks(0, 1), ...every(1010, 20, 12_000, readAt)], { name: 'expires' });
  const quick = steady([asks(0, 1), ...every(60, 20, 500, readAt)]);
  expect(paceOf([slow, quick], 1)?.medianPauseMs).toBe(50);
  expect(paceOf([slow], 1)?.medianPauseMs).toBe(1000);
});

test('of reads that wait for one connection it is the pause between their turns', () => {
  const turns = [20, 620, 1220, 1820].flatMap((at) => [0, 11, 32, 43].map((ms) => readAt(at + ms)));
  expect(paceOf([steady([asks(0, 1), ...turns])], 1)).toEqual({ medianPauseMs: 547, regular: true });
  const busy = [20, 620, 1220, 1820].flatMap((at) => [0, 11, 50, 105].map((ms) => readAt(at + ms)));
  expect(paceOf([steady([asks(0, 1), ...busy])], 1)).toEqual({ medianPauseMs: 485, regular: true });
  const fast = [...every(11, 20, 570, readAt), ...every(11, 620, 1200, readAt)];
  expect(paceOf([steady([asks(0, 1), ...fast])], 1)?.medianPauseMs).toBe(1);
});

test('one pause, or overlapping calls, have no pace', () => {
  const traffic = steady([asks(0, 1), readAt(20), readAt(230)]);
  expect(paceOf([traffic], 1)).toBeUndefined();
  expect(paceOf([steady([asks(0, 1), ...every(210, 20, 900, readAt)])], 2)).toBeUndefined();
});

test('a read that the client has left is not under way any more', () => {
  const left = reads(20, 1, { endMs: 5000, ended: 'gone' });
  expect(atOnceIn([steady([asks(0, 1), left, readAt(1000)])])).toBe(1);
  expect(atOnceIn([steady([asks(0, 1), { ...left, ended: 'cut' }, readAt(1000)])])).toBe(2);
});

test('a turn is recognized by half of the usual pause, within bounds', () => {
  const turn = (medianPauseMs: number) => turnMs({ medianPauseMs, regular: true });
  expect([0, 4, 100, 1000, 2000, 60_000].map(turn)).toEqual([5, 5, 50, 500, 1000, 1000]);
  expect(turnMs(undefined)).toBe(250);
});

test('as many are at once as overlap in any scenario, or as there are processes', () => {
  const one = trafficOf([readAt(0), readAt(10), readAt(20)]);
  const three = trafficOf([0, 2, 4].map((at) => reads(at, 1, { endMs: 100 })));
  expect(atOnceIn([])).toBe(1);
  expect(atOnceIn([one])).toBe(1);
  expect(atOnceIn([one, three])).toBe(3);
  expect(atOnceIn([trafficOf([readAt(0)], { processes: 4 }), three])).toBe(4);
});
