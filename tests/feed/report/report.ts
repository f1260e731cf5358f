/** What `mrs feed` found out, as its renderings and feed.schema.json have it. */
import type { FeedContract } from '../feed-contract.ts';
import type { FeedVerdict } from '../feed-verdict.ts';
import { type Finding, isFailure } from '../findings.ts';
import { createFeedReader } from '../reader.ts';
import type { FeedSource } from '../source.ts';
import { formatUtc } from '../time.ts';

export interface FeedReport {
  schemaVersion: 1;
  outcome: 'conformant' | 'nonconformant' | 'incomplete';
  source: { kind: FeedSource['kind']; name: string; bytes: number; status?: number; contentType?: string };
  profile: { name: string; title: string };
  /** The moment that the feed was judged for, in UTC, and how it is known. */
  judgedFor: string;
  timeFrom: 'option' | 'date-header' | 'clock';
  /** Whether warnings count as findings. */
  strict: boolean;
  records: number;
  counts: { findings: number; warnings: number };
  findings: Finding[];
  unjudged: string[];
  remarks: string[];
  /** The first start and the last end, in UTC. */
  span?: [start: string, end: string];
  sites: FeedVerdict['sites'];
  digest: string;
  setDigest: string;
}

export interface ReportOptions {
  profile: FeedReport['profile'];
  /** The moment that somebody asked for. */
  atMs?: number | undefined;
  strict: boolean;
  /** So many bytes are read. */
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
  const { findings, unjudged, spanMs } = verdict;
  const failures = findings.filter(isFailure).length;
  const fails = strict ? findings.length > 0 : failures > 0;
  const { kind, name, status, contentType } = source;
  return {
    schemaVersion: 1,
    outcome: fails ? 'nonconformant' : unjudged.length > 0 ? 'incomplete' : 'conformant',
    source: {
      ...{ kind, name, bytes },
      ...(status !== undefined && { status }),
      ...(contentType !== undefined && { contentType }),
    },
    profile,
    judgedFor: formatUtc(nowMs),
    timeFrom: atMs !== undefined ? 'option' : source.servedMs !== undefined ? 'date-header' : 'clock',
    strict,
    records: verdict.records,
    counts: { findings: failures, warnings: findings.length - failures },
    ...{ findings, unjudged, remarks: verdict.remarks },
    ...(spanMs && { span: [formatUtc(spanMs[0]), formatUtc(spanMs[1])] }),
    ...{ sites: verdict.sites, digest: verdict.digest, setDigest: verdict.setDigest },
  };
}

async function readAll(source: FeedSource, contract: FeedContract, nowMs: number, bodyBytes: number) {
  const reader = createFeedReader(contract, { nowMs });
  let bytes = 0;
  let leftOut: string | undefined;
  if (!source.bytes) leftOut = `The answer ${source.status} has no body, so that there is no feed to judge.`;
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

/** Stable, for machines: `outcome: conformant (1000000 records, 0 findings, 2 warnings)`. */
export const lastLine = ({ outcome, records, counts }: FeedReport): string =>
  `outcome: ${outcome} (${records} records, ${counts.findings} findings, ${counts.warnings} warnings)`;

/** What there is to say of the feed as a whole, apart from its findings. */
export function factsOf({ records, sites, span, source, profile, judgedFor, timeFrom }: FeedReport) {
  const many = sites.count > sites.first.length ? ' and others' : '';
  return {
    records: thousands(records),
    sites: `${sites.first.join(', ')}${many}`,
    span: span && `${span[0]} to ${span[1]}`,
    size: sizeInWords(source.bytes),
    profile: `${profile.name}: ${profile.title}`,
    judgedFor: `${judgedFor} UTC, ${TIME_FROM[timeFrom]}`,
  };
}

const TIME_FROM: Record<FeedReport['timeFrom'], string> = {
  option: 'the time given',
  'date-header': 'when it was served',
  clock: 'the time of this machine',
};

const sizeInWords = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

/** `1 000 000`. */
export const thousands = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ' ');

/** What an outcome means, and what is next. */
export function meaningOf({ outcome, records, counts, strict }: FeedReport): string {
  if (outcome === 'incomplete') return 'No rule is broken in what was read, but not all could be judged.';
  if (outcome === 'nonconformant')
    return counts.findings > 0
      ? 'Clients of this feed meet what the rules below name.'
      : 'No rule is broken, and with --strict a warning fails a feed.';
  if (records === 0) return 'An empty schedule: the list is there, and nothing is to come.';
  const rest = counts.warnings > 0 ? ' What is told below may be right, and is worth a look.' : '';
  return `No rule that fails a feed is broken.${strict ? '' : rest}`;
}
