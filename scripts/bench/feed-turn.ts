/** One turn, in a process of its own: judges a feed, or parses it as a whole. Prints seconds and memory as JSON. */
import { readFileSync } from 'node:fs';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { reportOn } from '../../tests/feed/report/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { FEED_STARTS_MS } from './feed-file.ts';

const [, , what, file = ''] = process.argv;
const { name, title, document } = await loadProfile('ods-record');
const contract = feedContractOf(document);
if (!contract) throw new Error('The profile ods-record does not describe records (x-records).');

const began = performance.now();
const records = what === 'judge' ? await judge() : JSON.parse(readFileSync(file, 'utf8')).ods_data.length;
const seconds = (performance.now() - began) / 1000;
console.log(JSON.stringify({ records, seconds, peakBytes: process.resourceUsage().maxRSS * 1024 }));

async function judge(): Promise<number> {
  const options = { profile: { name, title }, atMs: FEED_STARTS_MS, strict: true, bodyBytes: 1e12 };
  const report = await reportOn(await openFeed(file, 1), contract as NonNullable<typeof contract>, options);
  if (report.outcome !== 'conformant')
    throw new Error(`The feed is ${report.outcome}, and should be conformant.`);
  return Number(report.properties.records);
}
