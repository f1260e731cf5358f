/** run.json and inventory.json, which may come from another machine. */
import { join } from 'node:path';
import { momentIn } from '../../tests/fleet/moment.ts';
import {
  type InventoryRecord,
  isInventoryRecord,
  isRunRecord,
  type RunRecord,
} from '../../tests/fleet/records.ts';
import { clip, inOneLine } from '../../tests/report/text.ts';
import { readBounded, replaceFile, UnreadableError } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { RUN_RECORD } from './layout.ts';

const MEBIBYTE = 1024 * 1024;

/** Of the folder of a deployment. Returns what is wrong with it, after the name of the file, if it is not valid. */
export function readRunRecord(folder: string): RunRecord | string {
  const record = readRecord(join(folder, RUN_RECORD), MEBIBYTE, isRunRecord);
  if (typeof record === 'string') return record;
  const startedAt = momentIn(record.startedAt);
  return startedAt === undefined ? implausible(record.startedAt) : { ...record, startedAt };
}

/** As `readRunRecord`. */
export function readInventoryRecord(file: string): InventoryRecord | string {
  const record = readRecord(file, 4 * MEBIBYTE, isInventoryRecord);
  if (typeof record === 'string') return record;
  const writtenAt = momentIn(record.writtenAt);
  return writtenAt === undefined ? implausible(record.writtenAt) : { ...record, writtenAt };
}

const implausible = (moment: string): string =>
  `states the time ${clip(inOneLine(moment), 40)}, which is not plausible: set the clock of the machine`;

/** Throws UsageError if it cannot be written, as on a full disk, and leaves the record that was there. */
export const writeRunRecord = (folder: string, record: RunRecord): void =>
  writeRecord(join(folder, RUN_RECORD), record);

/** As `writeRunRecord`. */
export const writeInventoryRecord = (file: string, record: InventoryRecord): void =>
  writeRecord(file, record);

function writeRecord(file: string, record: object): void {
  try {
    replaceFile(file, `${JSON.stringify(record, null, 1)}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file} could not be written (${code}). Make room for it, or name another directory by --report-dir.`,
    );
  }
}

function readRecord<Content>(
  file: string,
  limit: number,
  isValid: (value: unknown) => value is Content,
): Content | string {
  try {
    const value: unknown = JSON.parse(readBounded(file, limit).toString('utf8'));
    return isValid(value) ? value : 'is not one that mrs fleet run wrote';
  } catch (error) {
    return error instanceof UnreadableError ? error.message : 'is not JSON';
  }
}
