/** A scenario that was cut short never fails a client by what it did not do. */
import { expect, _baseTest as test } from '@playwright/test';
import { proactive, renewingAt } from '../../tests/client/corpus/parts.ts';
import type { PermittedClient } from '../../tests/client/corpus/subject.ts';
import { certificateOf, type ScenarioRun } from '../../tests/client/judge.ts';
import {
  asks,
  every,
  fails,
  type Made,
  reads,
  refused,
  trafficOf,
  withToken,
} from '../../tests/client/testing/traffic.ts';
import type { ScenarioTraffic } from '../../tests/client/traffic.ts';
import { examined } from './testing/correct-clients.ts';

type Ending = Pick<ScenarioTraffic, 'ended'> & { state: ScenarioRun['state'] };

/** How a client or its examiner may end a scenario before all was seen. */
const ENDINGS: Ending[] = [
  { state: 'deadline' },
  { state: 'ended', ended: { code: 0 } },
  { state: 'ended', ended: { signal: 'SIGKILL' } },
];

const runOf = (traffic: ScenarioTraffic, { state, ended }: Ending = { state: 'seen' }): ScenarioRun => ({
  traffic: { ...traffic, ...(ended && { ended }) },
  summary: '',
  state,
});

/** The rules with findings, and what they say. */
const foundIn = (...runs: ScenarioRun[]): string[] =>
  certificateOf(runs).rules.flatMap(({ id, findings }) => findings.map(({ seen }) => `${id}: ${seen}`));

/** What was seen by the end of this call, and for a while after it in which nothing came. */
function cutAfter(traffic: ScenarioTraffic, id: number): ScenarioTraffic {
  const calls = traffic.calls.filter((call) => call.id <= id);
  const last = Math.max(...calls.map(({ endMs }) => endMs));
  const known = new Set(calls.map(({ token }) => token));
  return {
    ...traffic,
    calls,
    lives: traffic.lives.filter(({ number }) => known.has(number)),
    durationMs: last + 20_000,
  };
}

for (const [name, behaviour] of [
  ['a reactive client', {}],
  ['five reactive readers', { readers: 5 }],
  [
    'a reactive client that waits before it retries',
    {
      async refused(client, token, turn) {
        const fresh = await client.renew(token);
        await client.pause(0.5);
        return client.reread(fresh, turn);
      },
    },
  ],
  ['a client of both strategies', renewingAt(0.8)],
  ['a proactive client', proactive],
] as [string, PermittedClient['behaviour']][])
  test(`${name} is found at no fault, wherever a scenario is cut short`, async () => {
    const played = (await examined(behaviour)).map(({ traffic }) => traffic);
    const steady = played.find((traffic) => traffic.name === 'steady') as ScenarioTraffic;
    const faults = new Set<string>();
    // That its reads were refused again and again is what it did.
    for (const traffic of played)
      for (const { id } of traffic.calls)
        for (const ending of id % 5 === 0 || traffic.calls[id]?.status !== 200 ? ENDINGS : [])
          for (const found of foundIn(runOf(steady), runOf(cutAfter(traffic, id), ending)))
            faults.add(`${traffic.name}: ${found}`);
    expect([...faults]).toEqual([]);
  });

const start = [asks(0, 1), ...every(200, 20, 3000, withToken(1))];
const page = (at: number, token: number, target: string) => reads(at, token, { target });
const pages = [asks(0, 1), ...every(200, 20, 3000, (at) => page(at, 1, `page ${((at / 200) % 5) | 0}`))];
const readers = every(200, 20, 3000, (at) => reads(at, 1, { endMs: at + 30 })).flatMap((one) => [
  one,
  { ...one, startMs: one.startMs + 2 },
]);

for (const [rule, calls] of [
  ['renewal', [...start, refused(3020, 1)]],
  ['retry', [...start, refused(3020, 1), asks(3031, 2)]],
  ['retry', [...pages, refused(3020, 1, { target: 'page 0' }), asks(3031, 2), page(3050, 2, 'page 1')]],
  ['recovers', [...start, refused(3020, 1), fails(3031)]],
] as [string, Made[]][])
  test(`the rule ${rule} fails by what ${calls.length} calls do not show only where all was seen`, () => {
    const last = Math.max(...calls.map(({ endMs }) => endMs));
    const traffic = trafficOf(calls, { agreedSeconds: 3, name: 'expires', durationMs: last + 20_000 });
    const rules = (ending?: Ending) =>
      foundIn(runOf(traffic, ending)).flatMap((found) => (found.startsWith(rule) ? rule : []));
    expect(rules()).toEqual([rule]);
    for (const ending of ENDINGS) {
      expect(rules(ending), JSON.stringify(ending)).toEqual([]);
    }
  });

test('a rule is not passed where the client or the examiner ended the scenario that it takes', () => {
  const renewed = trafficOf(
    [...start, refused(3020, 1), asks(3031, 2), ...every(200, 3050, 4000, withToken(2))],
    {
      agreedSeconds: 3,
      name: 'expires',
    },
  );
  const stopped = trafficOf([...start, refused(3020, 1)], { agreedSeconds: 6, name: '403-html' });
  const renewal = (ending?: Ending) =>
    certificateOf([runOf(renewed), runOf(stopped, ending)]).rules.find(({ id }) => id === 'renewal')?.verdict;
  expect(renewal({ state: 'ended', ended: { code: 1 } })).toBe('failed');
  for (const ending of ENDINGS) expect(renewal(ending), JSON.stringify(ending)).toBe('could-not-run');
});

test('attempts before a scenario was cut short are not taken for a rate that would have lasted', () => {
  const steady = trafficOf([asks(0, 1), ...readers], { name: 'steady', durationMs: 6000 });
  const refusals = [0, 2, 50, 52].flatMap((ms) => [
    reads(100 + ms, 1, { status: 403, reason: 'script', endMs: 130 + ms }),
    reads(101 + ms, 1, { status: 403, reason: 'script', endMs: 130 + ms }),
  ]);
  const calls = [asks(0, 1), ...refusals, ...refusals.map((one) => ({ ...one, startMs: one.startMs + 60 }))];
  const stays = trafficOf(calls, { name: '403-stays', durationMs: 300 });
  const storms = (ending?: Ending) =>
    foundIn(runOf(steady), runOf(stays, ending)).filter((found) => /^(refresh-once|no-loop)/.test(found));
  expect(storms()).not.toEqual([]);
  expect(storms({ state: 'deadline' })).toEqual([]);
});
