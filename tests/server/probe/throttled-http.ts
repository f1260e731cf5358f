/** HTTP that spares a deployment: paced, within a budget, and repeated where the deployment sends Retry-After. */
import type { Clock } from '../../support/clock.ts';
import { isLoopback } from '../../support/loopback.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';

export interface ThrottledHttp extends Http {
  /** How many requests were sent, repeated ones included. */
  sent(): number;
}

export interface Throttle {
  /** Between the beginnings of two requests. A deployment on this machine is not paced. */
  intervalMs: number;
  /** Requests in a whole run, repeated ones included. */
  budget: number;
  /** The longest `Retry-After` that is waited for. */
  maxRetryAfterSeconds: number;
  /** The most that a run waits in all: the forms of a run where ten a minute are answered. */
  maxWaitedSeconds: number;
}

/** The requests of a plan, and almost all of them once more. */
export const defaultThrottle: Throttle = {
  intervalMs: 200,
  budget: 160,
  maxRetryAfterSeconds: 60,
  maxWaitedSeconds: 180,
};

/** How often a request is repeated because the deployment asked for it. */
const REPEATS = 2;

export function createThrottledHttp(
  http: Http,
  clock: Clock,
  { intervalMs, budget, maxRetryAfterSeconds, maxWaitedSeconds }: Throttle = defaultThrottle,
): ThrottledHttp {
  let sent = 0;
  let nextAtMs = Number.NEGATIVE_INFINITY;
  let waitLeft = maxWaitedSeconds;

  async function exchangeOnce(request: HttpRequest) {
    if (sent === budget) return { failure: `was not asked, since this run has sent its ${budget} requests` };
    if (!isLoopback(request.url)) {
      const early = nextAtMs - clock.now();
      if (early > 0) await clock.sleep(early);
      nextAtMs = clock.now() + intervalMs;
    }
    sent += 1;
    return http.exchange(request);
  }

  return {
    async exchange(request) {
      let answer = await exchangeOnce(request);
      for (let repeat = 0; repeat < REPEATS && 'status' in answer; repeat++) {
        const seconds = retryAfter(answer);
        if (seconds === undefined || seconds > Math.min(maxRetryAfterSeconds, waitLeft)) break;
        waitLeft -= seconds;
        await clock.sleep(seconds * 1000);
        const waitedSeconds = (answer.waitedSeconds ?? 0) + seconds;
        answer = { ...(await exchangeOnce(request)), waitedSeconds };
      }
      return answer;
    },
    close: () => http.close(),
    sent: () => sent,
  };
}

/** Seconds in `Retry-After` of a 429 or 503: a number, or a date (RFC 9110 section 10.2.3). */
function retryAfter({ status, headers }: HttpResponse): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const value = headers.find(([name]) => name === 'retry-after')?.[1]?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value);
  // Of any other text, Date.parse makes a day of some year.
  const date = /^[A-Za-z]+, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}
