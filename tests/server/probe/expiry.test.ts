import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/clock.ts';
import { requests } from '../requests.ts';
import { repeatsOf } from '../support/evidence.ts';
import { outcomeOf, play, type Script, statusOf } from '../testing/fake-api.ts';
import { createMockClock } from './api.ts';
import { BUDGET, type HttpRequest } from './http.ts';
import type { Target } from './target.ts';

/** A run at a deployment whose first token is refused by `status` from an age on, and the ages at which it was sent. */
async function expire(overSeconds: number, to: Partial<Target> = {}, status = 403, passes = 0) {
  const clock = createVirtualClock();
  const began = clock.now();
  const age = () => (clock.now() - began) / 1000;
  const ages: number[] = [];
  const data = (token: string | undefined) => {
    if (token !== 'issued-token-1') return token ? 200 : 401;
    ages.push(age());
    return age() >= overSeconds && --passes < 0 ? status : 200;
  };
  const played = await play({ data }, to, { clock });
  return { ...played, ages: ages.slice(5) };
}

const about = (seconds: number, digits = 1) => expect.closeTo(seconds, digits);
const waited = { kind: 'waited', lifetimeSeconds: 10 };

for (const [what, given, seen, expiry, ages] of [
  [
    'that has expired is not sent before each replica must refuse it',
    [10, { expiredToken: 'old-token' }],
    403,
    { ...waited, ageSeconds: 12 },
    [8, 12, 12, 12, 12, 12],
  ],
  [
    'that opens the data once more when it is over counts as accepted late',
    [10, {}, 403, 1],
    403,
    { ...waited, ageSeconds: about(13.1), late: { acceptedSeconds: 12, refusedSeconds: about(13.1) } },
  ],
  [
    'that does not expire is watched for twice its lifetime',
    [Number.POSITIVE_INFINITY, { tokenLifetimeSeconds: 120 }],
    200,
    { kind: 'waited', lifetimeSeconds: 120, ageSeconds: 240 },
  ],
  [
    'that expires late shows the ages between which it expired',
    [17],
    403,
    {
      ...waited,
      ageSeconds: about(18.4),
      late: { acceptedSeconds: about(16.9), refusedSeconds: about(18.4) },
    },
  ],
  [
    'of our own mock expires by its clock, however long the lifetime',
    [86_400, { tokenLifetimeSeconds: 86_400, mockControlKey: 'key' }],
    403,
    { kind: 'waited', lifetimeSeconds: 86_400, ageSeconds: about(95_041, -1) },
    [77_759, 95_041, 95_041, 95_041, 95_041, 95_041].map((age) => about(age, -1)),
  ],
] as [string, Parameters<typeof expire>, number, object, unknown[]?][])
  test(`a token ${what}`, async () => {
    const played = await expire(...given);
    const expired = played.probes['data.expiredToken'];
    expect([statusOf(expired), played.expiry]).toEqual([seen, expiry]);
    if (ages) expect(played.ages).toEqual(ages);
    expect(played.sent.length).toBeLessThanOrEqual(BUDGET);
    const reads = played.sent.filter(({ what: one }) => one === expired.what);
    expect(repeatsOf(expired, played)).toHaveLength(reads.length - 1);
  });

const EXPIRED = requests.find(({ key }) => key === 'data.expiredToken')?.what ?? '';

for (const [what, script, to, more, notSent] of [
  ['the data is refused from the start', { data: () => 403 }, {}, {}, /^No token was accepted/],
  ['there is no lifetime', {}, { tokenLifetimeSeconds: undefined }, {}, /Set --token-lifetime \(MRS_TOKEN_/],
  [
    'a lifetime is too long to wait for',
    {},
    { tokenLifetimeSeconds: 121 },
    {},
    /^A lifetime of 121 s .*MRS_EXPIRED_TOKEN/,
  ],
] as [string, Script, object, object, RegExp][])
  test(`where ${what}, no expiry is tested, and a sentence says why`, async () => {
    const { probes, expiry, sent } = await play(script, to, more);
    expect(outcomeOf(probes['data.expiredToken'])).toMatch(notSent);
    expect(expiry).toEqual({ kind: 'none' });
    expect(sent.map(({ what: one }) => one)).not.toContain(EXPIRED);
  });

test('the expired token of the operator is sent besides one that the run sees expire', async () => {
  const { expiry, probes, used } = await play({}, { expiredToken: 'old-token' });
  expect([expiry.kind, statusOf(probes['data.givenToken'])]).toEqual(['waited', 401]);
  expect([used('data.givenToken'), used('data.expiredToken')]).toEqual(['old-token', 'issued-token-1']);
});

test('the first token is sent once more when the newest one is over too', async () => {
  const clock = createVirtualClock();
  const issuedAt = new Map<string, number>();
  const data = (token = '') => {
    issuedAt.set(token, issuedAt.get(token) ?? clock.now());
    return token ? (clock.now() - (issuedAt.get(token) ?? 0) < 10_000 ? 200 : 403) : 401;
  };
  const { sent } = await play({ data }, {}, { clock });
  expect(sent.at(-1)).toMatchObject({
    what: 'the data with the expired token, long after its end',
    token: 'issued-token-1',
  });
});

for (const [what, answer, says] of [
  ['is no mock', { status: 404, headers: [], body: Buffer.alloc(0) }, /__mock\/clock answered 404\. Give /],
  ['does not answer', { failure: 'refused the connection' }, /__mock\/clock refused the connection\. Give /],
  ['moves it', { status: 200, headers: [], body: Buffer.from('{}') }, /^moved to 900000$/],
] as const)
  test(`the clock of a mock that ${what} is moved at its root, by the key, which no message holds`, async () => {
    const asked: HttpRequest[] = [];
    const exchange = async (request: HttpRequest) => {
      asked.push(request);
      return answer;
    };
    const mock = { baseUrl: 'http://127.0.0.1:4010/api', mockControlKey: 'the-key' };
    const clock = createMockClock(createVirtualClock(), { exchange }, mock);
    const message = await clock.sleep(900_000).then(
      () => `moved to ${clock.now()}`,
      (error: Error) => error.message,
    );
    expect(message).toMatch(says);
    expect(message).not.toContain('the-key');
    const body = '{"action":"advance","by":900}';
    const headers = { authorization: 'Bearer the-key', 'content-type': 'application/json' };
    expect(asked).toEqual([{ method: 'PUT', url: 'http://127.0.0.1:4010/__mock/clock', headers, body }]);
  });
