/** `mrs certify --listen`: a mock, a client that the user starts, and what was seen of it. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ScenarioRun } from '../../../tests/client/judge.ts';
import { createTemporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { startMock } from '../../index.ts';
import type { Scenario } from '../scenario-catalogue.ts';
import { draw, listenSecret } from './client-secret.ts';
import { listenGreeting } from './greeting.ts';
import { listen } from './listen.ts';
import { listenProgress } from './progress.ts';
import { termsOf } from './token-terms.ts';

export interface ListenRun {
  port: number;
  host: string;
  client: string;
  agreedSeconds: number;
  scenarios: readonly Scenario[];
  /** Names of those that the user left out. */
  leftOut: readonly string[];
  processes: number;
  deadlineSeconds?: number;
  profile?: string;
  signal: AbortSignal;
  /** Called for an exception inside the mock. */
  onFault(error: unknown): void;
  /** Called with each value that must appear nowhere, and its name. */
  onSecret(value: string, name: string): void;
  /** The mock listens: nothing that the user could correct is in the way. */
  onReady(): void;
}

/**
 * Throws UsageError and MockError for what the user can correct. Leaves no files. The client keeps its secret: a scenario
 * about one that a form has to encode is played only if the client has such a secret, as a drawn one is.
 */
export async function listenRun(run: ListenRun): Promise<ScenarioRun[]> {
  const { port, host, client, agreedSeconds, processes, deadlineSeconds, profile, signal } = run;
  const folder = createTemporaryFolder('mrs-certify-');
  const clear = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear); // a second Ctrl-C
  const progress = listenProgress(process.stderr);
  try {
    const secret = listenSecret(process.env, folder);
    const isOdd = encodeURIComponent(secret.value) !== secret.value;
    const scenarios = run.scenarios.filter(({ secretSuffix }) => secretSuffix === '' || isOdd);
    const unfit = run.scenarios.filter((one) => !scenarios.includes(one)).map(({ name }) => name);
    const given = process.env.MRS_MOCK_CONTROL_KEY;
    const key = given ? { value: given } : draw(join(folder, 'control-key'));
    run.onSecret(secret.value, 'client_secret');
    run.onSecret(key.value, 'control key');
    await using mock = await startMock({
      port,
      host,
      controlKey: key.value,
      onFault: run.onFault,
      clients: [{ id: client, secret: secret.value, tokenLifetime: agreedSeconds }],
      ...(profile !== undefined && { profile }),
    });
    run.onReady();
    const terms = scenarios.map((scenario) => termsOf(scenario, agreedSeconds));
    const keyFile = 'file' in key ? { keyFile: key.file } : {};
    console.log(listenGreeting({ mock, host, client, agreedSeconds, secret, ...keyFile, terms }));
    return await listen({
      mock,
      client,
      agreedSeconds,
      scenarios,
      leftOut: [...run.leftOut, ...unfit],
      processes,
      signal,
      onStatus: progress.show,
      onScenarioEnd: (run, examination) => progress.end(run, examination.certificate()),
      ...(deadlineSeconds !== undefined && { deadlineSeconds }),
    });
  } finally {
    progress.close();
    process.off('exit', clear);
    clear();
  }
}
