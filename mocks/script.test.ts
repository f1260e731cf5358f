import { expect, test } from 'vitest';
import { createClients } from './clients.ts';
import type { Action, ScriptedOperation, Step } from './contract/control-contract.ts';
import { createScripts } from './script.ts';

const clients = createClients(900);
const acme = clients.add({ id: 'acme', secret: 'x' });
const expire: Action = { expire: 'token' };

/** On which of this number of calls something is due. */
type Scripts = ReturnType<typeof createScripts>;

function dueOn(scripts: Scripts, calls: number, on: ScriptedOperation = 'readData', client = acme): number[] {
  const dues = Array.from({ length: calls }, () => scripts.count(client, on));
  return dues.flatMap((due, index) => (due ? index + 1 : []));
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
  ['every 3', { every: 3 }, [3, 6]],
  ['from 4 every 2', { from: 4, every: 2 }, [4, 6]],
  ['nth 4 every 2', { nth: 4, every: 2 }, [4]],
  ['nth 3 from 4', { nth: 3, from: 4 }, []],
  ['times 2', { times: 2 }, [1, 2]],
  ['from 3 times 2', { from: 3, times: 2 }, [3, 4]],
] as const)
  test(`a step with ${what} is due on ${calls.length > 0 ? `call ${calls.join(', ')}` : 'no call'}`, () => {
    expect(dueOn(given({ ...step, do: expire }), 7)).toEqual(calls);
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
