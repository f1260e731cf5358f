/** Runs of `mrs fleet` for tests, each with little in its environment. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { _baseTest as test } from '@playwright/test';
import { stringify } from 'yaml';
import type { Report } from '../../../tests/report/report.ts';
import { type Deployment, startDeployment, type Traits } from './deployment.ts';
import { type Ended, mrsHere, startMrs } from './mrs.ts';

/** A folder of the test, in which the commands run. */
export function workplace(): string {
  const folder = test.info().outputPath('fleet');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** In a process of its own, which a test can end. */
export const startFleet = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startMrs(['fleet', ...args], { cwd, env });

/** In this process. */
export const fleet = (cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
  mrsHere(['fleet', ...args], { cwd, env });

export const readFleet = (folder: string, directory = 'reports/fleet'): Report =>
  JSON.parse(readFileSync(join(folder, directory, 'report.json'), 'utf8'));

/** Names and outcomes, as `a conformant`, in the order of names. */
export const outcomesOf = ({ items }: Report): string[] =>
  items.map(({ id, facts }) => `${id} ${facts.find(({ name }) => name === 'Outcome')?.text}`).toSorted();

/** Why a deployment has no verdict. */
export const reasonOf = ({ items }: Report, name: string): string | undefined =>
  items.find(({ id }) => id === name)?.reason;

/** Every file below a folder by its path, with what is in it. */
export function filesBelow(folder: string): [path: string, content: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path, readFileSync(path, 'utf8')]);
}

export interface Sites {
  deployments: Record<string, Deployment>;
  /** The secrets, by the variables that the fleet file names. */
  env: Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a deployment of its own for each name, with a secret of its own, and writes fleet.yaml. `more`: further entries. No exchange times out. */
export async function startSites(
  folder: string,
  traits: Readonly<Record<string, Partial<Traits>>>,
  more: readonly object[] = [],
): Promise<Sites> {
  const deployments: Record<string, Deployment> = {};
  const env: Record<string, string> = {};
  for (const [name, own] of Object.entries(traits)) {
    const clientSecret = `${name}-Kx81-${'qwertz'.repeat(2)}-${name}`;
    deployments[name] = await startDeployment({ ...own, clientId: `client-of-${name}`, clientSecret });
    env[`SECRET_${name.toUpperCase()}`] = clientSecret;
  }
  const entries = Object.entries(deployments).map(([name, { url, traits: known }]) => ({
    name,
    baseUrl: url,
    clientId: known.clientId,
    clientSecret: { env: `SECRET_${name.toUpperCase()}` },
    tokenLifetime: `${known.tokenLifetimeMs}ms`,
    healthPaths: known.healthPaths,
  }));
  writeFileSync(
    join(folder, 'fleet.yaml'),
    stringify({ defaults: { timeout: '1h' }, deployments: [...entries, ...more] }),
  );
  return {
    deployments,
    env,
    async [Symbol.asyncDispose]() {
      for (const one of Object.values(deployments)) await one[Symbol.asyncDispose]();
    },
  };
}
