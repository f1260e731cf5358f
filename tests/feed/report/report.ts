/** The report of `mrs feed`: the rules that a feed violates, each with the first places. */
import { randomUUID } from 'node:crypto';
import { factsIn, type Item, itemWith, type Report, reportWith } from '../../report/report.ts';
import { indented } from '../../report/terminal.ts';
import { several } from '../../report/text.ts';
import type { FeedContract } from '../feed-contract.ts';
import { type Finding, isFailure, type Location as Place, type Rule, ruleOf } from '../findings.ts';
import { createFeedReader } from '../reader.ts';
import type { FeedSource } from '../source.ts';
import { formatUtc } from '../time.ts';

export interface ReportOptions {
  profile: { name: string; title: string };
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
): Promise<Report> {
  const nowMs = atMs ?? source.servedMs ?? Date.now();
  const { verdict, bytes } = await readAll(source, contract, nowMs, bodyBytes);
  const { findings, spanMs, records, sites } = verdict;
  const unjudged = [...verdict.unjudged, ...(atMs === undefined ? stalenessOf(source) : [])];
  const failures = findings.filter(isFailure).length;
  const warnings = findings.length - failures;
  const fails = strict ? findings.length > 0 : failures > 0;
  const outcome = fails ? 'nonconformant' : unjudged.length > 0 ? 'incomplete' : 'conformant';
  const timeFrom =
    atMs !== undefined
      ? 'the given time'
      : source.servedMs !== undefined
        ? 'when it was served'
        : 'the time of this machine';
  return reportWith({
    judge: 'feed',
    runId: randomUUID(),
    subject: { name: 'Feed', text: source.name, isCode: true },
    outcome,
    headline: headlineOf(outcome, records, failures, warnings),
    ...nextOf(outcome, failures, warnings),
    remarks: verdict.remarks,
    counts: [
      { value: records, word: records === 1 ? 'record' : 'records' },
      { value: failures, word: failures === 1 ? 'finding' : 'findings', verdict: 'failed' },
      { value: warnings, word: warnings === 1 ? 'warning' : 'warnings', verdict: 'warned' },
    ],
    tally: `${several(records, 'record')}, ${several(failures, 'finding')}, ${several(warnings, 'warning')}`,
    facts: factsIn([
      ['Records', String(records)],
      ['Sites', sites.first.join(', ') + (sites.count > sites.first.length ? ' and more' : '')],
      ['Observations', spanMs && `${formatUtc(spanMs[0])} to ${formatUtc(spanMs[1])}`],
      ['Size', sizeInWords(bytes)],
      ['Profile', `${profile.name}: ${profile.title}`],
      ['Judged for', `${formatUtc(nowMs)} UTC, ${timeFrom}`],
    ]),
    properties: {
      profile: profile.name,
      records: String(records),
      bytes: String(bytes),
      judgedFor: formatUtc(nowMs),
      ...(source.status !== undefined && { status: String(source.status) }),
      ...(source.contentType !== undefined && { contentType: source.contentType }),
    },
    items: [...findings.map((finding) => itemOf(finding, uriOf(source))), completeness(unjudged, records)],
  });
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

/** Whether all of the feed was judged: without it, a report without findings would not show that anything was. */
function completeness(unjudged: readonly string[], records: number): Item {
  const isComplete = unjudged.length === 0;
  return itemWith({
    id: 'feed-complete',
    group: 'feed',
    statement: 'Every record is read, and every rule is applied.',
    verdict: isComplete ? 'passed' : 'could-not-run',
    reason: isComplete ? undefined : unjudged.join(' '),
    seen: isComplete ? several(records, 'record') : undefined,
  });
}

function itemOf(finding: Finding, uri: string): Item {
  const { rule, count, places } = finding;
  const { statement, why, remedy, source, severity } = ruleOf(rule);
  const verdict = isFailure(finding) ? 'failed' : 'warned';
  const [first] = places;
  return itemWith({
    ...{ id: rule, group: 'feed', statement, verdict, severity, advice: remedy, rationale: why, source },
    seen: first && `${first.seen}${count > 1 ? `, ${count} times` : ''}`,
    findings: places.map((place, at) => ({
      verdict,
      where: placeOf(place),
      seen: place.seen,
      proof: count > 1 ? `${at + 1} of ${count}` : undefined,
      location: { uri, ...place, seen: undefined },
    })),
  });
}

/** `/ods_data/3/site_lat_deg, line 12`. */
const placeOf = ({ pointer, line }: Place): string =>
  `${pointer || 'the body'}${line === undefined ? '' : `, line ${line}`}`;

/** A file by its path, relative if it was given so. */
function uriOf({ kind, name }: FeedSource): string {
  if (kind === 'url') return name.replace(/\?…$/, '');
  if (kind === 'stdin') return 'stdin';
  // A colon in the first part would make it a scheme.
  return name.toWellFormed().split(/[\\/]/).map(encodeURIComponent).join('/');
}
const sizeInWords = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

/** The result as a short sentence without its full stop. */
function headlineOf(outcome: Report['outcome'], records: number, findings: number, warnings: number): string {
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

/** What to do next, where only warnings decide. */
function nextOf(outcome: Report['outcome'], findings: number, warnings: number): { next?: string } {
  if (findings > 0 || warnings === 0 || outcome === 'incomplete') return {};
  return {
    next:
      outcome === 'nonconformant'
        ? 'Check the warnings, or run without --strict.'
        : 'Check the warnings: they may be right.',
  };
}

/** What a rule requires, why, where that comes from, and what to do. */
export function renderRule({ id, class: ruleClass, statement, why, source, remedy }: Rule): string {
  return [
    `${id} (${MEANING[ruleClass]})`,
    ...indented(statement, 2),
    '',
    ...indented(`Why: ${why}`, 2),
    ...indented(`What to do: ${remedy}`, 2),
    `  Source: ${source}`,
  ].join('\n');
}

const MEANING: Record<Rule['class'], string> = {
  S: 'a finding: follows from published text or geometry',
  D: 'a finding: a defect seen in public data or code',
  H: 'a warning: a guess worth a look',
};
