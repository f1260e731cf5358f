/** Which requests of a run had an answer that is no decision, or none: a reader must see it next to the verdicts. */
import { several } from '../../report/text.ts';
import { type Evidence, type Exchange, exchanges, isAnswered } from '../support/evidence.ts';
import { decided } from '../support/judgement.ts';
import type { ReportSchema } from './report.schema.ts';

type NonAnswer = NonNullable<ReportSchema['nonAnswers']>[number];

/** One for each status, for answers that took too long, and for connections that the deployment closed. */
export function nonAnswersOf(evidence: Evidence): NonAnswer[] {
  const all = exchanges(evidence);
  // What no clause binds may be answered in any way.
  const unbound: unknown[] = [evidence.open.head, evidence.open.options, evidence.open.withoutSlash];
  const byAnswer = new Map<string, Exchange[]>();
  for (const exchange of all) {
    if (!('verdict' in decided(exchange)) || unbound.includes(exchange)) continue;
    const answer = answerOf(exchange);
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), exchange]);
  }
  return [...byAnswer].map(([answer, some]) => ({
    answer,
    requests: some.length,
    fromMs: some[0]?.sentAtMs ?? 0,
    toMs: some.at(-1)?.sentAtMs ?? 0,
    ...(some.at(-1) === all.at(-1) && { lasts: true as const }),
  }));
}

function answerOf(exchange: Exchange): string {
  if (isAnswered(exchange)) return String(exchange.response.status);
  if (exchange.hangsUp) return 'a closed connection';
  return /^gave no complete answer/.test(exchange.failure ?? '') ? 'a timeout' : 'a failure';
}

/** Sentences; none where every request had a decision. */
export function nonAnswersInWords({
  nonAnswers = [],
  requests,
  exchanges: all,
}: Pick<ReportSchema, 'nonAnswers' | 'requests'> & { exchanges: readonly Exchange[] }): string[] {
  const waited = all.reduce((sum, { waitedSeconds = 0 }) => sum + waitedSeconds, 0);
  const again = all.filter((exchange) => exchange.again);
  const settled = again.filter((exchange) => !('verdict' in decided(exchange)));
  return [
    ...nonAnswers.map(
      (one) =>
        `${one.requests} of ${several(requests, 'request')} ${one.requests === 1 ? 'was' : 'were'} answered with ${one.answer}, ${whenOf(one)}.`,
    ),
    ...(again.length > 0
      ? [
          `${several(again.length, 'request')} without a decision had a second try; ${settled.length} had a decision then.`,
        ]
      : []),
    ...(waited > 0 ? [`The run waited ${waited} s as the deployment asked (Retry-After).`] : []),
  ];
}

function whenOf({ requests, fromMs, toMs, lasts }: NonAnswer): string {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  if (requests === 1) return `${seconds(fromMs)} into the run`;
  return `from ${seconds(fromMs)} into the run until ${lasts ? 'its end' : seconds(toMs)}`;
}
