/** No rule is hard on a client that does what the specification says, however slow or busy it is; the proof has others. */
import { expect, test } from 'vitest';
import { createRandom } from '../../mocks/testing/chance.ts';
import type { Parts } from '../../tests/client/corpus/client.ts';
import { proactive, reactive, renewingAt } from '../../tests/client/corpus/parts.ts';
import { certificateOf, type ScenarioRun } from '../../tests/client/judge.ts';
import { scene } from '../../tests/client/testing/scenes.ts';
import type { ScenarioTraffic } from '../../tests/client/traffic.ts';
import { examine } from './examine.ts';
import { clientsInProcess, startProcessClock } from './process-clock.ts';
import { type Scenario, scenarios } from './scenarios.ts';

/** A machine on which up to this time goes by before whatever the client does. */
function busy(loadMs: number): Pick<Parts, 'beside' | 'send'> {
  const { share } = createRandom(String(loadMs));
  let draws = 0;
  const load = () => (loadMs * share(`${++draws}`)) / 1000;
  return {
    beside: (client) => client.pause(load()),
    async send(client, request) {
      await client.pause(load());
      return reactive.send(client, request);
    },
  };
}

const backsOff: Partial<Parts> = {
  async refused(client, token, turn) {
    const fresh = await client.renew(token);
    await client.pause(0.5);
    return client.reread(fresh, turn);
  },
};

/** Each call whose answer the scenario does not script takes longer. */
const delayed = ({ script, ...scenario }: Scenario): Scenario => ({
  ...scenario,
  script: (renewal) => [
    ...script(renewal),
    { on: 'readData', do: { delay: '80ms' } },
    { on: 'obtainToken', do: { delay: '80ms' } },
  ],
});

/** How a client or its examiner may end a scenario before all was seen. */
const ENDINGS: (Pick<ScenarioTraffic, 'ended'> & { state: ScenarioRun['state'] })[] = [
  { state: 'deadline' },
  { state: 'ended', ended: { code: 0 } },
  { state: 'ended', ended: { signal: 'SIGKILL' } },
];
const runOf = (
  traffic: ScenarioTraffic,
  { state, ended }: (typeof ENDINGS)[number] = { state: 'seen' },
): ScenarioRun => ({ traffic: { ...traffic, ...(ended && { ended }) }, summary: '', state });

/** The rules with findings, and what they say. */
const foundIn = (...runs: ScenarioRun[]): string[] =>
  certificateOf(runs).rules.flatMap(({ id, findings }) => findings.map(({ seen }) => `${id}: ${seen}`));

/** What was seen by the end of this call, and for a while after it in which nothing came. */
function cutAfter(traffic: ScenarioTraffic, id: number): ScenarioTraffic {
  const calls = traffic.calls.filter((call) => call.id <= id);
  const known = new Set(calls.map(({ token }) => token));
  return {
    ...traffic,
    calls,
    lives: traffic.lives.filter(({ number }) => known.has(number)),
    durationMs: Math.max(...calls.map(({ endMs }) => endMs)) + 20_000,
  };
}

/** That its reads were refused again and again is what a client did. */
function faultsWhereCut(played: readonly ScenarioTraffic[]): string[] {
  const steady = played.find(({ name }) => name === 'steady') as ScenarioTraffic;
  return played.flatMap((traffic) =>
    traffic.calls
      .filter(({ id }) => id % 5 === 0 || traffic.calls[id]?.status !== 200)
      .flatMap(({ id }) =>
        ENDINGS.flatMap((ending) => foundIn(runOf(steady), runOf(cutAfter(traffic, id), ending))),
      ),
  );
}

for (const [name, behaviour, strategy, { deadlineSeconds = 30, isSlow = false } = {}] of [
  ['reactive', {}, 'reactive'],
  ['reactive and backs off before it retries', backsOff, 'reactive'],
  ['of both strategies', renewingAt(0.8), 'both'],
  ['proactive', proactive, 'proactive'],
  ['reactive on a busy machine', busy(1000), 'reactive'],
  ['five readers on a busy machine', { readers: 5, ...busy(100) }, 'reactive'],
  ['of both strategies on a busy machine', { ...renewingAt(0.8), pollSeconds: 0.05, ...busy(100) }, 'both'],
  ['one that pauses for longer than a token lives', { pollSeconds: 7 }, 'reactive', { deadlineSeconds: 120 }],
  [
    'of both strategies and pauses for longer than a token lives',
    { ...renewingAt(0.8), pollSeconds: 7 },
    'both',
    { deadlineSeconds: 120 },
  ],
  ['one whose calls take long', {}, 'reactive', { isSlow: true }],
  ['two processes of three readers', { processes: 2, readers: 3 }, 'reactive'],
] as [string, Partial<Parts>, string, { deadlineSeconds?: number; isSlow?: true }?][])
  test(`a correct client that is ${name} is conformant, and at no fault where a scenario is cut short`, async () => {
    using clock = startProcessClock();
    const { processes = 1 } = behaviour;
    const runs = await examine({
      ...{ scenarios: isSlow ? scenarios.map(delayed) : scenarios, processes, deadlineSeconds, clock },
      start: clientsInProcess(behaviour, { pollSeconds: 0.2, clock }),
    });
    expect(foundIn(...runs)).toEqual([]);
    expect(certificateOf(runs)).toMatchObject({ outcome: 'conformant', strategy });
    if (processes === 1 && !behaviour.beside && !behaviour.pollSeconds && !isSlow)
      expect(faultsWhereCut(runs.map(({ traffic }) => traffic))).toEqual([]);
  });

const expires = 'agreed=3 name=expires until=25000';
for (const [rule, calls] of [
  ['renewal', 'x3020'],
  ['retry', 'x3020 a3031'],
  ['recovers', 'x3020 f3031'],
] as const)
  test(`the rule ${rule} fails by what the calls ${calls} do not show only where all was seen`, () => {
    const traffic = scene(`a0 r20-3000/200 ${calls}`, expires);
    const isFound = (found: string) => found.startsWith(rule);
    expect(foundIn(runOf(traffic)).filter(isFound)).toHaveLength(1);
    for (const ending of ENDINGS) expect(foundIn(runOf(traffic, ending)).filter(isFound)).toEqual([]);
  });

test('a rule is not passed where the client or the examiner ended the scenario that it takes', () => {
  const renewed = scene('a0 r20-3000/200 x3020 a3031 r3050-4000/200', expires);
  const stopped = scene('a0 r20-3000/200 x3020', 'agreed=6 name=403-html');
  const renewal = (ending?: (typeof ENDINGS)[number]) =>
    certificateOf([runOf(renewed), runOf(stopped, ending)]).rules.find(({ id }) => id === 'renewal')?.verdict;
  expect(renewal({ state: 'ended', ended: { code: 1 } })).toBe('failed');
  for (const ending of ENDINGS) expect(renewal(ending), JSON.stringify(ending)).toBe('could-not-run');
});
