/** What `mrs feed` takes for a long feed, compared with JSON.parse of the same file in the same run. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { reportOn } from '../../tests/feed/report/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { type Goal, ratioOf, renderGoals, spreadOf } from './figure.ts';

const PLAN = { records: 1_000_000, rounds: 3 } as const;

interface Turn {
  records: number;
  seconds: number;
  peakBytes: number;
}

export interface FeedResults {
  records: number;
  bytes: number;
  judge: Turn[];
  parse: Turn[];
}

/** Prints what it does. The file is written for it, and removed. */
export async function measureFeed(report: (what: string) => void): Promise<FeedResults> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  const file = join(folder, 'feed.json');
  try {
    report(`a feed of ${PLAN.records} records`);
    writeFeed(file, PLAN.records);
    const results: FeedResults = { records: PLAN.records, bytes: statSync(file).size, judge: [], parse: [] };
    for (let round = 1; round <= PLAN.rounds; round++)
      for (const what of ['parse', 'judge'] as const) {
        report(`feed, round ${round} of ${PLAN.rounds}: ${what}`);
        const args = [fileURLToPath(import.meta.url), what, file];
        results[what].push(JSON.parse((await promisify(execFile)(process.execPath, args)).stdout));
      }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** How many times as fast as JSON.parse, within each round, and the most memory of any. */
export function judgeFeed({ records, bytes, judge, parse }: FeedResults): { goals: Goal[]; text: string } {
  const seconds = (turns: Turn[]) => turns.map((turn) => turn.seconds);
  const peakOf = (turns: Turn[]) => Math.max(...turns.map(({ peakBytes }) => peakBytes));
  const speed = ratioOf(seconds(parse), seconds(judge)).median;
  const goals = [
    { what: 'speed ≥ 1/3 × JSON.parse', figure: speed.toFixed(2), met: speed >= 1 / 3 },
    { what: 'memory ≤ 512 MiB', figure: mebibytes(peakOf(judge)), met: peakOf(judge) <= 512 * MIB },
  ];
  const inSeconds = (turns: Turn[]) => `${spreadOf(seconds(turns)).median.toFixed(1)} s`;
  const text = `mrs feed, ${records} records in a file of ${mebibytes(bytes)}: ${inSeconds(judge)}
JSON.parse of the same: ${inSeconds(parse)}, and ${mebibytes(peakOf(parse))}

${renderGoals(goals)}`;
  return { goals, text };
}

const MIB = 1024 * 1024;
const mebibytes = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;

const SITES = (
  [
    ['vla_D', 34.07874917, -107.6177275, 2124, 25],
    ['gbt', 38.433129, -79.839839, 824, 100],
    ['ATA', 40.817431, -121.470736, 1019.222, 6.1],
    ['Wf', 42.61294894, -71.49379705, 86.765, 18.3],
  ] as const
).map(([site_id, site_lat_deg, site_lon_deg, site_el_m, dish_diameter_m]) => ({
  ...{ site_id, site_lat_deg, site_lon_deg, site_el_m, dish_diameter_m },
}));
/** When the first of the records starts: a run judges them for that moment. */
export const FEED_STARTS_MS = Date.UTC(2030, 0, 1);
const SCAN_MS = 99_000; // A million records end within a year: later ones would be reported.
const PAGE = 1000;

/** A feed as long as one may get: records of several sites, in order, each of which keeps every rule. */
export function writeFeed(file: string, records: number): void {
  for (let first = 0; first < records; first += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, records - first) }, (_, at) => recordAt(first + at));
    const text = JSON.stringify(page).slice(1, -1);
    appendFileSync(file, `${first === 0 ? '{"ods_data":[' : ','}${text}`);
  }
  appendFileSync(file, ']}\n');
}

function recordAt(index: number): Record<string, unknown> {
  const start = FEED_STARTS_MS + Math.floor(index / SITES.length) * (SCAN_MS + 1000);
  return {
    ...SITES[index % SITES.length],
    src_id: `S${1000 + (index % 9000)}+${index % 90}`,
    src_ra_j2000_deg: Math.round((index * 7_123_457) % 360_000_000) / 1e6,
    // Near the pole: a target there is up at any time, at each of the sites.
    src_dec_j2000_deg: 60 + Math.round((index * 3_987_611) % 29_000_000) / 1e6,
    src_start_utc: inMicroseconds(start),
    src_end_utc: inMicroseconds(start + SCAN_MS),
    slew_sec: (index % 60) + 0.5,
    trk_rate_ra_deg_per_sec: 0,
    trk_rate_dec_deg_per_sec: 0,
    freq_lower_hz: 1_990_000_000,
    freq_upper_hz: 1_995_000_000,
    corr_integ_time_sec: 3,
    subarray: 0,
    version: 'v1.0.0',
  };
}

const inMicroseconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000`;

/** One turn, in a process of its own: judges a feed, or parses it as a whole. Prints seconds and memory as JSON. */
async function takeTurn(what: string | undefined, file: string): Promise<void> {
  const { name, title, document } = await loadProfile('ods-record');
  const contract = feedContractOf(document);
  if (!contract) throw new Error('The profile ods-record does not describe records (x-records).');
  const options = { profile: { name, title }, atMs: FEED_STARTS_MS, strict: true, bodyBytes: 1e12 };
  const judged = async () => {
    const report = await reportOn(await openFeed(file, 1), contract, options);
    if (report.outcome === 'conformant') return Number(report.properties.records);
    throw new Error(`The feed is ${report.outcome}, and should be conformant.`);
  };
  const began = performance.now();
  const records = what === 'judge' ? await judged() : JSON.parse(readFileSync(file, 'utf8')).ods_data.length;
  const seconds = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ records, seconds, peakBytes: process.resourceUsage().maxRSS * 1024 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await takeTurn(process.argv[2], process.argv[3] ?? '');
