/** A service and its clients in a time that is made up: a scenario of a minute takes some milliseconds. */
import type { Step } from '../../../mocks/contract/control-types.ts';
import { secondsIn } from '../../../mocks/state/duration.ts';
import { asks, type Made, reads } from '../../../tests/client/testing/traffic.ts';
import type { Call, End, Life, ScenarioTraffic } from '../../../tests/client/traffic.ts';
import type { Scenario } from '../scenarios.ts';

export interface Answer {
  /** 0: the connection broke off. */
  status: number;
  token?: number;
  retryAfterSeconds?: number;
}

/** What a client has of it. */
export interface Service {
  agreedSeconds: number;
  now(): number;
  wait(ms: number): Promise<void>;
  obtain(): Promise<Answer>;
  read(token: number): Promise<Answer>;
}

/** Ends when it is done, with its exit code; a client that reads for ever never does. */
export type Program = (service: Service) => Promise<number>;

interface Circumstances {
  processes?: number;
  /** From the arrival of a request to its answer. */
  tookMs?: number;
  deadlineSeconds?: number;
}

const LOOK_MS = 100;

export async function play(
  program: Program,
  scenario: Scenario,
  circumstances: Circumstances = {},
): Promise<ScenarioTraffic> {
  const { processes = 1, tookMs = 4, deadlineSeconds = 30 } = circumstances;
  const { agreedSeconds, lifetimesSeconds } = scenario;
  const waiting: { at: number; wake: () => void }[] = [];
  const made: Made[] = [];
  const lives: Life[] = [];
  let now = 0;

  const wait = (ms: number) =>
    new Promise<void>((wake) => {
      const at = now + Math.max(0, ms);
      const behind = waiting.findIndex((one) => one.at > at);
      waiting.splice(behind === -1 ? waiting.length : behind, 0, { at, wake });
    });
  const due = dueOf(scenario.script(processes + 1), () => now);
  const endAll = () => {
    for (const life of lives) if (life.expiresMs > now) life.endedMs ??= now;
  };

  async function serve(on: 'obtainToken' | 'readData', told: (at: number) => Made): Promise<Answer> {
    const startMs = now;
    await wait(tookMs / 2);
    const steps = due(on, told(now));
    for (const { when, do: action } of steps) if (action.expire && when !== 'after') endAll();
    const { reset, answer } = Object.assign({}, ...steps.map((step) => step.do)) as Step['do'];
    const call = { ...told(now), startMs, ...(answer && scripted(answer.status ?? 200, answer.headers)) };
    if (answer?.status === 403) call.standing = standingOf(lives, call.token, now);
    if (on === 'obtainToken' && !answer) {
      const lifetime = lifetimesSeconds[Math.min(lives.length, lifetimesSeconds.length - 1)] ?? 0;
      call.token = lives.length + 1;
      lives.push({ number: call.token, issuedMs: now, expiresMs: now + lifetime * 1000 });
    }
    const delay = steps.map((step) => step.do.delay).find((one) => one !== undefined);
    await wait((delay === undefined ? 0 : secondsIn(delay as string) * 1000) + tookMs / 2);
    for (const { when, do: action } of steps) if (action.expire && when === 'after') endAll();
    made.push({ ...call, endMs: now, ...(reset && { ended: 'reset' }) });
    const { status, token, retryAfterSeconds } = call;
    return {
      status: reset ? 0 : status,
      ...(token !== undefined && { token }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    };
  }

  const service: Service = {
    agreedSeconds,
    wait,
    now: () => now,
    obtain: () => serve('obtainToken', (at) => asks(at)),
    read: (token) =>
      serve('readData', (at) => {
        const standing = standingOf(lives, token, at);
        return reads(at, token, {
          atMs: at,
          ...(standing === 'expired' && { status: 403, reason: 'expired', standing }),
        });
      }),
  };

  let ended: End | undefined;
  const runs = Array.from({ length: processes }, () => program(service));
  void Promise.all(runs).then(([code = 0]) => {
    ended = { code };
  });
  for (let look = LOOK_MS; ; look += LOOK_MS) {
    for (;;) {
      await new Promise(setImmediate); // whoever was woken goes on until it waits again
      const next = waiting[0];
      if (!next || next.at > look) break;
      waiting.shift();
      now = next.at;
      next.wake();
    }
    now = look;
    const traffic = trafficOf(made, lives, now);
    const isOver = scenario.isOver(traffic, agreedSeconds, processes);
    if (isOver || ended || now > deadlineSeconds * 1000)
      return {
        ...traffic,
        name: scenario.name,
        agreedSeconds,
        lifetimesSeconds,
        processes,
        ...(!isOver && ended && { ended }),
      };
  }
}

const standingOf = (lives: readonly Life[], token: number | undefined, at: number): 'valid' | 'expired' => {
  const life = lives.find(({ number }) => number === token);
  return life && at < Math.min(life.expiresMs, life.endedMs ?? life.expiresMs) ? 'valid' : 'expired';
};

function scripted(status: number, headers: object | undefined): Partial<Made> {
  const retryAfter = Number((headers as Record<string, string> | undefined)?.['retry-after']);
  return { status, reason: 'script', ...(retryAfter >= 0 && { retryAfterSeconds: retryAfter }) };
}

/** The steps that act on the next call of an operation. */
function dueOf(script: readonly Step[], now: () => number) {
  const counts = { obtainToken: 0, readData: 0 };
  const begun = new Map<Step, number>();
  const times = new Map<Step, number>();
  const used = new Set<number | undefined>();
  return (on: keyof typeof counts, { token, status }: Made): Step[] => {
    const nth = ++counts[on];
    const isReused = status === 200 && used.has(token);
    if (on === 'readData' && status === 200) used.add(token);
    return script.filter((step) => {
      if ((step.on ?? 'readData') !== on) return false;
      if (step.nth !== undefined ? step.nth !== nth : nth < (step.from ?? 1)) return false;
      if (step.reused && !begun.has(step) && !isReused) return false;
      if ((times.get(step) ?? 0) >= (step.times ?? Number.POSITIVE_INFINITY)) return false;
      times.set(step, (times.get(step) ?? 0) + 1);
      if (!begun.has(step)) begun.set(step, now());
      return step.ttl === undefined || now() - (begun.get(step) ?? 0) < secondsIn(step.ttl) * 1000;
    });
  };
}

function trafficOf(made: readonly Made[], lives: readonly Life[], now: number) {
  const inOrder = [...made].sort((a, b) => a.startMs - b.startMs);
  const first = inOrder[0]?.startMs ?? 0;
  const moved = (ms: number) => ms - first;
  return {
    calls: inOrder.map(
      (one, index): Call => ({
        ...one,
        id: index + 1,
        startMs: moved(one.startMs),
        endMs: moved(one.endMs),
        atMs: moved(one.atMs),
      }),
    ),
    lives: lives.map(({ issuedMs, expiresMs, endedMs, number }) => ({
      number,
      issuedMs: moved(issuedMs),
      expiresMs: moved(expiresMs),
      ...(endedMs !== undefined && { endedMs: moved(endedMs) }),
    })),
    durationMs: inOrder.length === 0 ? 0 : moved(now),
    lost: 0,
  };
}
