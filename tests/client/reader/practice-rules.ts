/** How a reader of a feed treats the server, and whether it survives trouble: good practice, which only warns. */
import { perScenario, type Rule, several, warns } from '../rule.ts';
import { backOffFrom, recovery, retryAfterFrom } from '../rules/outages.ts';
import { median, stalledMs } from '../scenario-traffic.ts';
import { isBaseline } from '../scenarios.ts';
import {
  ENOUGH_READS,
  feedScenarioOf,
  getCalls,
  isFailure,
  isRead,
  isTrouble,
  patienceMs,
} from './feed-scenarios.ts';

/** A client with a shorter pause sends one request after the other. */
const SHORTEST_PAUSE_MS = 50;

export const practiceRules: readonly Rule[] = [
  {
    id: 'recovers',
    statement: 'The client survives trouble, and reads again once the feed works again.',
    advice:
      'Catch the error of a single read, wait, and read again: a failed request, a page instead of JSON, or JSON of another ' +
      'shape is not a reason to stop. Let a supervisor decide when to give up.',
    required: true,
    untried: 'Nothing failed while the client was reading, or the scenario ended before it could read again.',
    judge: perScenario((traffic, evidence) => {
      const scenario = feedScenarioOf(traffic);
      if (!scenario.examines.includes('recovers')) return undefined;
      const found = recovery(
        traffic,
        evidence,
        (call) => isTrouble(call, scenario),
        (call) => isRead(call, scenario),
        patienceMs(traffic),
      );
      return (
        found ?? (scenario.isSlow ? undefined : 'The scenario ended before the client could read again.')
      );
    }),
  },
  backOffFrom({ name: 'feed', call: 'request', callsOf: getCalls, isFailure }),
  retryAfterFrom({ name: 'feed', callsOf: getCalls }),
  {
    id: 'pause',
    statement: 'The client pauses between two reads.',
    advice:
      'Wait between two reads, at least some seconds: observations are announced minutes before they begin. A file server ' +
      'is shared by all readers.',
    untried: `This takes ${ENOUGH_READS} reads of a feed that works.`,
    judge: perScenario((traffic) => {
      const reads = getCalls(traffic);
      if (!isBaseline(traffic) || reads.length < ENOUGH_READS) return undefined;
      const pauses = reads.slice(1).flatMap(({ startMs }, index) => {
        const before = reads[index];
        if (!before) return [];
        return startMs - before.endMs + stalledMs(traffic, before.startMs, before.endMs); // its end was recorded late
      });
      return (median(pauses) ?? 0) >= SHORTEST_PAUSE_MS
        ? []
        : [
            warns(
              traffic,
              reads,
              `${several(reads.length, 'read')} came one after the other, without a pause.`,
            ),
          ];
    }),
  },
  {
    id: 'conditional-request',
    statement: 'The client asks for the feed only if it has changed.',
    advice:
      'Keep the ETag of the last good answer, and send it in If-None-Match (RFC 9110 section 13.1.2), or its Last-Modified ' +
      'in If-Modified-Since. An unchanged schedule then costs a few bytes. Most HTTP caches do it for you.',
    untried: `This takes ${ENOUGH_READS} reads of a feed that works.`,
    judge: perScenario((traffic) => {
      const reads = getCalls(traffic);
      if (!isBaseline(traffic) || reads.length < ENOUGH_READS) return undefined;
      return reads.some(({ isConditional }) => isConditional)
        ? []
        : [
            warns(
              traffic,
              reads,
              `${several(reads.length, 'read')} of the same schedule, and none had If-None-Match or If-Modified-Since.`,
            ),
          ];
    }),
  },
  {
    id: 'no-credentials',
    statement: 'The client sends no credentials to a feed that everyone may read.',
    advice:
      'Omit Authorization, and keep tokens out of the URL and out of headers. The feed does not ask for them, and ' +
      'whoever operates the server or a proxy can read them.',
    untried: 'The client made no call.',
    judge: perScenario((traffic) => {
      const calls = traffic.calls.filter(
        (call) => call.authorization !== undefined || call.misplaced.length > 0,
      );
      return calls.length === 0
        ? []
        : [warns(traffic, calls, `${several(calls.length, 'request')} carried credentials.`)];
    }),
  },
  {
    id: 'known-paths',
    statement: 'The client requests only the feed.',
    advice: 'Use the URL of the feed as it is given in MRS_DATA_URL, without adding a path or a slash to it.',
    untried: 'The client made no call.',
    judge: perScenario((traffic) => {
      const strays = traffic.calls.filter(({ kind }) => kind === 'other');
      const [first, ...more] = strays;
      if (!first) return [];
      const others = more.length > 0 ? `, and ${several(more.length, 'more request')} like it` : '';
      return [
        warns(
          traffic,
          strays,
          `It asked for ${first.method} ${first.path}, which is answered with ${first.status}${others}.`,
        ),
      ];
    }),
  },
];
