/** Runs of `mrs fleet` for tests, each in a process of its own and with little in its environment. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { _baseTest as test } from '@playwright/test';
import { stringify } from 'yaml';
import type { Fleet } from '../../../tests/fleet/report/wording.ts';
import { type Deployment, startDeployment, type Traits } from './deployment.ts';

export interface FleetRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

const program = fileURLToPath(new URL('../../../dist/scripts/mrs.js', import.meta.url));

/** A folder of the test, in which the commands run. */
export function workplace(): string {
  const folder = test.info().outputPath('fleet');
  mkdirSync(folder, { recursive: true });
  return folder;
}

export function startFleet(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ended: Promise<FleetRun> } {
  const child = spawn(process.execPath, [program, 'fleet', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]).then(([stdout, stderr, code]) => ({ code, stdout, stderr }));
  return { child, ended };
}

export const fleet = (...run: Parameters<typeof startFleet>): Promise<FleetRun> => startFleet(...run).ended;

export const readFleet = (folder: string, directory = 'reports/fleet'): Fleet =>
  JSON.parse(readFileSync(join(folder, directory, 'fleet.json'), 'utf8'));

/** Names and outcomes, as `a conformant`. */
export const outcomesOf = ({ deployments }: Fleet): string[] =>
  deployments.map(({ name, outcome }) => `${name} ${outcome}`);

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
