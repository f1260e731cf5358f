/** How many tokens a client asks for, and when. */

import { delayMs } from '../delay.ts';
import { type Evidence, fails, perScenario, type Rule, several, warns } from '../rule.ts';
import {
  dataCalls,
  endOf,
  heldUp,
  isEarlyEnd,
  isRefused,
  isServed,
  lastHad,
  overlapOf,
  type ScenarioTraffic,
  seconds,
  stalledMs,
  tokenCalls,
} from '../scenario-traffic.ts';
import { isHasty, isLongLived, type Renewal } from '../strategy.ts';
import { tokenCount } from '../token-count.ts';
import { tokenCrowds } from '../token-crowd.ts';
import type { Call, Life } from '../traffic.ts';
import { whyUnused } from '../unsent-tokens.ts';
import { FEWEST_READS, needless, showsReuse } from './needless-tokens.ts';
import { tokenStorm } from './outages.ts';

/** Those that were under way while another one was, of calls in their order. */
function overlapping(calls: readonly Call[]): Call[] {
  let latestMs = Number.NEGATIVE_INFINITY;
  return calls.filter(({ startMs, endMs }, at) => {
    const isAfterAnother = startMs < latestMs;
    latestMs = Math.max(latestMs, endMs);
    const next = calls[at + 1];
    return isAfterAnother || (next !== undefined && next.startMs < endMs);
  });
}

/** Whether the last read before a request broke off or met an error: the client may blame its token. */
function isAfterTrouble(traffic: ScenarioTraffic, request: Call): boolean {
  const [last] = lastHad(dataCalls(traffic), request.startMs, 1);
  return last !== undefined && !isServed(last) && !isRefused(last);
}

/** Libraries keep up to a minute in reserve; a token that lives for less than twice as long says nothing about that. */
const TELLING_SECONDS = 120;
const SECOND_MS = 1000;

/** Whether a read carried a token that had expired before the read was due; one that was held up says nothing of that. */
const isOutlived = (read: Call, life: Life, traffic: ScenarioTraffic, evidence: Evidence): boolean =>
  read.token === life.number && read.atMs - delayMs(read, traffic, evidence) >= endOf(life);

/** Only in an examination can the lifetime be a longer one. */
const tooShort = ({ agreedSeconds, isRecorded }: ScenarioTraffic, forWhat: string): string =>
  `Tokens of ${agreedSeconds} s are too short ${forWhat}.${isRecorded ? '' : ` Use --token-lifetime ${TELLING_SECONDS}s.`}`;

function stormInWords(requests: readonly Call[]): string {
  const [first] = requests;
  const spanMs = (requests.at(-1)?.startMs ?? 0) - (first?.startMs ?? 0);
  return `${several(requests.length, 'token request')} in ${seconds(spanMs)}, with hardly a pause, while the token endpoint failed.`;
}

export const tokenReuseRules: readonly Rule[] = [
  {
    id: 'token-reuse',
    clause: 'MRS-5.3a',
    severity: 'burdens-service',
    statement: 'A token is requested once and reused for all calls until it expires.',
    advice:
      'Keep the token in one place that every call reads from, and request another only when it has expired or is about ' +
      'to expire. If several processes share this client id, set --processes, or let them share a store.',
    required: true,
    passive: 'lifetime',
    untried: `This takes ${FEWEST_READS} reads with one token, which lives for a minute or longer, or is not replaced early.`,
    judge: perScenario((traffic, evidence) => {
      const sentNone = whyUnused(evidence);
      if (sentNone) return sentNone;
      const storm = tokenStorm(traffic, evidence);
      const stormed = storm.length === 0 ? [] : [fails(traffic, storm, stormInWords(storm))];
      const needlessly = needless(traffic, evidence);
      const reads = dataCalls(traffic).filter(({ token }) => token !== undefined);
      const crowded = tokenCrowds(traffic, evidence).map((crowd) =>
        fails(
          traffic,
          crowd,
          `${crowd.length} tokens were asked for at once, where 1 would do: each caller replaced the token that they share.`,
        ),
      );
      if (needlessly.length === 0)
        return stormed.length + crowded.length > 0 || showsReuse(traffic, evidence)
          ? [...stormed, ...crowded]
          : undefined;
      const { asked, needed } = tokenCount(traffic);
      const would = needed * traffic.processes;
      const seen =
        `${several(asked, 'token')} for ${several(reads.length, 'read')}, where ${would} would do: ` +
        `another was asked for while the last one was alive and no call had been refused.`;
      return [
        ...stormed,
        needlessly.every((request) => isAfterTrouble(traffic, request))
          ? warns(traffic, needlessly, `${seen} Each time a read had failed before.`)
          : fails(traffic, needlessly, seen),
        ...crowded,
      ];
    }),
  },
  {
    id: 'stampede',
    statement: 'Callers that need a token at the same time share one token request.',
    advice:
      'Let the first caller that needs a token request it, and let the others wait for the answer: keep the promise (future, ' +
      'lock) of the pending request, and clear it when it has settled. Otherwise each expiry causes as many token ' +
      'requests as there are callers.',
    passive: 'requests',
    untried: 'No more calls were seen under way at once than one for each process.',
    judge: perScenario((traffic) => {
      const requests = tokenCalls(traffic);
      const atOnce = overlapOf(requests);
      if (atOnce <= traffic.processes)
        return overlapOf(dataCalls(traffic)) > traffic.processes ? [] : undefined;
      const crowd = overlapping(requests);
      return [warns(traffic, crowd, `${atOnce} token requests were under way at once.`)];
    }),
  },
  {
    id: 'margin',
    statement: 'A client that renews by its clock does so before the expiry, and not at every call.',
    advice:
      'Renew at a share of the agreed lifetime, such as 80 %, not a fixed number of seconds before its end: a margin ' +
      'longer than the lifetime requests a token for each call, and one shorter than a call takes lets the call ' +
      'arrive with an expired token.',
    passive: 'lifetime',
    untried: 'The client does not renew by its clock.',
    judge: perScenario((traffic, evidence) => {
      const { renewals } = evidence;
      const isProactive = renewals.strategy === 'proactive' || renewals.strategy === 'both';
      const own = renewals.renewals.filter((one) => one.traffic === traffic && one.by === 'clock');
      if (own.length === 0 || isLongLived(traffic) || !isProactive) return undefined;
      const reads = dataCalls(traffic);
      // At a greater age a token may just have no other read to carry: the client reads as seldom as that.
      const hasty = own.filter(isHasty);
      const { agreedSeconds } = traffic;
      const isShort = agreedSeconds < TELLING_SECONDS;
      if (hasty.length >= 4 && hasty.length >= reads.length / 2) {
        if (isShort) return tooShort(traffic, 'to show whether a fixed margin is too long');
        return [
          warns(
            traffic,
            hasty.map(({ request }) => request),
            `${several(hasty.length, 'renewal')} for ${several(reads.length, 'read')}, at a lifetime of ${agreedSeconds} s: the margin is longer than the lifetime.`,
          ),
        ];
      }
      const late = own.filter(
        ({ marginMs, before }) =>
          marginMs < 0 &&
          !isEarlyEnd(traffic, before.number) &&
          reads.some((read) => isRefused(read) && isOutlived(read, before, traffic, evidence)),
      );
      if (late.length === 0) return [];
      if (isShort && late.every(({ marginMs }) => marginMs > -SECOND_MS))
        return tooShort(traffic, 'for a client that counts whole seconds');
      const heldUpMs = (one: Renewal) => stalledMs(traffic, endOf(one.before), one.request.startMs);
      if (late.every((one) => one.marginMs + heldUpMs(one) > (isShort ? -SECOND_MS : 0)))
        return heldUp(Math.max(...late.map(heldUpMs)));
      return [
        warns(
          traffic,
          late.map(({ request }) => request),
          `A renewal came ${seconds(-Math.min(...late.map(({ marginMs }) => marginMs)))} after the expiry, and a read had been refused by then.`,
        ),
      ];
    }),
  },
];
