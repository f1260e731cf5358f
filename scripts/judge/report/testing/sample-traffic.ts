/** Reports on made-up traffic, for what every rendering must keep. */
import {
  asks,
  CLIENT_SECRET,
  FORM,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  readsEvery,
  refused,
  tokenNamed,
} from '../../../../tests/traffic/testing/har.ts';
import { reportOnCalls } from '../../testing/judged.ts';

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

const withoutTokens = reactiveTraffic().map((call) => ({ ...call, headers: { accept: '*/*' } }));

export const broken = await reportOnCalls(wrong, { lifetimes: { 'other station': 600 } });

export const SAMPLES = {
  right: await reportOnCalls(reactiveTraffic()),
  broken,
  short: await reportOnCalls([asks(0, 1), reads(1, 1)]),
  agreed: await reportOnCalls([asks(0, 1), ...readsEvery(10, 0.1, 40, 1), refused(65, 1)], {
    lifetimeSeconds: 60,
  }),
  'a browser without sensitive data': await reportOnCalls(withoutTokens),
};

/** Members that hold a word from a list, and nothing else. */
export const CHOSEN = [
  'outcome',
  '$schema',
  'verdict',
  'severity',
  'strategy',
  'kind',
  'standing',
  'authorization',
  'clause',
];
