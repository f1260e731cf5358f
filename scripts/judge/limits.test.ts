/** The limits of what is judged: what is beyond them is counted, and the outcome is not conformant. */
import { expect, test } from 'vitest';
import { asks, bytesOf, FORM, harOfCalls, reads } from '../../tests/traffic/testing/har.ts';
import { judgeRecording } from './judge-recording.ts';
import { readRecording } from './read-recording.ts';
import { reportOf } from './report.ts';
import { clientsIn, reportOnCalls } from './testing/judged.ts';

test('the calls of more than 100 clients are counted, and make the outcome incomplete', async () => {
  const calls = Array.from({ length: 101 }, (_, nth) =>
    asks(nth, nth, { form: { ...FORM, client_id: `station-${nth}` } }),
  );
  const report = await reportOnCalls(calls);
  expect(clientsIn(report)).toHaveLength(100);
  expect(report.remarks).toContain('Not judged: 1 exchange beyond the limit.');
});

test('exchanges after 64 Mi characters are counted, and not kept', async () => {
  const value = 'x'.repeat(64 * 1024);
  const headers = Object.fromEntries(Array.from({ length: 256 }, (_, nth) => [`h${nth}`, value]));
  const calls = [
    asks(0, 1),
    ...[1, 2, 3, 4].map((at) => reads(at, 1, { headers })),
    reads(6, 1),
    reads(7, 1),
  ];
  const recording = await readRecording(bytesOf(harOfCalls(...calls)), 'large.har', undefined);
  expect([recording.exchanges.length, recording.left.excess]).toEqual([5, 2]);
});

test('where nothing passed, no client is counted', async () => {
  const recording = await readRecording(bytesOf(harOfCalls(asks(0, 1))), 'traffic.har', undefined);
  const nothing = { ...recording, exchanges: [] };
  const judged = judgeRecording(nothing, { processes: 1 });
  const report = reportOf(nothing, judged, { startedAt: '2030-02-01T00:00:00.000Z', durationMs: 1 });
  const facts = report.facts.map(({ name, text }) => `${name}: ${text}`);
  expect(facts).toContain('Client: none was seen');
  expect(facts.join()).not.toContain('0 clients');
});
