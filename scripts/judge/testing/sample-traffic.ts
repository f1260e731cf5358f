/** Reports on made-up traffic. */
import {
  asks,
  bytesOf,
  CLIENT_SECRET,
  FORM,
  harOfCalls,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  refused,
  tokenNamed,
} from '../../../tests/traffic/testing/har.ts';
import { judgeRecording } from '../judge-recording.ts';
import { readRecording } from '../read-recording.ts';
import { reportOf, type TrafficReport } from '../report.ts';

const otherClient = { ...FORM, client_id: 'other station', client_secret: 'Vb7-kQ2.x9_Lw4' };

/** A second client, which asks for a token before each read, and a service that serves anyone. */
const wrong: MadeCall[] = [
  ...reactiveTraffic(),
  reads(66, 2, { path: `/ods_data/?t=${tokenNamed(2)}` }),
  { at: 170, path: '/ods_data/', headers: { accept: 'application/json' }, body: RECORDS },
  { at: 171, path: '/ods_data/', headers: { accept: 'application/json' }, body: RECORDS },
  reads(172, 3, { status: 500, body: { error: 'internal' } }),
  reads(173, 3, { headers: { accept: 'text/csv', 'x-key': CLIENT_SECRET } }),
  refused(174, 3),
  refused(174.1, 3),
  ...Array.from({ length: 6 }, (_, nth) => [
    asks(nth * 5 + 1, `other-${nth}`, { form: otherClient }),
    reads(nth * 5 + 1.1, `other-${nth}`),
  ]).flat(),
];

async function reportOnCalls(calls: readonly MadeCall[], byClient = new Map<string, number>()) {
  const recording = await readRecording(bytesOf(harOfCalls(...calls)), 'traffic.har', undefined);
  const judged = judgeRecording(recording, { lifetimes: { byClient }, processes: 1 });
  return reportOf(recording, judged, { startedAt: '2030-02-01T00:00:00.000Z', durationMs: 1 });
}

export const SAMPLES = {
  broken: await reportOnCalls(wrong, new Map([['other station', 600]])),
  right: await reportOnCalls(reactiveTraffic()),
  short: await reportOnCalls([asks(0, 1), reads(1, 1)]),
} satisfies Record<string, TrafficReport>;
