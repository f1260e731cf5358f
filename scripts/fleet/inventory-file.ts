/** Reads fleet.yaml. */
import { type Entry, type Inventory, readInventory } from '../../tests/fleet/inventory.ts';
import { refuse } from '../../tests/fleet/inventory-text.ts';
import { readBounded, UnreadableError } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** Where a fleet is described, unless another file is named. */
export const FLEET_FILE = 'fleet.yaml';

/** Bytes. */
const LIMIT = 16 * 1024 * 1024;

/** Throws UsageError for what is not of the form of a fleet file. */
export const readInventoryFile = (file: string): Inventory => readInventory(textOf(file), file);

/** The entries, sorted by name. Throws UsageError with a line for each mistake. */
export function readEntries(file: string): Entry[] {
  const { entries, problems } = readInventoryFile(file);
  refuse(problems, file);
  return entries;
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
    return readBounded(file, LIMIT, { followsLink: true }).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`"${file}" ${error.message}. Name the file that lists the deployments.`);
  }
}
