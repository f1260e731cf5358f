/** What `mrs feed` takes for a long feed, compared with JSON.parse of the same file in the same run. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeFeed } from './feed-file.ts';
import { type Spread, spreadOf } from './spread.ts';

const PLAN = { records: 1_000_000, rounds: 3 } as const;
/** What it shall reach: the speed of JSON.parse that it keeps, and the memory of its process. */
const GOALS = { speed: 1 / 3, memoryBytes: 512 * 1024 * 1024 } as const;

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

const turn = fileURLToPath(new URL('./feed-turn.js', import.meta.url));

/** Prints what it does. The file is written for it, and removed. */
export async function measureFeed(report: (what: string) => void): Promise<FeedResults> {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  const file = join(folder, 'feed.json');
  try {
    report(`a feed of ${PLAN.records} records`);
    writeFeed(file, PLAN.records);
    const take = async (what: 'judge' | 'parse', round: number): Promise<Turn> => {
      report(`feed, round ${round} of ${PLAN.rounds}: ${what}`);
      const { stdout } = await promisify(execFile)(process.execPath, [turn, what, file]);
      return JSON.parse(stdout);
    };
    const results: FeedResults = { records: PLAN.records, bytes: statSync(file).size, judge: [], parse: [] };
    for (let round = 1; round <= PLAN.rounds; round++) {
      results.parse.push(await take('parse', round));
      results.judge.push(await take('judge', round));
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** How many times as fast as JSON.parse, within each round, and the most memory of any. */
export function feedGoals({ judge, parse }: FeedResults): {
  speed: Spread;
  peakBytes: number;
  met: boolean[];
} {
  const speed = spreadOf(judge.map(({ seconds }, round) => (parse[round]?.seconds ?? 0) / seconds));
  const peakBytes = Math.max(...judge.map((one) => one.peakBytes));
  return { speed, peakBytes, met: [speed.median >= GOALS.speed, peakBytes <= GOALS.memoryBytes] };
}

export function renderFeed(results: FeedResults): string {
  const { speed, peakBytes, met } = feedGoals(results);
  const [judge, parse] = [results.judge, results.parse].map((turns) =>
    spreadOf(turns.map(({ seconds }) => seconds)),
  );
  const mark = (isMet: boolean | undefined) => (isMet ? '✓ met   ' : '✗ missed');
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
  return `mrs feed, ${results.records} records in a file of ${mebibytes(results.bytes)}: ${judge?.median.toFixed(1)} s
JSON.parse of the same: ${parse?.median.toFixed(1)} s, and ${mebibytes(Math.max(...results.parse.map((one) => one.peakBytes)))}

${mark(met[0])}  ${'speed ≥ 1/3 × JSON.parse'.padEnd(35)}  ${speed.median.toFixed(2)}
${mark(met[1])}  ${'memory ≤ 512 MiB'.padEnd(35)}  ${mebibytes(peakBytes)}`;
}
