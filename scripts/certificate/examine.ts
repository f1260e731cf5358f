/** Leads a client through the scenarios: each with a mock of its own, so that every request there is the client's. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Played } from '../../mocks/certificate/judge.ts';
import type { Scenario } from '../../mocks/certificate/scenarios.ts';
import type { End, Scene } from '../../mocks/certificate/scene.ts';
import { type Mock, startMock, type Traffic } from '../../mocks/index.ts';
import type { ClientVariables } from './client-variables.ts';

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
}

/** A scenario that was played, and what the client printed meanwhile, without the secrets of the mock. */
export interface Examined extends Played {
  output: string;
}

/** How often it is asked whether all has been seen. */
const LOOK_MS = 50;

export async function examine(examination: Examination): Promise<Examined[]> {
  const { scenarios, atOnce = scenarios.length, tell } = examination;
  const results: Examined[] = [];
  const waiting = [...scenarios.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, scenario] = next;
      const played = examination.signal?.aborted ? skipped(scenario) : await play(scenario, examination);
      results[index] = played;
      tell?.(played);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane));
  const broken = lanes.find(({ status }) => status === 'rejected');
  if (broken) throw (broken as PromiseRejectedResult).reason;
  return results;
}

async function play(scenario: Scenario, examination: Examination): Promise<Examined> {
  const { processes = 1, deadlineSeconds = 30, profile, signal } = examination;
  const { agreedSeconds, lifetimesSeconds = [agreedSeconds] } = scenario;
  const id = `client-${randomBytes(4).toString('hex')}`;
  const secret = randomBytes(24).toString('base64url');
  await using mock = await startMock({
    clients: [
      { id, secret, tokenLifetime: lifetimesSeconds, script: scenario.script?.(processes + 1) ?? [] },
    ],
    ...(profile !== undefined && { profile }),
    controlKey: false,
    ...(examination.onFault && { onFault: examination.onFault }),
  });
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
  let ended: End | undefined;
  let state: Played['state'] | undefined;
  void client.ended.then((end) => {
    ended = end;
  });
  const deadline = performance.now() + deadlineSeconds * 1000;
  while (state === undefined) {
    await pause(LOOK_MS);
    const traffic = mock.traffic(id);
    if (scenario.isOver(traffic, agreedSeconds) || isHopeless(traffic)) state = 'seen';
    else if (ended) state = 'ended';
    else if (performance.now() > deadline || signal?.aborted)
      state = traffic.calls.length > 0 ? 'deadline' : 'silent';
  }
  const traffic = mock.traffic(id); // what the client does on its way out is not judged
  await client.stop();
  const scene: Scene = {
    ...traffic,
    ...{ name: scenario.name, agreedSeconds, lifetimesSeconds, processes },
    ...(state === 'ended' && ended && { ended }),
  };
  const output = withoutSecrets(client.output?.() ?? '', secret, mock);
  return { scene, summary: scenario.summary, state, output };
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

/** Tokens are told from other words by the mock that issued them. */
const withoutSecrets = (text: string, secret: string, mock: Mock): string =>
  text
    .replaceAll(secret, '‹client_secret›')
    .replace(/[\w-]{32}/g, (word) => (mock.tokenName(word) ? `‹token ${mock.tokenName(word)}›` : word));

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
