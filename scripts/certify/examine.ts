/** Leads a client through the scenarios: each with a mock of its own, so that every request there is the client's. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Played } from '../../tests/client/judge.ts';
import type { Scenario } from '../../tests/client/scenarios.ts';
import type { End, Scene } from '../../tests/client/scene.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { startMock, type Traffic } from '../index.ts';
import type { ClientVariables } from './client-variables.ts';
import { printable } from './redact-output.ts';

/** A client that runs. */
export interface RunningClient {
  /** Resolves when it has ended, by itself or not. */
  ended: Promise<End>;
  stop(): Promise<void>;
  /** What it printed. */
  output?(): string;
}

/** Starts the client for one scenario. */
export type StartClient = (variables: ClientVariables, scenario: string) => Promise<RunningClient>;

export interface Examination {
  start: StartClient;
  scenarios: readonly Scenario[];
  /** Folder for the files that hold the secrets. */
  scratch: string;
  profile?: string;
  /** So many share the client id. */
  processes?: number;
  /** For each scenario, from the start of the client. */
  deadlineSeconds?: number;
  /** So many scenarios at once; default: all. */
  atOnce?: number;
  /** Ends the examination early: what was seen is judged. */
  signal?: AbortSignal;
  /** Told of each scenario as it ends. */
  tell?(played: Examined): void;
  /** Told of an exception inside a mock. */
  onFault?(error: unknown): void;
  /** Told of each secret that a client is given. */
  secrets?: Secrets;
}

/** A scenario that was played, and what the client printed meanwhile, without the secrets of the mock. */
export interface Examined extends Played {
  output: string;
}

/** How often it is asked whether all has been seen. */
const LOOK_MS = 50;

/** Rejects where a client cannot be started; no other is left running then. */
export async function examine(examination: Examination): Promise<Examined[]> {
  const { scenarios, atOnce = scenarios.length, tell } = examination;
  const broken = new AbortController();
  const signal = AbortSignal.any([broken.signal, ...(examination.signal ? [examination.signal] : [])]);
  const shared: Shared = { secrets: createSecrets(), tokenNames: [], ...examination, signal };
  const results: Examined[] = [];
  const waiting = [...scenarios.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, scenario] = next;
      const played = signal.aborted ? skipped(scenario) : await play(scenario, shared);
      results[index] = played;
      tell?.(played);
    }
  };
  const endsAll = (error: unknown) => {
    broken.abort();
    throw error;
  };
  const lanes = Array.from({ length: atOnce }, () => lane().catch(endsAll));
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
  return results;
}

/** What a client prints in one scenario may be of another: its programs may share a file. */
interface Shared extends Examination {
  secrets: Secrets;
  tokenNames: ((value: string) => string | undefined)[];
}

async function play(scenario: Scenario, examination: Shared): Promise<Examined> {
  const { processes = 1, profile } = examination;
  const { agreedSeconds, lifetimesSeconds = [agreedSeconds] } = scenario;
  const id = `client-${randomBytes(4).toString('hex')}`;
  const secret = randomBytes(24).toString('base64url') + (scenario.secretEnd ?? '');
  examination.secrets.register(secret, 'client_secret');
  await using mock = await startMock({
    clients: [
      { id, secret, tokenLifetime: lifetimesSeconds, script: scenario.script?.(processes + 1) ?? [] },
    ],
    ...(profile !== undefined && { profile }),
    controlKey: false,
    ...(examination.onFault && { onFault: examination.onFault }),
  });
  examination.tokenNames.push(mock.tokenName);
  const file = join(examination.scratch, id);
  writeFileSync(file, secret, { mode: 0o600 });
  const client = await examination.start(
    {
      MRS_BASE_URL: mock.url,
      MRS_CLIENT_ID: id,
      MRS_CLIENT_SECRET: secret,
      MRS_CLIENT_SECRET_FILE: file,
      MRS_TOKEN_LIFETIME: String(agreedSeconds),
    },
    scenario.name,
  );
  const { traffic, state, ended } = await watch(
    client,
    () => mock.traffic(id),
    scenario,
    examination,
  ).finally(() => client.stop());
  const scene: Scene = {
    ...traffic,
    ...{ name: scenario.name, agreedSeconds, lifetimesSeconds, processes },
    ...(ended && { ended }),
  };
  const tokenName = (value: string) => examination.tokenNames.map((name) => name(value)).find(Boolean);
  const output = printable(client.output?.() ?? '', examination.secrets, tokenName);
  return { scene, summary: scenario.summary, state, output };
}

/** Until all has been seen, or no more will be: what was seen by then. What the client does on its way out is not judged. */
async function watch(
  client: RunningClient,
  look: () => Traffic,
  { isOver, agreedSeconds }: Scenario,
  { deadlineSeconds = 30, processes = 1, signal }: Examination,
): Promise<{ traffic: Traffic; state: Played['state']; ended?: End }> {
  let ended: End | undefined;
  void client.ended.then((end) => {
    ended = end;
  });
  const deadline = performance.now() + deadlineSeconds * 1000;
  for (;;) {
    await pause(LOOK_MS);
    const end = ended; // before the look, so that it shows the last calls of a client that has ended
    const traffic = look();
    if (isOver(traffic, agreedSeconds, processes) || isHopeless(traffic)) return { traffic, state: 'seen' };
    if (end) return { traffic, state: 'ended', ended: end };
    if (performance.now() > deadline || signal?.aborted)
      return { traffic, state: traffic.calls.length > 0 ? 'deadline' : 'silent' };
  }
}

/** Nothing that the client asks for is answered, and it goes on asking: more of it would show nothing. */
const isHopeless = ({ calls, durationMs }: Traffic): boolean =>
  durationMs > 5000 && calls.length >= 4 && !calls.some(({ status }) => status < 300);

function skipped({ name, summary, agreedSeconds, lifetimesSeconds = [agreedSeconds] }: Scenario): Examined {
  const scene = {
    name,
    agreedSeconds,
    lifetimesSeconds,
    processes: 1,
    calls: [],
    lives: [],
    durationMs: 0,
    lost: 0,
  };
  return { scene, summary, state: 'skipped', output: '' };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
