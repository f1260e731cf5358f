/** Clients as the specification wants them, examined in this process by its clock, on a machine that may be busy. */
import { createRandom } from '../../../mocks/random.ts';
import type { Parts } from '../../../tests/client/corpus/client.ts';
import { reactive } from '../../../tests/client/corpus/parts.ts';
import { type ClientRun, examine } from '../examine.ts';
import { clientsInProcess, startProcessClock } from '../process-clock.ts';
import { type Scenario, scenarios } from '../scenarios.ts';

export interface Circumstances {
  processes?: number;
  deadlineSeconds?: number;
  /** Of each call whose answer the scenario does not script, as `80ms`. */
  delay?: string;
}

/** Before whatever the client does, up to this time goes by. */
export function busy(loadMs: number): Pick<Parts, 'beside' | 'send'> {
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

/** In all scenarios. */
export async function examined(
  behaviour: Partial<Parts>,
  { processes = 1, deadlineSeconds = 30, delay }: Circumstances = {},
): Promise<ClientRun[]> {
  using clock = startProcessClock();
  const delayed = ({ script, ...scenario }: Scenario): Scenario => ({
    ...scenario,
    script: (renewal) => [
      ...script(renewal),
      ...(delay === undefined
        ? []
        : [{ on: 'readData', do: { delay } } as const, { on: 'obtainToken', do: { delay } } as const]),
    ],
  });
  return await examine({
    ...{ scenarios: scenarios.map(delayed), processes, deadlineSeconds, clock },
    start: clientsInProcess(behaviour, { processes, pollSeconds: 0.2, clock }),
  });
}
