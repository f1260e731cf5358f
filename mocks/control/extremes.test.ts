/** Orders with numbers that no time has: each is refused, or leaves a mock that answers. */
import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { startMock } from '../index.ts';

const KEY = 'a-key-of-the-test';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const whole = 'grant_type=client_credentials&client_id=demo&client_secret=demo-secret';

for (const [what, path, body, status] of [
  ['an infinite advance', '/script', '[{"on":"obtainToken","do":{"advance":1e999}}]', 400],
  ['an infinite delay', '/script', '[{"on":"obtainToken","do":{"delay":1e999}}]', 400],
  ['an advance beyond all dates', '/script', '[{"on":"obtainToken","do":{"advance":1e300}}]', 400],
  ['an advance before all dates', '/script', '[{"on":"obtainToken","do":{"advance":-1e300}}]', 400],
  ['a skew beyond all dates', '', '{"skew":1e300}', 400],
] as const)
  test(`${what} is answered with ${status}, and no call after it with a fault`, async () => {
    const faults: unknown[] = [];
    await using mock = await startMock({ controlKey: KEY, onFault: (error) => faults.push(error) });
    const headers = { authorization: `Bearer ${KEY}` };
    const control = `${mock.url}/__mock`;
    const order = await request(`${control}/clients/demo${path}`, { method: 'PUT', headers, body });
    expect(order.statusCode).toBe(status);
    const obtain = () => request(`${mock.url}/token/`, { method: 'POST', headers: FORM, body: whole });
    expect([(await obtain()).statusCode, (await obtain()).statusCode]).toEqual([200, 200]);
    for (const shown of ['clients', 'clock', 'journal'])
      expect((await request(`${control}/${shown}`, { headers })).statusCode).toBe(200);
    expect(faults).toEqual([]);
  });
