/** The moments through which a client is led, and when each has shown what it is for. */

import type { Step } from '../../mocks/contract/control-types.ts';
import {
  dataCalls,
  endOf,
  heldAtStart,
  isIssue,
  isRefused,
  isServed,
  overdueFrom,
  tokenCalls,
} from './scene.ts';
import type { Call, Traffic } from './traffic.ts';

export interface Scenario {
  name: string;
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** What the client is told of its tokens' life. */
  agreedSeconds: number;
  /** How long its first token lives, its second and so on; without it, as agreed. */
  lifetimesSeconds?: readonly number[];
  /** What the client's secret ends with, besides letters and digits. */
  secretEnd?: string;
  /** `renewal` is the number of the token request that takes the place of the first token; 1 where the client has one. */
  script?(renewal: number): Step[];
  /** Whether all has been seen that it is for. */
  isOver(traffic: Traffic, agreedSeconds: number, processes: number): boolean;
  /** What has to be seen, as the rest of a sentence that begins with "waits for". */
  waitsFor: string;
}

const unavailable = { status: 503, body: { error: 'temporarily_unavailable' } };
const page = '<!doctype html><title>403</title><h1>Forbidden</h1>\n';

/** Enough of calls that bring nothing new. */
const MOST_CALLS = 1500;

const sinceLast = (call: Call | undefined, nowMs: number): number => (call ? nowMs - call.endMs : 0);

/** The client goes on with a token that is refused, although its own clock told it by then to renew. */
export function isStuck({ calls, lives }: Traffic, agreedSeconds: number): boolean {
  if (calls.length >= MOST_CALLS) return true;
  const lastServed = calls.findLast(isServed)?.id ?? 0;
  const overdue = calls.filter((call) => {
    const life = lives.find(({ number }) => number === call.token);
    return isRefused(call) && call.id > lastServed && life && call.atMs > overdueFrom(life, agreedSeconds);
  });
  return overdue.length >= 3;
}

/** So many tokens' time is over, and the client reads on. */
const hasOutlived =
  (tokens: number): Scenario['isOver'] =>
  (traffic, agreedSeconds) => {
    const { calls, durationMs: nowMs } = traffic;
    const lives = traffic.lives.filter((life) => endOf(life) > 0); // others were over before it began
    const past = lives.filter((life) => endOf(life) <= nowMs).length;
    const used = new Set(calls.filter(isServed).map(({ token }) => token)).size;
    const [first] = lives;
    const isPast = first && nowMs > first.issuedMs + tokens * (first.expiresMs - first.issuedMs);
    const last = lives[tokens - 1];
    const after = calls.filter((call) => isServed(call) && last && call.atMs > endOf(last));
    return (
      (Boolean(isPast) && past >= tokens && used > tokens && after.length >= 2) ||
      isStuck(traffic, agreedSeconds)
    );
  };

/** The token was ended, and the client reads with a newer one, whether it met the refusal or not. */
const isBackAfterEnd: Scenario['isOver'] = (traffic, agreedSeconds) => {
  const { calls, lives, durationMs } = traffic;
  const ended = lives.find(({ endedMs }) => endedMs !== undefined);
  const after = calls.filter((call) => isServed(call) && ended && (call.token ?? 0) > ended.number);
  const issue = calls.find((call) => isIssue(call) && ended && (call.token ?? 0) > ended.number);
  const isBack = issue !== undefined && after.length >= 3 && sinceLast(issue, durationMs) >= 500;
  return isBack || isStuck(traffic, agreedSeconds);
};

/** The token request that is disturbed has brought a token at last, and three reads were made since. */
const isBackAfterRenewal: Scenario['isOver'] = (traffic, _, processes) => {
  const { calls, durationMs: nowMs } = traffic;
  const first = Math.max(0, processes - heldAtStart(traffic).length);
  const issue = tokenCalls(traffic).slice(first).find(isIssue);
  const served = calls.filter((call) => isServed(call) && issue && call.startMs >= issue.endMs);
  return (served.length >= 3 && sinceLast(issue, nowMs) >= 500) || calls.length >= MOST_CALLS;
};

const endToken = (step: Step): Step => ({ ...step, do: { ...step.do, expire: 'client' } });

export const scenarios: readonly Scenario[] = [
  {
    name: 'steady',
    summary: 'nothing goes wrong: one token is enough',
    agreedSeconds: 900,
    isOver({ calls, durationMs: nowMs }, agreedSeconds) {
      const served = calls.filter(isServed);
      return (
        (served.length >= 6 && nowMs - (served[0]?.startMs ?? 0) >= Math.min(6000, agreedSeconds * 300)) ||
        calls.length >= MOST_CALLS
      );
    },
    waitsFor: 'six reads, over six seconds or more',
  },
  {
    name: 'odd-secret',
    summary: 'the client secret holds + & % and =, which a form has to encode',
    agreedSeconds: 900,
    secretEnd: '+&%=',
    isOver: ({ calls }) => calls.filter(isServed).length >= 2 || calls.length >= MOST_CALLS,
    waitsFor: 'two reads',
  },
  {
    name: 'expires',
    summary: 'the token expires when it was agreed to',
    agreedSeconds: 3,
    isOver: hasOutlived(1),
    waitsFor: 'the end of a token, and two reads after it',
  },
  {
    name: 'expires-again',
    summary: 'three tokens expire, one after the other',
    agreedSeconds: 2,
    isOver: hasOutlived(3),
    waitsFor: 'the end of three tokens, and two reads after it',
  },
  {
    name: 'shorter-than-agreed',
    summary: 'tokens live a third of what was agreed',
    agreedSeconds: 6,
    lifetimesSeconds: [2],
    isOver: hasOutlived(2),
    waitsFor: 'the end of two tokens, and two reads after it',
  },
  {
    name: 'ended-early',
    summary: 'the token is ended after the 2nd read: the next is answered with 403',
    agreedSeconds: 6,
    script: () => [endToken({ nth: 2, when: 'after', do: {} })],
    isOver: isBackAfterEnd,
    waitsFor: 'three reads with a new token, after its token has ended',
  },
  {
    name: 'parallel',
    summary: 'reads take a moment, the token ends after the 3rd, and a new one takes a second',
    agreedSeconds: 6,
    script: (renewal) => [
      { do: { delay: '100ms' } },
      endToken({ nth: 3, when: 'after', do: {} }),
      { on: 'obtainToken', from: renewal, do: { delay: '1s' } },
    ],
    isOver: isBackAfterEnd,
    waitsFor: 'three reads with a new token, after its token has ended',
  },
  {
    name: '403-stays',
    summary: 'from the 3rd read on every answer is a 403, whatever the token',
    agreedSeconds: 900,
    script: () => [{ from: 3, do: { answer: { status: 403, example: 'insufficient-scope' } } }],
    isOver(traffic) {
      const nowMs = traffic.durationMs;
      const refused = dataCalls(traffic).filter(isRefused);
      const since = refused[0] ? nowMs - refused[0].endMs : 0;
      return (since >= 4000 && refused.length >= 4) || since >= 10_000 || traffic.calls.length >= MOST_CALLS;
    },
    waitsFor: 'four seconds of reads that are refused',
  },
  {
    name: '403-empty',
    summary: 'the 3rd read finds its token ended, and the 403 has no body',
    agreedSeconds: 6,
    script: () => [endToken({ nth: 3, outsideContract: true, do: { answer: { status: 403, body: '' } } })],
    isOver: isBackAfterEnd,
    waitsFor: 'three reads with a new token, after its token has ended',
  },
  {
    name: '403-html',
    summary: 'the 3rd read finds its token ended, and the 403 is a page of HTML',
    agreedSeconds: 6,
    script: () => [
      endToken({
        nth: 3,
        outsideContract: true,
        do: { answer: { status: 403, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page } },
      }),
    ],
    isOver: isBackAfterEnd,
    waitsFor: 'three reads with a new token, after its token has ended',
  },
  {
    name: 'token-down',
    summary: 'when the token is to be renewed, the token endpoint answers 503 for three seconds',
    agreedSeconds: 3,
    script: (renewal) => [
      { on: 'obtainToken', from: renewal, ttl: '3s', outsideContract: true, do: { answer: unavailable } },
    ],
    isOver: isBackAfterRenewal,
    waitsFor: 'three reads after the outage',
  },
  {
    name: 'token-429',
    summary: 'the first renewal is answered with 429 and Retry-After: 2',
    agreedSeconds: 3,
    script: (renewal) => [
      { on: 'obtainToken', nth: renewal, do: { answer: { status: 429, headers: { 'retry-after': '2' } } } },
    ],
    isOver: isBackAfterRenewal,
    waitsFor: 'three reads after the 429',
  },
  {
    name: 'token-slow',
    summary: 'the first token takes a second, and its renewal two',
    agreedSeconds: 3,
    // The first is a second old when it arrives.
    lifetimesSeconds: [4, 900],
    script: (renewal) => [
      { on: 'obtainToken', nth: 1, do: { delay: '1s' } },
      { on: 'obtainToken', nth: renewal, do: { delay: '2s' } },
    ],
    isOver: isBackAfterRenewal,
    waitsFor: 'three reads with the second token',
  },
  {
    name: 'data-reset',
    summary: "the 3rd read's connection is reset",
    agreedSeconds: 900,
    script: () => [{ nth: 3, do: { reset: true } }],
    isOver({ calls, durationMs: nowMs }) {
      const broken = calls.find(({ ended }) => ended === 'reset');
      const after = calls.filter((call) => isServed(call) && broken && call.startMs > broken.endMs);
      return after.length >= 3 || sinceLast(broken, nowMs) > 10_000 || calls.length >= MOST_CALLS;
    },
    waitsFor: 'a broken connection, and three reads after it',
  },
];
