/** Reads fleet.yaml. */
import { readFileSync } from 'node:fs';
import { type Entry, readInventory } from '../../tests/fleet/inventory.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Where a fleet is described, unless another file is named. */
export const FLEET_FILE = 'fleet.yaml';

/** The entries, sorted by name. Throws UsageError with a line for each mistake. */
export function readInventoryFile(file: string): Entry[] {
  return readInventory(textOf(file), file);
}

/** Those with one of these labels or names. Throws UsageError where one of them selects nothing. */
export function selectEntries(entries: readonly Entry[], only: readonly string[]): Entry[] {
  if (only.length === 0) return [...entries];
  const isSelected = ({ name, labels = [] }: Entry, word: string) => name === word || labels.includes(word);
  const idle = only.find((word) => !entries.some((entry) => isSelected(entry, word)));
  if (idle !== undefined)
    throw new UsageError(
      `--only is "${idle}", which is neither a label nor a name in the fleet. mrs fleet list shows them.`,
    );
  return entries.filter((entry) => only.some((word) => isSelected(entry, word)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${file} cannot be read (${code}). Name the file that lists the deployments.`);
  }
}
