/** Ways to change the mitigation requests of a reply, as the profile nrao-ods has them. */
import { type Change, json } from './reply-edits.ts';

/** A record as it is served. */
export type Served = Record<string, unknown>;
type ChangeOne = (one: Served) => unknown;

/** Changes the list of the records. */
export const listed = (change: (list: Served[]) => unknown): Change =>
  json((old) => ({ ...old, ods_data: change((old.ods_data ?? []) as Served[]) }));

export const each = (change: ChangeOne): Change => listed((list) => list.map(change));

export const first = (change: ChangeOne): Change =>
  listed((list) => list.map((one, nth) => (nth === 0 ? change(one) : one)));

/** Of a schedule it is one that has not begun. */
export const last = (change: ChangeOne): Change =>
  listed((list) => list.map((one, nth) => (nth === list.length - 1 ? change(one) : one)));

export const having =
  (more: Served) =>
  (one: Served): Served => ({ ...one, ...more });

export const timesOf =
  (change: (time: string) => unknown) =>
  (one: Served): Served => ({
    ...one,
    src_start_utc: change(String(one.src_start_utc)),
    src_end_utc: change(String(one.src_end_utc)),
  });

export const everyTime = (change: (time: string) => unknown): Change => each(timesOf(change));
