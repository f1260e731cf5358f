import { expect, _baseTest as test } from '@playwright/test';
import { createVirtualClock } from '../../support/clock.ts';
import { repeatsOf } from '../support/evidence.ts';
import { fakeApi, first, run, statusOf, target } from '../testing/fake-api.ts';
import { ClockFault, createAdvanceClock } from './expiry.ts';
import { defaultThrottle, type Http, type HttpRequest } from './http.ts';

test('a token that was refused is not sent again before each replica must refuse it', async () => {
  const clock = createVirtualClock();
  const began = clock.now();
  const sentAt: number[] = [];
  const refusedFrom = (token: string | undefined) => {
    const age = (clock.now() - began) / 1000;
    if (token !== 'issued-token-1') return token ? 200 : 401;
    if (age >= 9) sentAt.push(age);
    return age >= 10 ? 403 : 200;
  };
  await run(fakeApi({ data: refusedFrom }), target, { clock });
  expect(sentAt).toEqual([10.05, 12, 12, 12]);
});

test('a token that expires a little late is asked for again, until it is refused', async () => {
  const api = fakeApi({ data: first((uses) => uses > 6) });
  const { data } = await run(api);
  expect(api.sent.filter(({ what }) => what === 'the data with the expired token')).toHaveLength(3);
  expect(statusOf(data.expiredToken)).toBe(403);
});

test('a token that does not expire is watched for twice its lifetime, within the budget of a run', async () => {
  const clock = createVirtualClock();
  const began = clock.now();
  const sentAt: number[] = [];
  const api = fakeApi({
    data: (token) => {
      sentAt.push((clock.now() - began) / 1000);
      return token ? 200 : 401;
    },
  });
  const { data, expiry } = await run(api, { ...target, tokenLifetimeSeconds: 120 }, { clock });
  expect(statusOf(data.expiredToken)).toBe(200);
  expect(expiry).toEqual({ kind: 'waited', lifetimeSeconds: 120, ageSeconds: 240 });
  expect(Math.max(...sentAt)).toBe(240);
  expect(api.sent.length).toBeLessThanOrEqual(defaultThrottle.budget);
});

test('of a token that expires late, the ages between which it expired are recorded', async () => {
  const clock = createVirtualClock();
  const began = clock.now();
  const isOver = () => clock.now() - began >= 17_000;
  const api = fakeApi({ data: first(isOver) });
  const { data, expiry } = await run(api, target, { clock });
  expect(statusOf(data.expiredToken)).toBe(403);
  expect(expiry).toMatchObject({
    kind: 'waited',
    late: { acceptedSeconds: expect.closeTo(16.9, 1), refusedSeconds: expect.closeTo(18.4, 1) },
  });
});

test('a token that is accepted late, and then answered with an error, counts as accepted', async () => {
  const api = fakeApi({ data: first((uses) => uses > 11, 503) });
  const { data, expiry } = await run(api);
  expect(statusOf(data.expiredToken)).toBe(200);
  expect(expiry).not.toHaveProperty('late');
});

test('by the clock of our own mock, a token that expires late is found in the same way', async () => {
  let age = 0;
  const advanceClock = async (seconds: number) => {
    age += seconds;
  };
  const api = fakeApi({ data: first(() => age >= 150) });
  const { data, expiry } = await run(api, { ...target, tokenLifetimeSeconds: 100 }, { advanceClock });
  expect(statusOf(data.expiredToken)).toBe(403);
  expect(expiry).toMatchObject({
    kind: 'clock',
    late: { acceptedSeconds: expect.closeTo(141.4, 1), refusedSeconds: expect.closeTo(158.7, 1) },
  });
});

test('with a short lifetime the token is waited for, whatever the operator gave', async () => {
  const { expiry } = await run(fakeApi(), { ...target, expiredToken: 'old-token' });
  expect(expiry).toEqual({ kind: 'waited', lifetimeSeconds: 10, ageSeconds: 10.05 });
});

test('the clock of our own mock is moved instead, however long the lifetime', async () => {
  const moved: number[] = [];
  const advanceClock = async (seconds: number) => void moved.push(seconds);
  const api = fakeApi();
  const { data, expiry } = await run(api, { ...target, tokenLifetimeSeconds: 86_400 }, { advanceClock });
  // There is one more call in between, and the rest begins where replicas must agree.
  expect(moved.map(Math.round)).toEqual([77_759, 8641, 8641]);
  expect(statusOf(data.expiredToken)).toBe(403);
  expect(expiry).toEqual({ kind: 'clock', lifetimeSeconds: 86_400 });
});

test('a clock that cannot be moved is given as the reason for a missing expired token', async () => {
  const advanceClock = () => Promise.reject(new ClockFault('It was not moved.'));
  const { data, expiry } = await run(fakeApi(), target, { advanceClock });
  expect(data.expiredToken).toMatchObject({ notSent: 'It was not moved.' });
  expect(expiry).toEqual({ kind: 'none' });
});

test('where the data is refused from the start, no expiry is waited for', async () => {
  const { data, expiry } = await run(fakeApi({ data: () => 403 }), { ...target, tokenLifetimeSeconds: 120 });
  expect(data.expiredToken).toMatchObject({ notSent: expect.stringContaining('No token was accepted') });
  expect(expiry).toEqual({ kind: 'none' });
});

test('of a token that is accepted after its end, each read is kept', async () => {
  const api = fakeApi({ data: (token) => (token ? 200 : 401) });
  const { open, data } = await run(api);
  const reads = api.sent.filter(({ what }) => what === data.expiredToken.what);
  expect(repeatsOf(data.expiredToken, { open })).toHaveLength(reads.length - 1);
});

for (const [what, tokenLifetimeSeconds, why] of [
  ['a run without a lifetime', undefined, /Set --token-lifetime \(MRS_TOKEN_LIFETIME\)/],
  ['a lifetime that is too long to wait for', 121, /^A lifetime of 121 s .*MRS_EXPIRED_TOKEN/],
] as const)
  test(`${what} tests no expiry and says what to set, or uses the expired token of the operator`, async () => {
    const { tokenLifetimeSeconds: _, ...rest } = target;
    const to = { ...rest, ...(tokenLifetimeSeconds && { tokenLifetimeSeconds }) };
    const { data, expiry } = await run(fakeApi(), to);
    expect([data.expiredToken, expiry]).toMatchObject([
      { notSent: expect.stringMatching(why) },
      { kind: 'none' },
    ]);
    const api = fakeApi();
    const asserted = await run(api, { ...to, expiredToken: 'old-token' });
    expect(asserted.expiry).toEqual({ kind: 'asserted' });
    expect(statusOf(asserted.data.expiredToken)).toBe(401);
    expect(api.sent.find(({ what }) => what === 'the data with the expired token')?.token).toBe('old-token');
  });

const answering = (answer: Awaited<ReturnType<Http['exchange']>>) => {
  const asked: HttpRequest[] = [];
  const http: Http = {
    exchange: async (request) => {
      asked.push(request);
      return answer;
    },
    close: async () => {},
  };
  return { asked, http };
};

test('the clock is moved at the root of the mock, whatever its base path, with the key', async () => {
  const { asked, http } = answering({ status: 200, headers: [], body: Buffer.from('{}') });
  await createAdvanceClock('http://127.0.0.1:4010/api', 'the-key', http)(900);
  expect(asked).toEqual([
    {
      method: 'PUT',
      url: 'http://127.0.0.1:4010/__mock/clock',
      headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
      body: '{"action":"advance","by":900}',
    },
  ]);
});

for (const [what, answer, says] of [
  [
    'it is no mock',
    { status: 404, headers: [], body: Buffer.alloc(0) },
    /\/__mock\/clock answered 404\. Give /,
  ],
  ['it does not answer', { failure: 'refused the connection' }, /\/__mock\/clock refused the connection\.$/],
] as const)
  test(`where ${what}, a sentence says so, without the key`, async () => {
    const { http } = answering(answer as Awaited<ReturnType<Http['exchange']>>);
    const { message } = await createAdvanceClock(
      'http://127.0.0.1:4010',
      'the-key',
      http,
    )(1).then(
      () => new Error('It was moved.'),
      (error: ClockFault) => error,
    );
    expect(message).toMatch(says);
    expect(message).not.toContain('the-key');
  });
