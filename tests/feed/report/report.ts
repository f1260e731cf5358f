/** The result of `mrs feed`, as in feed.schema.json. */
import { randomUUID } from 'node:crypto';
import type { Fact } from '../../report/model.ts';
import { suiteFacts } from '../../report/suite-facts.ts';
import { several } from '../../report/text.ts';
import type { Severity } from '../../support/verdict.ts';
import { suite } from '../../support/version.ts';
import type { FeedContract } from '../feed-contract.ts';
import { type Finding, isFailure } from '../findings.ts';
import { createFeedReader } from '../reader.ts';
import { ruleOf } from '../rules.ts';
import type { FeedSource } from '../source.ts';
import { formatUtc } from '../time.ts';
import type { FeedSchema } from './feed.schema.ts';

/** A finding that fails a feed says what it means for clients. */
export interface ReportedFinding extends Finding {
  severity?: Severity;
}

export interface FeedReport extends FeedSchema {
  findings: ReportedFinding[];
}

export interface ReportOptions {
  profile: FeedReport['profile'];
  /** The moment to judge the feed for, instead of when it was served. */
  atMs?: number | undefined;
  strict: boolean;
  /** The most bytes that are read. */
  bodyBytes: number;
}

/** Reads a feed to its end and judges it. Throws UsageError if it cannot be read. */
export async function reportOn(
  source: FeedSource,
  contract: FeedContract,
  { profile, atMs, strict, bodyBytes }: ReportOptions,
): Promise<FeedReport> {
  const nowMs = atMs ?? source.servedMs ?? Date.now();
  const { verdict, bytes } = await readAll(source, contract, nowMs, bodyBytes);
  const { findings, spanMs } = verdict;
  const unjudged = [...verdict.unjudged, ...(atMs === undefined ? stalenessOf(source) : [])];
  const failures = findings.filter(isFailure).length;
  const { kind, name, status, contentType } = source;
  return {
    schemaVersion: 1,
    suite,
    runId: randomUUID(),
    outcome: outcomeOfFeed({ findings, unjudged, strict }),
    source: {
      kind,
      name,
      bytes,
      ...(status !== undefined && { status }),
      ...(contentType !== undefined && { contentType }),
    },
    profile,
    judgedFor: formatUtc(nowMs),
    timeFrom: atMs !== undefined ? 'option' : source.servedMs !== undefined ? 'date-header' : 'clock',
    strict,
    records: verdict.records,
    counts: { findings: failures, warnings: findings.length - failures },
    findings: findings.map((one) => (isFailure(one) ? { ...one, severity: ruleOf(one.rule).severity } : one)),
    unjudged,
    remarks: verdict.remarks,
    ...(spanMs && { span: [formatUtc(spanMs[0]), formatUtc(spanMs[1])] }),
    sites: verdict.sites,
    digest: verdict.digest,
    setDigest: verdict.setDigest,
  };
}

/** A copy from long ago would be fresh by its own Date; whose clock is wrong, nothing in the answer shows. */
function stalenessOf({ staleMs, servedMs = 0 }: FeedSource): string[] {
  if (staleMs === undefined) return [];
  const minutes = Math.round(staleMs / 60_000);
  const ago = minutes < 120 ? several(minutes, 'minute') : `${several(Math.round(minutes / 60), 'hour')}`;
  return [
    `The answer was served at ${formatUtc(servedMs)} UTC by its Date and Age, ${ago} before the clock of this machine: ` +
      'an old copy may have come from a cache, so nothing shows that the feed is current. Correct the cache or the clock that is wrong, or give the moment to judge for by --at.',
  ];
}

async function readAll(source: FeedSource, contract: FeedContract, nowMs: number, bodyBytes: number) {
  // A response without a body has nothing that could be of another type.
  const contentType = source.kind === 'url' && source.bytes ? (source.contentType ?? '') : undefined;
  const reader = createFeedReader(contract, { nowMs, contentType });
  let bytes = 0;
  let leftOut: string | undefined;
  if (!source.bytes) leftOut = `The answer ${source.status} has no body, so there is no feed to judge.`;
  for await (const chunk of source.bytes ?? []) {
    const rest = bodyBytes - bytes;
    bytes += chunk.length;
    if (chunk.length > rest)
      leftOut = `The feed is larger than ${bodyBytes / MEBIBYTE} MiB. Raise --body-limit.`;
    if (!reader.write(chunk.length > rest ? chunk.subarray(0, rest) : chunk) || leftOut) break;
  }
  return { verdict: reader.done(leftOut), bytes: Math.min(bytes, bodyBytes) };
}

export const MEBIBYTE = 1024 * 1024;

/** `1000000 records, 0 findings, 2 warnings`. */
export const tallyOf = ({ records, counts }: FeedReport): string =>
  `${records} records, ${counts.findings} findings, ${counts.warnings} warnings`;

/** What the findings of a report come to. */
export function outcomeOfFeed({
  findings,
  unjudged,
  strict,
}: {
  findings: readonly Pick<Finding, 'class'>[];
  unjudged: readonly string[];
  strict: boolean;
}): FeedReport['outcome'] {
  const fails = strict ? findings.length > 0 : findings.some(isFailure);
  if (fails) return 'nonconformant';
  return unjudged.length > 0 ? 'incomplete' : 'conformant';
}

/** Stable, for programs: `outcome: conformant (1000000 records, 0 findings, 2 warnings)`. */
export const lastLine = (report: FeedReport): string => `outcome: ${report.outcome} (${tallyOf(report)})`;

/** What is known of the feed as a whole. */
export function factsOf(report: FeedReport): Fact[] {
  const { sites, span, source, profile, judgedFor, timeFrom } = report;
  const facts: [name: string, text: string][] = [
    ['Sites', sites.first.join(', ') + (sites.count > sites.first.length ? ' and others' : '')],
    ['Observations', span ? `${span[0]} to ${span[1]}` : ''],
    ['Size', sizeInWords(source.bytes)],
    ['Profile', `${profile.name}: ${profile.title}`],
    ['Judged for', `${judgedFor} UTC, ${TIME_FROM[timeFrom]}`],
  ];
  const known = facts.filter(([, text]) => text !== '').map(([name, text]): Fact => ({ name, text }));
  return [...known, ...suiteFacts(report)];
}

const TIME_FROM: Record<FeedReport['timeFrom'], string> = {
  option: 'the given time',
  'date-header': 'when it was served',
  clock: 'the time of this machine',
};

const sizeInWords = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

/** What a judgement came to, as a short sentence without its full stop. */
export function headlineOf({ outcome, records, counts }: FeedReport): string {
  const { findings, warnings } = counts;
  const warned = warnings > 0 ? ` and ${several(warnings, 'warning')}` : '';
  if (findings > 0) return `${several(findings, 'rule')} violated${warned} in ${several(records, 'record')}`;
  if (outcome === 'nonconformant')
    return `${several(warnings, 'warning')}, which fail${warnings === 1 ? 's' : ''} a feed with --strict`;
  if (outcome === 'incomplete') return 'A part of the feed could not be judged';
  if (records === 0) return 'The schedule is empty: a list without records';
  return warnings > 0
    ? `No rule violated in ${several(records, 'record')}, with ${several(warnings, 'warning')}`
    : `No rule violated in ${several(records, 'record')}`;
}

/** What to do next, as a sentence. */
export function nextOf({ outcome, counts }: FeedReport): string {
  if (outcome === 'incomplete') return 'Resolve the reasons above, and run again.';
  if (outcome === 'nonconformant')
    return counts.findings > 0
      ? 'Give this report to the publisher of the feed. Clients of this feed will run into these problems.'
      : 'Check the warnings, or run without --strict.';
  return counts.warnings > 0 ? 'Check the warnings: they may be right.' : 'Nothing has to change.';
}
