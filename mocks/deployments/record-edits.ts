/** Changes of the mitigation requests in a reply, in the form of the profile nrao-ods. */
import { type Change, json } from './reply-edits.ts';

/** A record as it is served. */
export type ServedRecord = Record<string, unknown>;
type ChangeOne = (one: ServedRecord) => unknown;

/** Changes the list of the records. */
export const editRecords = (change: (list: ServedRecord[]) => unknown): Change =>
  json((old) => ({ ...old, ods_data: change((old.ods_data ?? []) as ServedRecord[]) }));

export const eachRecord = (change: ChangeOne): Change => editRecords((list) => list.map(change));

export const firstRecord = (change: ChangeOne): Change =>
  editRecords((list) => list.map((one, nth) => (nth === 0 ? change(one) : one)));

/** The last record of a schedule has not begun. */
export const lastRecord = (change: ChangeOne): Change =>
  editRecords((list) => list.map((one, nth) => (nth === list.length - 1 ? change(one) : one)));

export const withFields =
  (more: ServedRecord) =>
  (one: ServedRecord): ServedRecord => ({ ...one, ...more });

export const mapTimes =
  (change: (time: string) => unknown) =>
  (one: ServedRecord): ServedRecord => ({
    ...one,
    src_start_utc: change(String(one.src_start_utc)),
    src_end_utc: change(String(one.src_end_utc)),
  });

export const everyTime = (change: (time: string) => unknown): Change => eachRecord(mapTimes(change));
