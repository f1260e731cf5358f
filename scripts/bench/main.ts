/** `npm run bench`: measures the mock next to a bare server and Prism, and the proxy next to a bare one. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { visible } from '../../tests/report/text.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { feedGoals, measureFeed, renderFeed } from './feed.ts';
import { judgeGoals } from './goals.ts';
import { measure, PLAN } from './measure.ts';
import { measureProxy, PROXY_PLAN, proxyGoals, renderProxy } from './proxy-load.ts';
import { resultsOf } from './results.ts';
import { quietest } from './rounds.ts';
import { megabytes, renderDoubts, renderGoals, renderTable } from './table.ts';
import { measureWorkers, renderReplicas, replicaGoals, WORKERS_PLAN } from './workers-load.ts';

const FILE = 'reports/bench.json';

/** Only on a terminal: in a log it would be noise. */
const report = (what: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${what}`);
};

try {
  const isMet = process.argv[2] === 'proxy' ? await benchProxy() : await bench();
  process.exitCode = isMet ? 0 : 1;
} catch (error) {
  report('');
  if (!(error instanceof UsageError)) throw error;
  console.error(visible(error.message)); // It quotes what a server said.
  process.exitCode = 2;
}

/** Only the part about the proxy: `npm run bench -- proxy`. */
async function benchProxy(): Promise<boolean> {
  const rounds = await measureProxy(report);
  report('');
  const goals = proxyGoals(quietest(rounds, PROXY_PLAN.kept));
  console.log(renderProxy(goals));
  return goals.met.every(Boolean);
}

/** Whether the mock and the proxy reached every goal. */
async function bench(): Promise<boolean> {
  const began = new Date();
  const { starts, turns, memory } = await measure(report);
  const workers = await measureWorkers(report);
  const proxy = await measureProxy(report);
  const feed = await measureFeed(report);
  report('');
  const counted = {
    starts: quietest(starts, PLAN.starts.kept),
    turns: quietest(turns, PLAN.load.kept),
  };
  const results = resultsOf(counted.starts, counted.turns);
  const goals = judgeGoals(results);
  const proxied = proxyGoals(quietest(proxy, PROXY_PLAN.kept));
  const replicas = replicaGoals(quietest(workers, WORKERS_PLAN.kept));
  const seconds = Math.round((Date.now() - began.getTime()) / 1000);
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() || process.arch}`;
  const run = { version, began: began.toISOString(), seconds, node: process.version, machine, plan: PLAN };
  mkdirSync('reports', { recursive: true });
  writeFileSync(
    FILE,
    `${JSON.stringify({ ...run, goals, results, memory, starts, turns, workers, proxy, feed }, null, 2)}\n`,
  );

  const others = Math.max(...[...counted.starts, ...counted.turns].map((round) => round.others));
  const doubts = renderDoubts(results, others);
  const { load, starts: started } = PLAN;
  const growth = (memory.million / memory.warm).toFixed(2);
  console.log(`GET /ods_data/ with a valid token, ${PLAN.connections} connections, ${PLAN.pipelining} requests under way on each
Node.js ${process.version}, ${machine}, ${seconds} s

${renderTable(results)}

prism is prism mock; quiet is the same with -v error, without its log of requests.
Medians: of the ${load.kept} quietest of ${load.rounds} rounds, for the start of ${started.kept} of ${started.rounds}. A ratio is
taken within a round; half of all lie within ±. One client waits for each answer.
After a million requests the mock holds ${megabytes(memory.million)}, ${growth} × the ${megabytes(memory.warm)} when warm.
${doubts && `\n${doubts}\n`}
${renderGoals(goals)}

${renderReplicas(replicas)}

${renderProxy(proxied)}

${renderFeed(feed)}

Every round: ${FILE}`);
  return (
    goals.every(({ met }) => met) &&
    replicas.met &&
    proxied.met.every(Boolean) &&
    feedGoals(feed).met.every(Boolean)
  );
}
