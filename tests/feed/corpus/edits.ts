/** Small edits of records. */
import type { FeedRecord } from './base.ts';

export type Edit = (records: FeedRecord[]) => FeedRecord[];

/** One edit after the other. */
export const inTurn =
  (...edits: Edit[]): Edit =>
  (records) =>
    edits.reduce((edited, edit) => edit(edited), records);

/** Sets fields of the record at `index`; the first by default. */
export const set =
  (fields: FeedRecord, index = 0): Edit =>
  (records) =>
    records.map((one, at) => (at === index ? { ...one, ...fields } : one));

/** Sets fields of every record. */
export const setAll =
  (fields: FeedRecord): Edit =>
  (records) =>
    records.map((one) => ({ ...one, ...fields }));

/** Sets fields of every record by what the record has. */
export const change =
  (fieldsOf: (record: FeedRecord) => FeedRecord): Edit =>
  (records) =>
    records.map((one) => ({ ...one, ...fieldsOf(one) }));

/** Leaves fields out of every record. */
export const leaveOut =
  (...names: string[]): Edit =>
  (records) =>
    records.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !names.includes(name))));

/** Adds, after the record at `index`, a copy of it with other values in some fields. */
export const repeat =
  (index: number, ...copies: FeedRecord[]): Edit =>
  (records) =>
    records.flatMap((one, at) =>
      at === index ? [one, ...copies.map((fields) => ({ ...one, ...fields }))] : [one],
    );

/** Sorts the records by their start. */
export const sorted =
  (edit: Edit): Edit =>
  (records) =>
    edit(records).toSorted((a, b) => String(a.src_start_utc).localeCompare(String(b.src_start_utc)));

const LEGACY = { src_is_pulsar_bool: false, src_radius: 0, notes: 'inAdv:True' };

/** The records in the schema of 2023-08, with some fields set in the first. */
export const legacy =
  (fields: FeedRecord = {}): Edit =>
  (records) =>
    set(fields)(setAll(LEGACY)(leaveOut('version', 'dish_diameter_m', 'subarray')(records)));
