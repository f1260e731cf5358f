/** A scenario that begins while the client has a token already. */
import { expect, _baseTest as test } from '@playwright/test';
import { obtainToken, statusOf } from '../../mocks/testing/described.ts';
import { tokenCount } from '../../tests/client/evidence.ts';
import { certificateOf } from '../../tests/client/judge.ts';
import { heldAtStart, type ScenarioTraffic } from '../../tests/client/traffic.ts';
import { type Mock, startMock } from '../index.ts';

const client = { id: 'demo', secret: 'demo-secret', tokenLifetime: 60 };
const start = () => startMock({ clients: [client], clock: 'frozen', seed: 'held' });

/** What the client does in `act`, with a token that it has had for ten seconds. */
async function trafficOf(mock: Mock, act: (token: string) => Promise<void>): Promise<ScenarioTraffic> {
  const token = await obtainToken(mock);
  await statusOf(mock, token);
  const since = mock.journal().at(-1)?.seq ?? 0;
  mock.clock.advance(10);
  await act(token);
  const traffic = mock.traffic('demo', since);
  return { ...traffic, name: 'steady', agreedSeconds: 60, lifetimesSeconds: [60], processes: 1 };
}

const verdictOf = (traffic: ScenarioTraffic, rule: string) =>
  certificateOf([{ traffic, summary: '', state: 'seen' }]).rules.find(({ id }) => id === rule)?.verdict;

test('its life is shown, and it need not be requested', async () => {
  await using mock = await start();
  const traffic = await trafficOf(mock, async (token) => {
    for (let n = 0; n < 3; n++) await statusOf(mock, token);
  });
  expect(traffic.lives).toEqual([{ number: 1, issuedMs: -10_000, expiresMs: 50_000 }]);
  expect(heldAtStart(traffic).map(({ number }) => number)).toEqual([1]);
  expect(tokenCount(traffic)).toEqual({ asked: 0, needed: 0 });
  expect(verdictOf(traffic, 'token-reuse')).toBe('passed');
});

test('the first request for another is a renewal, by the clock and planned where the token is old enough', async () => {
  await using mock = await start();
  const traffic = await trafficOf(mock, async () => {
    mock.clock.advance(38);
    const second = await obtainToken(mock);
    for (let n = 0; n < 3; n++) await statusOf(mock, second);
  });
  expect(traffic.lives.map(({ number }) => number)).toEqual([1, 2]); // the first was never sent
  expect(verdictOf(traffic, 'token-reuse')).toBe('passed');
  expect(
    certificateOf([{ traffic: { ...traffic, longLived: false }, summary: '', state: 'seen' }]),
  ).toMatchObject({
    strategy: 'proactive',
    marginSeconds: 12,
  });
});

test('to ask for another while it is young is waste', async () => {
  await using mock = await start();
  const traffic = await trafficOf(mock, async () => {
    for (let n = 0; n < 3; n++) await statusOf(mock, await obtainToken(mock));
  });
  expect(verdictOf(traffic, 'token-reuse')).toBe('failed');
});

test('one that was over by then is none that the client has', async () => {
  await using mock = await start();
  const traffic = await trafficOf(mock, async (token) => {
    mock.clock.advance(60);
    await statusOf(mock, token);
    await statusOf(mock, await obtainToken(mock));
  });
  expect(traffic.lives.map(({ number }) => number)).toEqual([1, 2]);
  expect(heldAtStart(traffic)).toEqual([]);
  expect(tokenCount(traffic)).toEqual({ asked: 1, needed: 1 });
});
