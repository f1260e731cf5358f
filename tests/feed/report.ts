/** The report of `mrs feed`: the rules that a feed violates, each with the first places. */
import { randomUUID } from 'node:crypto';
import { factsIn, type Item, itemWith, type Report, reportWith } from '../report/report.ts';
import { several } from '../report/text.ts';
import type { Secrets } from '../support/secrets.ts';
import { UsageError } from '../support/usage-error.ts';
import { outcomeOf } from '../support/verdict.ts';
import type { FeedContract } from './feed-contract.ts';
import { type FeedVerdict, type Finding, isFailure, ruleOf } from './findings.ts';
import { judgeFeed } from './reader.ts';
import { type Feed, NOT_EMPTY } from './source.ts';
import { formatUtc } from './time.ts';

export interface ReportOptions {
  profile: { name: string; title: string };
  /** The moment to judge the feed for, instead of when it was served. */
  atMs?: number | undefined;
  /** Whether a warning fails the feed. */
  strict: boolean;
  /** Taken out of what the feed says. */
  secrets: Secrets;
}

/** Judges a feed. Throws UsageError for what is not one. */
export function reportOn(
  feed: Feed,
  contract: FeedContract,
  { profile, atMs, strict, secrets }: ReportOptions,
): Report {
  const nowMs = atMs ?? feed.servedMs ?? Date.now();
  const { body, contentType } = feed;
  const verdict = typeof body === 'string' ? NOTHING : judgeFeed(body, contract, { nowMs, contentType });
  if (verdict.looks !== undefined)
    throw new UsageError(`${feed.name} is not a feed: ${verdict.looks}. ${NOT_EMPTY}`);
  const findings = verdict.findings.map((one) => ({ ...one, places: secrets.redact(one.places) }));
  // The words of rules are ours: a secret may be one of them.
  const { remarks, sites, name } = secrets.redact({ ...verdict, findings: [], name: feed.name });
  const unjudged = [
    ...(typeof body === 'string' ? [body] : verdict.unjudged),
    ...(atMs === undefined ? stalenessOf(feed) : []),
  ];
  const failures = findings.filter(isFailure).length;
  const warnings = findings.length - failures;
  const items = [
    ...findings.map(itemOf),
    // Without it, a report without findings would not show that anything was judged.
    itemWith({
      ...{ id: 'feed-complete', group: 'feed' },
      statement: 'Every record is read, and every rule is applied.',
      ...(unjudged.length > 0
        ? { verdict: 'could-not-run', reason: unjudged.join(' ') }
        : { verdict: 'passed', seen: several(verdict.records, 'record') }),
    }),
  ];
  const outcome = outcomeOf(items, { strict });
  const servedThen = feed.servedMs === undefined ? 'the time of this machine' : 'when it was served';
  const countOf = (value: number, noun: string) => ({ value, word: value === 1 ? noun : `${noun}s` });
  return reportWith({
    judge: 'feed',
    runId: randomUUID(),
    subject: { name: 'Feed', text: name, isCode: true },
    outcome,
    ...(outcome === 'incomplete' && { headline: 'The feed could not be judged as a whole' }),
    remarks,
    counts: [
      countOf(verdict.records, 'record'),
      { ...countOf(failures, 'finding'), verdict: 'failed' },
      { ...countOf(warnings, 'warning'), verdict: 'warned' },
    ],
    facts: factsIn([
      ['Records', String(verdict.records)],
      ['Sites', sites.first.join(', ') + (sites.count > sites.first.length ? ' and more' : '')],
      ['Size', typeof body === 'string' ? undefined : several(body.length, 'byte')],
      ['Profile', `${profile.name}: ${profile.title}`],
      ['Judged for', `${formatUtc(nowMs)} UTC, ${atMs === undefined ? servedThen : 'the given time'}`],
    ]),
    items,
  });
}

/** Of a feed that was not read to its end: half of a list shows neither what is missing nor what is wrong. */
const NOTHING: Omit<FeedVerdict, 'nowMs'> = {
  ...{ records: 0, findings: [], unjudged: [], remarks: [], sites: { count: 0, first: [] } },
};

/** A copy from long ago would be fresh by its own Date; whose clock is wrong, nothing in the answer shows. */
function stalenessOf({ staleMs, servedMs = 0 }: Feed): string[] {
  if (staleMs === undefined) return [];
  return [
    `The answer was served at ${formatUtc(servedMs)} UTC by its Date and Age, ` +
      `${several(Math.round(staleMs / 60_000), 'minute')} before the clock of this machine: nothing shows that the feed is ` +
      'current. Correct the cache or the clock that is wrong, or give the moment to judge for by --at.',
  ];
}

function itemOf(finding: Finding): Item {
  const { rule, count, places } = finding;
  const { statement, why, remedy, source, severity } = ruleOf(rule);
  const verdict = isFailure(finding) ? 'failed' : 'warned';
  const [first] = places;
  return itemWith({
    ...{ id: rule, group: 'feed', statement, verdict, severity, advice: remedy },
    facts: factsIn([
      ['Why', why],
      ['Source', source],
    ]),
    seen: first && `${first.seen}${count > 1 ? ` (${count} times)` : ''}`,
    findings: places.map(({ seen, pointer, line }, at) => ({
      verdict,
      where: `${pointer || 'the body'}${line === undefined ? '' : `, line ${line}`}`,
      seen,
      proof: count > 1 ? `${at + 1} of ${count}` : undefined,
    })),
  });
}
