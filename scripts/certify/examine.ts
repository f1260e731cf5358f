/** Runs a client program through the scenarios: each with a mock of its own, so that every request there is the client's. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScenarioRun } from '../../tests/client/judge.ts';
import { isHopeless } from '../../tests/client/scenarios.ts';
import type { End, ScenarioTraffic, Stall, Statement } from '../../tests/client/traffic.ts';
import { realClock } from '../../tests/support/clock.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { startMock, type Traffic } from '../mock/index.ts';
import type { ProcessClock } from './process-clock.ts';
import { type RunningClient, redactOutput, type StartClient } from './program.ts';
import { deadlineOf, type Scenario } from './scenarios.ts';

export interface ExamineOptions {
  start: StartClient;
  scenarios: readonly Scenario[];
  /** Folder for the files that hold the secrets; without it, there are none. */
  scratch?: string;
  profile?: string | undefined;
  processes?: number;
  /** For each scenario, from the start of the client; default 30, and the time that its tokens take to expire if that was set. */
  deadlineSeconds?: number | undefined;
  /** Number of scenarios that run at the same time; default: all. */
  atOnce?: number | undefined;
  /** Ends the examination early: what was seen is judged, and no other scenario begins. */
  signal?: AbortSignal;
  /** Called for an exception inside a mock. */
  onFault?(error: unknown): void;
  /** Of clients that run in this process and go by it too; default: real time. */
  clock?: ProcessClock;
  /** Collects each secret and token that a client is given; without it, nothing that a client prints is kept. */
  secrets?: Secrets;
}

/** One scenario, and what the client printed meanwhile, without the secrets of the mock. */
type ClientRun = ScenarioRun & { output: string };

/** What all scenarios share. */
interface Examination extends ExamineOptions {
  stalls: StallRecorder | undefined;
  signal: AbortSignal;
  onCall(): void;
}

/** After this number of scenarios in which a client ended before its first call, the others would show the same. */
const FALSE_STARTS = 2;

/**
 * The scenarios that were begun; of a client that does not start, the first of them. Rejects if a client cannot be started; no
 * other client is left running then.
 */
export async function examine(options: ExamineOptions): Promise<ClientRun[]> {
  const { scenarios, atOnce = scenarios.length, secrets } = options;
  // A clock of the process leaves out the time in which it got no turn.
  using stalls = options.clock ? undefined : recordStalls();
  const broken = new AbortController();
  const futile = new AbortController();
  const ends = [broken.signal, futile.signal, ...(options.signal ? [options.signal] : [])];
  const signal = AbortSignal.any(ends);
  let calls = 0;
  const runs: ClientRun[] = [];
  const waiting = [...scenarios.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next && !signal.aborted; next = waiting.shift()) {
      const [index, scenario] = next;
      const run = await play(scenario, { ...options, signal, stalls, onCall: () => calls++ });
      if (futile.signal.aborted) return;
      runs[index] = run;
      const starts = runs.flat();
      if (calls === 0 && starts.length >= FALSE_STARTS && starts.every(({ state }) => state === 'ended'))
        futile.abort();
    }
  };
  const workers = Array.from({ length: atOnce }, () =>
    work().catch((error: unknown) => {
      broken.abort();
      throw error;
    }),
  );
  await Promise.allSettled(workers);
  await Promise.all(workers);
  // Only now are all tokens known: programs may share a file. And the search keeps no other scenario waiting.
  return runs.flat().map((run) => ({ ...run, output: secrets ? redactOutput(run.output, secrets) : '' }));
}

async function play(scenario: Scenario, examination: Examination): Promise<ClientRun> {
  const { processes = 1, profile, onFault, secrets, stalls, clock, scratch } = examination;
  const { name, lifetimesSeconds, agreedSeconds, longLived, served, summary } = scenario;
  const fileName = `client-${randomBytes(4).toString('hex')}`;
  const id = fileName + scenario.idSuffix;
  const secret = randomBytes(24).toString('base64url') + scenario.secretSuffix;
  secrets?.register(secret, 'client_secret');
  await using mock = await startMock({
    clients: [{ id, secret, tokenLifetime: lifetimesSeconds, script: scenario.script(processes + 1) }],
    controlKey: false,
    ...(profile !== undefined && { profile }),
    ...(onFault && { onFault }),
    ...(clock && { now: clock.date, sleep: clock.delay }),
    ...scenario.mock,
  });
  if (secrets) mock.onToken((value, token) => secrets.register(value, `token ${token}`));
  const file = scratch === undefined ? '' : join(scratch, fileName);
  if (file) writeFileSync(file, secret, { mode: 0o600 });
  const statements: Statement[] = [];
  let answered = 0;
  mock.onExchange(() => {
    answered++;
    examination.onCall();
  });
  const variables = {
    MRS_BASE_URL: mock.url,
    MRS_DATA_URL: mock.url + mock.operations.find((one) => one.id === 'readData')?.path,
    MRS_CLIENT_ID: id,
    MRS_CLIENT_SECRET: secret,
    MRS_CLIENT_SECRET_FILE: file,
    MRS_TOKEN_LIFETIME: String(agreedSeconds),
  };
  const client = await examination.start(variables, name, (records) =>
    statements.push({ after: answered, records }),
  );
  /** The traffic when `seen` exchanges were answered: it is read again only when there are more. */
  let last: { seen: number; traffic: Traffic; beganMs: number } | undefined;
  const look = (): ScenarioTraffic => {
    if (last?.seen !== answered) {
      const traffic = mock.traffic(id);
      const beganMs = performance.now() - traffic.durationMs;
      last = { seen: answered, traffic: clock ? clock.show(traffic) : traffic, beganMs };
    }
    const { traffic, beganMs } = last;
    const timeAt = clock?.at ?? Number;
    const durationMs = traffic.calls.length > 0 ? timeAt(performance.now()) - timeAt(beganMs) : 0;
    return {
      ...{ ...traffic, durationMs, name, agreedSeconds, lifetimesSeconds, processes },
      ...(longLived !== undefined && { longLived }),
      ...(stalls && { stalls: stalls.since(performance.now() - durationMs) }),
      ...(served !== undefined && { served, statements: statements.slice() }),
    };
  };
  const seen = await watch(client, look, scenario, examination).finally(client.stop);
  return { ...seen, summary, output: client.output?.() ?? '' };
}

/** How often it looks. */
const LOOK_MS = 200;

/** Until all has been seen, or no more will be. What the client does after that, on its way out, is not judged. */
async function watch(
  client: RunningClient,
  look: () => ScenarioTraffic,
  scenario: Scenario,
  { deadlineSeconds = deadlineOf(scenario), signal, clock }: Examination,
): Promise<Omit<ScenarioRun, 'summary'>> {
  const { now, sleep } = clock ?? realClock;
  let ended: End | undefined;
  void client.ended.then((end) => {
    ended = end;
  });
  const deadline = now() + deadlineSeconds * 1000;
  for (;;) {
    const end = ended; // before the look, so that it shows the last calls of a client that has ended
    const traffic = look();
    const isOver = scenario.isOver(traffic) || isHopeless(traffic);
    // A client that failed by itself did so whatever else is over by now: on a busy machine, the look may come late.
    if (end && (end.code || !isOver)) return { traffic: { ...traffic, ended: end }, state: 'ended' };
    if (isOver) return { traffic, state: 'seen' };
    if (signal.aborted) return { traffic, state: 'interrupted' };
    if (now() > deadline) return { traffic, state: traffic.calls.length > 0 ? 'deadline' : 'silent' };
    // By a clock of the process, all scenarios look in the same moment, which is one less to wait for.
    await sleep(clock ? LOOK_MS - (now() % LOOK_MS) : LOOK_MS);
  }
}

/** Times in which this process got no turn: what happened meanwhile was recorded late. */
interface StallRecorder extends Disposable {
  /** All until now, counted from this time of the recorder's clock: those before it have a negative time. */
  since(fromMs: number): Stall[];
}

const TICK_MS = 10;
/** A shorter one changes no verdict. */
const SHORTEST_MS = 50;

/** `now` is a monotonic clock in milliseconds. Stop it with its dispose method. */
export function recordStalls(now: () => number = () => performance.now()): StallRecorder {
  const stalls: Stall[] = [];
  let last = now();
  const tick = () => {
    const at = now();
    if (at - last >= TICK_MS + SHORTEST_MS) stalls.push({ startMs: last + TICK_MS, endMs: at });
    last = at;
  };
  const timer = setInterval(tick, TICK_MS);
  return {
    since(fromMs) {
      tick(); // the one that has just ended
      return stalls.map(({ startMs, endMs }) => ({ startMs: startMs - fromMs, endMs: endMs - fromMs }));
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
