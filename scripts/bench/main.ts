/** `npm run bench`: measures the mock, the proxy and the judge of feeds, each next to the least that does the same. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { visible } from '../../tests/report/text.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { judgeFeed, measureFeed } from './feed.ts';
import type { Goal } from './figure.ts';
import { judgeMock, measureMock } from './mock.ts';
import { judgeProxy, measureProxy } from './proxy.ts';

const FILE = 'reports/bench.json';

type Report = (what: string) => void;
interface Measured {
  measured: unknown;
  goals: Goal[];
  text: string;
}
const PARTS: Record<string, (report: Report) => Promise<Measured>> = {
  mock: (to) => measureMock(to).then((measured) => ({ measured, ...judgeMock(measured) })),
  proxy: (to) => measureProxy(to).then((measured) => ({ measured, ...judgeProxy(measured) })),
  feed: (to) => measureFeed(to).then((measured) => ({ measured, ...judgeFeed(measured) })),
};

/** Only on a terminal: in a log it would be noise. */
const report: Report = (what) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${what}`);
};

try {
  process.exitCode = (await bench(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  report('');
  if (!(error instanceof UsageError)) throw error;
  console.error(visible(error.message)); // It quotes what a server said.
  process.exitCode = 2;
}

/** Whether every goal is reached, of the parts with these names; of all without names. */
async function bench(names: readonly string[]): Promise<boolean> {
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined)
    throw new UsageError(`"${unknown}" is not a part. Name some of ${Object.keys(PARTS).join(', ')}.`);
  const began = new Date();
  const done: Record<string, Measured> = {};
  for (const [name, measure] of Object.entries(PARTS))
    if (names.length === 0 || names.includes(name)) done[name] = await measure(report);
  report('');
  const seconds = Math.round((Date.now() - began.getTime()) / 1000);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() || process.arch}`;
  const run = { version, began: began.toISOString(), seconds, node: process.version, machine };
  mkdirSync('reports', { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ ...run, ...done }, null, 2)}\n`);
  const texts = Object.values(done).map(({ text }) => text);
  console.log(
    [`Node.js ${process.version}, ${machine}, ${seconds} s`, ...texts, `Every round: ${FILE}`].join('\n\n'),
  );
  return Object.values(done).every(({ goals }) => goals.every(({ met }) => met !== false));
}
