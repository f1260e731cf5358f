/** Judges the deployments of a proof in threads of their own. */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Report } from '../../tests/report/report.ts';
import type { DeploymentName, Selection } from './selection.ts';

/** What a thread posts for each deployment that it was given. */
export interface DeploymentResult {
  name: string;
  report?: Report;
  /** Why there is no report, as a sentence. */
  problem?: string;
}

export interface DeploymentResults {
  /** By the name of the deployment. */
  reports: Map<string, Report>;
  /** Faults of the proof itself, as sentences. */
  problems: string[];
}

/** Deployments at a time in one thread: each waits now and then for a connection. */
const AT_ONCE = 4;
const worker = new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

export async function runDeployments(
  { defects, variants }: Selection,
  threads: number,
): Promise<DeploymentResults> {
  const waiting: DeploymentName[] = [
    ...defects.map(({ name }) => ({ kind: 'defect' as const, name })),
    ...variants.map(({ name }) => ({ kind: 'variant' as const, name })),
  ];
  const results: DeploymentResults = { reports: new Map(), problems: [] };
  const length = Math.min(threads, Math.ceil(waiting.length / AT_ONCE));
  await Promise.all(Array.from({ length }, () => runThread(waiting, results)));
  return results;
}

/** Takes from `waiting` until nothing is left. Rejects where the thread breaks down. */
function runThread(waiting: DeploymentName[], { reports, problems }: DeploymentResults): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(worker);
    let running = 0;
    const handOut = () => {
      const next = waiting.shift();
      if (next) {
        running++;
        thread.postMessage(next);
      } else if (running === 0) void thread.terminate();
    };
    thread.on('message', ({ name, report, problem }: DeploymentResult) => {
      running--;
      if (report) reports.set(name, report);
      if (problem !== undefined) problems.push(problem);
      handOut();
    });
    thread.on('error', reject).on('exit', () => resolve());
    for (let lane = 0; lane < AT_ONCE; lane++) handOut();
  });
}
