/** Clients as the specification wants them, for the service that is made up. */
import { createRandom } from '../../../mocks/state/random.ts';
import type { Program, Service } from './made-up-service.ts';

export interface Habits {
  /** Whether a 403 makes it renew. */
  reacts: boolean;
  /** At which share of the agreed lifetime it renews; absent: not by its clock. */
  renewsAt?: number;
  /** The same, so many seconds before the end, or at half of a lifetime that is shorter. */
  marginSeconds?: number;
  /** Whether a timer renews, instead of the next call. */
  byTimer?: boolean;
  readers?: number;
  pauseMs?: number;
  /** What it waits before it makes a refused call again. */
  backOffMs?: number;
  /** Up to so many milliseconds go by before whatever it does: a machine with too much to do. */
  loadMs?: number;
  /** Ends with this exit code where a fresh token is refused too. */
  givesUp?: number;
}

export function programOf(habits: Habits): Program {
  const { reacts, byTimer, readers = 1, pauseMs = 100, backOffMs = 0, loadMs = 0, givesUp } = habits;
  return async (service) => {
    const { now, agreedSeconds } = service;
    const { share } = createRandom(JSON.stringify(habits));
    let draws = 0;
    const wait = (ms: number) => service.wait(ms + loadMs * share(`${++draws}`));
    let token: number | undefined;
    let renewAt = Number.POSITIVE_INFINITY;
    let underWay: Promise<void> | undefined;

    const renew = () => {
      underWay ??= obtainAtLast(service, wait)
        .then(([got, at]) => {
          token = got;
          renewAt = at + renewalAfter(habits, agreedSeconds) * 1000;
        })
        .finally(() => {
          underWay = undefined;
        });
      return underWay;
    };

    const turn = async (): Promise<boolean> => {
      await wait(0);
      if (underWay || token === undefined || (!byTimer && now() >= renewAt)) await renew();
      for (let attempt = 1; ; attempt++) {
        const sent = token ?? 0;
        const { status } = await service.read(sent);
        if (status === 0) return true; // with the next turn
        if (status !== 403) return true;
        if (!reacts || attempt === 2) return !(attempt === 2 && givesUp !== undefined);
        await wait(0);
        if (token === sent) await renew();
        await wait(backOffMs);
      }
    };

    const reader = async (): Promise<number> => {
      while (await turn()) await wait(pauseMs);
      return givesUp ?? 0;
    };
    const timer = async (): Promise<never> => {
      for (;;) {
        await service.wait(Math.min(renewAt - now(), 100));
        if (now() >= renewAt) await renew();
      }
    };
    await renew();
    if (byTimer) void timer();
    return Promise.race(Array.from({ length: readers }, reader));
  };
}

const renewalAfter = ({ renewsAt, marginSeconds }: Habits, agreedSeconds: number): number => {
  if (marginSeconds !== undefined) return Math.max(agreedSeconds - marginSeconds, agreedSeconds / 2);
  return renewsAt === undefined ? Number.POSITIVE_INFINITY : agreedSeconds * renewsAt;
};

/** Tries until there is one, each time after a longer pause; with the time at which it was asked for. */
async function obtainAtLast(service: Service, wait: Service['wait']): Promise<[token: number, at: number]> {
  for (let pauseMs = 500; ; pauseMs *= 2) {
    const at = service.now();
    const { token, retryAfterSeconds } = await service.obtain();
    if (token !== undefined) return [token, at];
    await wait(retryAfterSeconds === undefined ? pauseMs : retryAfterSeconds * 1000);
  }
}
