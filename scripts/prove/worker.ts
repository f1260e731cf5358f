/** A thread of a proof: judges each deployment that it is sent the name of, and posts the report. */
import { parentPort } from 'node:worker_threads';
import { reportOn } from './observe.ts';
import type { DeploymentResult } from './run-deployments.ts';
import type { DeploymentName } from './selection.ts';

parentPort?.on('message', async (deployment: DeploymentName) => {
  parentPort?.postMessage(await resultOf(deployment));
});

async function resultOf(deployment: DeploymentName): Promise<DeploymentResult> {
  const { name } = deployment;
  try {
    return { name, report: await reportOn(deployment) };
  } catch (error) {
    return { name, problem: `${name}: it could not be judged: ${(error as Error).message}` };
  }
}
