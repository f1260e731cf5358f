/** Reports on made-up traffic. */
import {
  asks,
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
import { judge } from './judged.ts';

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

const broken = await judge(harOfCalls(...wrong), { lifetimeSeconds: 60 });
const right = await judge(harOfCalls(...reactiveTraffic()));
const short = await judge(harOfCalls(asks(0, 1), reads(1, 1)));

export const SAMPLES = { broken, right, short };
