import { expect, _baseTest as test } from '@playwright/test';
import { type Client, createClients } from '../clients.ts';
import type { Action, ScriptedOperation, Step } from '../contract/control-types.ts';
import { createRandom } from '../random.ts';
import { createScripts, type Scripts, type TriggeredSteps } from '../rules.ts';

const clients = createClients(900);
const [acme, other] = ['acme', 'other'].map((id) => clients.add({ id, secret: 'x' })) as [Client, Client];
const expire: Action = { expire: 'token' };

/** On which of so many calls something is due. */
function dueOn(scripts: Scripts, calls: number, on: ScriptedOperation = 'readData', client = acme): number[] {
  const dues = Array.from({ length: calls }, () => scripts.count(client, on));
  return dues.flatMap((due) => due?.call ?? []);
}

/** A script that was given to acme. */
function given(...steps: Step[]): Scripts {
  const scripts = createScripts(() => 0);
  scripts.give(acme, steps);
  return scripts;
}

for (const [what, step, calls] of [
  ['neither nth nor from nor every', {}, [1, 2, 3, 4, 5, 6, 7]],
  ['nth 1', { nth: 1 }, [1]],
  ['nth 3', { nth: 3 }, [3]],
  ['from 5', { from: 5 }, [5, 6, 7]],
  ['every 1', { every: 1 }, [1, 2, 3, 4, 5, 6, 7]],
  ['every 3', { every: 3 }, [3, 6]],
  ['from 4 every 2', { from: 4, every: 2 }, [4, 6]],
  ['nth 4 every 2', { nth: 4, every: 2 }, [4]],
  ['nth 3 every 2', { nth: 3, every: 2 }, []],
  ['nth 3 from 4', { nth: 3, from: 4 }, []],
  ['times 2', { times: 2 }, [1, 2]],
  ['from 3 times 2', { from: 3, times: 2 }, [3, 4]],
  ['every 2 times 2', { every: 2, times: 2 }, [2, 4]],
] as const)
  test(`a step with ${what} is due on ${calls.length > 0 ? `call ${calls.join(', ')}` : 'no call'}`, () => {
    expect(dueOn(given({ ...step, do: expire }), 7)).toEqual(calls);
  });

test('a step that begins with a used token waits for one, and then acts on every token', () => {
  const scripts = given({ from: 2, reused: true, do: expire }, { on: 'obtainToken', nth: 9, do: expire });
  const calls = (...tokens: (number | undefined)[]) =>
    tokens.map((token) => scripts.count(acme, 'readData', token)?.call);
  expect(calls(1, 2, undefined, 3)).toEqual([undefined, undefined, undefined, undefined]);
  scripts.count(acme, 'obtainToken', 9);
  expect(calls(9, 9, 10)).toEqual([undefined, 6, 7]);
});

test('a step is for the data by default, and counts only the calls of its operation', () => {
  const scripts = given({ nth: 2, do: expire }, { on: 'obtainToken', nth: 1, do: { sameToken: true } });
  expect([dueOn(scripts, 3, 'obtainToken'), dueOn(scripts, 3)]).toEqual([[1], [2]]);
});

test('every client has its own count, and its own script', () => {
  const scripts = given({ nth: 2, do: expire });
  scripts.give(other, [{ nth: 2, do: { advance: 1 } }]);
  expect(dueOn(scripts, 1)).toEqual([]);
  expect(scripts.count(other, 'readData')).toBeUndefined();
  expect(scripts.count(other, 'readData')).toMatchObject({ before: [{ advance: 1 }] });
  expect(scripts.count(acme, 'readData')).toMatchObject({ before: [expire] });
  scripts.give(other, []);
  expect([scripts.of(other), scripts.of(acme).length]).toEqual([[], 1]);
});

test('what is due has its operation, its call, its steps by number, and what is done when', () => {
  const [first, second] = [{ advance: 1 }, { advance: 2 }] as const;
  const [third, fourth] = [{ advance: 3 }, { cut: 4 }] as const;
  const scripts = given(
    { when: 'after', do: first },
    { nth: 2, do: expire },
    { when: 'during', do: second },
    { when: 'before', do: third },
    { do: fourth },
  );
  expect(scripts.count(acme, 'readData')).toEqual({
    on: 'readData',
    call: 1,
    steps: [1, 3, 4, 5],
    before: [third, fourth],
    during: [second],
    after: [first],
  } satisfies TriggeredSteps);
});

test('a step with a ttl is due for so long from its first time on, on the clock', () => {
  let now = 50_000;
  const scripts = createScripts(() => now);
  scripts.give(acme, [{ from: 2, ttl: '30s', do: expire }]);
  const seen = [50_000, 70_000, 70_001, 99_999, 100_000, 200_000, 99_999].map((moment) => {
    now = moment;
    return dueOn(scripts, 1).length;
  });
  expect(seen).toEqual([0, 1, 1, 1, 0, 0, 1]);
});

test('a step with a ttl of nothing is due once', () => {
  expect(dueOn(given({ ttl: 0, do: expire }), 3)).toEqual([1]);
});

test('given again, a script counts its calls, its times and its ttl anew', () => {
  let now = 0;
  const scripts = createScripts(() => now);
  const steps: Step[] = [
    { nth: 2, do: expire },
    { times: 1, do: { advance: 1 } },
    { ttl: 5, do: { advance: 2 } },
  ];
  const applySteps = () => [1, 2, 3].map(() => scripts.count(acme, 'readData')?.steps);
  scripts.give(acme, steps);
  const first = applySteps();
  expect(first).toEqual([[2, 3], [1, 3], [3]]);
  now = 60_000;
  scripts.give(acme, steps);
  expect(applySteps()).toEqual(first);
});

test('without a script nothing is counted: its first call is number 1', () => {
  const scripts = createScripts(() => 0);
  expect([scripts.of(acme), dueOn(scripts, 5)]).toEqual([[], []]);
  scripts.give(acme, [{ nth: 1, do: expire }]);
  expect(dueOn(scripts, 2)).toEqual([1]);
});

test('later changes to the steps of the caller do not change the script', () => {
  const steps: Step[] = [{ nth: 1, do: { answer: { status: 200, body: { ods_data: [] } } } }];
  const scripts = given(...steps);
  const before = structuredClone(scripts.of(acme));
  Object.assign(steps[0]?.do.answer ?? {}, { status: 500 });
  Object.assign(steps[0] ?? {}, { nth: 2 });
  expect(scripts.of(acme)).toEqual(before);
  expect(dueOn(scripts, 2)).toEqual([1]);
});

test('a script with what no JSON holds can be saved', () => {
  const scripts = given({ do: { add: { x: () => 1, y: 2 } } });
  scripts.save()();
  expect(scripts.of(acme)).toEqual([{ do: { add: { y: 2 } } }]);
});

for (const seed of ['one', 'two'])
  test(`what was saved goes on as if nothing had come after, as often as it is restored: ${seed}`, () => {
    const { share } = createRandom(seed);
    let draws = 0;
    let now = 0;
    const delayMs = (below: number) => Math.floor(below * share(`${++draws}`));
    const scripts = createScripts(() => now);
    const step = (): Step => ({
      on: delayMs(2) === 0 ? 'obtainToken' : 'readData',
      do: { advance: draws },
      ...[{}, { nth: 1 + delayMs(9) }, { from: 1 + delayMs(5) }, { every: 1 + delayMs(3) }][delayMs(4)],
      ...[{}, { times: 1 + delayMs(3) }, { ttl: delayMs(40) }][delayMs(3)],
    });
    const happen = () => {
      const client = delayMs(2) === 0 ? acme : other;
      now += delayMs(10_000);
      if (delayMs(12) === 0) scripts.give(client, Array.from({ length: delayMs(5) }, step));
      return scripts.count(client, delayMs(2) === 0 ? 'obtainToken' : 'readData');
    };
    for (let nth = 0; nth < 60; nth++) {
      for (let more = 0; more < 5; more++) happen();
      const saved = { draws, now, scripts: [scripts.of(acme), scripts.of(other)] };
      const restore = scripts.save();
      const runs = [1, 2, 3].map(() => {
        ({ draws, now } = saved);
        restore();
        expect([scripts.of(acme), scripts.of(other)]).toEqual(saved.scripts);
        return Array.from({ length: 20 }, happen);
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });
