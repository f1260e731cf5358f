/** Judges the deployments of a proof in threads, and compares each report with what it should be. */
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import type { Item } from '../../tests/report/report.ts';
import { isBinding, type Requirement } from '../../tests/support/requirements.ts';
import { faultsIn, type Result, saying } from './expected.ts';
import { type Group, pointOf } from './selection.ts';
import { verdictsOf } from './verdicts.ts';
import type { DeploymentName, Posted } from './worker.ts';

/** Deployments at a time in one thread: each waits now and then for a connection. */
const AT_ONCE = 4;
const worker = new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Posts for each deployment. */
export async function runDeployments(
  { wrong, permitted }: Group<Defect, Variant>,
  threads: number,
): Promise<Posted[]> {
  const waiting = [
    ...wrong.map(({ name, profile }): DeploymentName => ({ kind: 'defect', name, profile })),
    ...permitted.map(({ name, profile }): DeploymentName => ({ kind: 'variant', name, profile })),
  ];
  const posted: Posted[] = [];
  const length = Math.min(threads, Math.ceil(waiting.length / AT_ONCE));
  await Promise.all(Array.from({ length }, () => runThread(waiting, posted)));
  return posted;
}

/** Takes from `waiting` until nothing is left. Rejects where the thread breaks down. */
function runThread(waiting: DeploymentName[], posted: Posted[]): Promise<void> {
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
    thread.on('message', (one: Posted) => {
      running--;
      posted.push(one);
      handOut();
    });
    thread.on('error', reject).on('exit', () => resolve());
    for (let lane = 0; lane < AT_ONCE; lane++) handOut();
  });
}

/** By the name of the deployment. Pure: the reports are given. */
export function deploymentResults(
  { wrong, permitted }: Group<Defect, Variant>,
  posted: readonly Posted[],
): Map<string, Result> {
  const resultOf = (one: Posted): Result => {
    const { name } = one;
    if ('problem' in one) return { faults: [], problems: [one.problem] };
    const { outcome, items, problems, properties } = one.report;
    const defect = wrong.find((subject) => subject.name === name);
    const variant = permitted.find((subject) => subject.name === name);
    const leftOut = (properties['not-offered'] ?? '').split(' ');
    const expected = {
      ...(defect ?? variant),
      finds: saying(defect?.fails),
      // What a run does not bring about by itself, such as a limit, is judged where it is met.
      mayNotApply: (id: string) => variant !== undefined || isDeclared(id) || leftOut.includes(id),
    };
    const found = items.map((item) => ({ id: item.id, verdict: item.verdict, said: [said(item)] }));
    return {
      verdicts: verdictsOf(outcome, items),
      faults: [...(variant ? outcomeFaults(variant, outcome) : []), ...faultsIn(name, expected, found)],
      problems: problems.map((problem) => `${name}: ${problem}`),
    };
  };
  return new Map(posted.map((one) => [one.name, resultOf(one)]));
}

/** What a profile declares has the name of the profile in its id. */
const isDeclared = (id: string): boolean => id.includes('@');

/** What a report says of a verdict. */
function said({ verdict, expected, reason, seen }: Item): string {
  if (verdict === 'failed') return `expected ${expected}; seen: ${seen}`;
  return reason ?? `seen: ${seen || 'nothing'}`;
}

function outcomeFaults({ name, summary, cannotRun = [], mayNotRun }: Variant, outcome: string): string[] {
  const isAccepted = cannotRun.length === 0 && outcome.startsWith('conformant');
  const isIncomplete = outcome === 'incomplete' && (cannotRun.length > 0 || mayNotRun);
  return isAccepted || isIncomplete ? [] : [`${name}, which ${summary}, is permitted, and is ${outcome}.`];
}

/** A sentence for each requirement that no defect fails. A point is judged by the same test under every profile. */
export function unprovedRequirements(
  ledger: readonly Requirement[],
  defects: readonly Defect[],
  posted: readonly Posted[],
): string[] {
  const declared = posted
    .flatMap((one) => ('report' in one ? one.report.items : []))
    .filter(({ id, verdict }) => isDeclared(id) && verdict === 'passed');
  const ids = [...ledger.filter(isBinding), ...declared].map(({ id }) => pointOf(id));
  const failed = new Set(defects.flatMap(({ fails }) => Object.keys(fails).map(pointOf)));
  return [...new Set(ids)]
    .filter((id) => !failed.has(id))
    .map(
      (id) => `${id} has no defect, so nothing shows that its test can fail. Add one to mocks/deployments/.`,
    );
}
