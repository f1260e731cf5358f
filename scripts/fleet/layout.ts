/** Names of files and folders in the report directory of a fleet. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Shard } from './shard.ts';

export const RUN_RECORD = 'run.json';
export const REPORT = 'report.json';
export const PAGE = 'report.html';

export const DEPLOYMENTS = 'deployments';

/** Where the reports of one deployment are. */
export const deploymentFolder = (directory: string, name: string): string =>
  join(directory, DEPLOYMENTS, name);

/** A shard has a file of its own, so that the directories of all of them can be put into one. */
export const inventoryName = (shard: Shard | undefined): string =>
  shard === undefined ? 'inventory.json' : `inventory-${shard.index}-of-${shard.total}.json`;

export const isInventoryName = (name: string): boolean =>
  /^inventory(-\d{1,5}-of-\d{1,5})?\.json$/.test(name);

/** Throws UsageError for a link: what is written to this folder would be elsewhere, in the place of something else. */
export function checkNoLink(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new UsageError(`${folder} is a link, and nothing is written through it. Remove it.`);
}
