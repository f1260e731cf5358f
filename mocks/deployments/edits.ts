/** Edits of a reply. The names of its headers are in lower case afterwards. */
import type { IncomingMessage } from 'node:http';
import type { Client } from '../clients.ts';
import type { Reply } from '../http.ts';

/** What an edit may depend on. */
export interface Moment {
  /** The number of this reply among those that are edited, from 1. */
  nth: number;
  request: IncomingMessage;
  /** The mock's first client. */
  client: Client | undefined;
  /** The mock's clock, in milliseconds. */
  nowMs: number;
}

type Change = (reply: Reply, moment: Moment) => Reply;
/** A number is a status. */
export type Edit = number | Change | readonly Edit[];

/** Made one after the other; the reply before them stays as it was. */
export function edited(reply: Reply, edit: Edit, moment: Moment): Reply {
  if (typeof edit === 'number') return { ...reply, status: edit };
  if (typeof edit === 'function') return edit(reply, moment);
  return edit.reduce<Reply>((changed, one) => edited(changed, one, moment), reply);
}

/** Adds headers, or removes those whose value is `undefined`. */
export const headers = (more: Record<string, string | undefined>) => (reply: Reply) => {
  const changed = new Map(Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(more))
    if (value === undefined) changed.delete(name);
    else changed.set(name, value);
  return { ...reply, headers: Object.fromEntries(changed) };
};

/** Without a value: no Content-Type. */
export const type = (value?: string) => headers({ 'content-type': value });

export const bytes =
  (change: (old: Buffer, moment: Moment) => Buffer | string) =>
  (reply: Reply, moment: Moment): Reply => {
    const changed = Buffer.from(change(reply.bytes, moment));
    return headers({ 'content-length': String(changed.length) })({ ...reply, bytes: changed });
  };

export const text = (change: (old: string) => string) => bytes((old) => change(String(old)));

/** With the media type that is given. */
export const body = (content: string | Buffer, media?: string): Edit => [
  bytes(() => content),
  ...(media === undefined ? [] : [type(media)]),
];

type Members = Record<string, unknown>;

export const json = (change: (old: Members, moment: Moment) => unknown) =>
  bytes((old, moment) => JSON.stringify(change(JSON.parse(String(old)), moment)));
export const give = (value: unknown) => json(() => value);
export const add = (members: object) => json((old) => ({ ...old, ...members }));

export const empty: Edit = [body(''), type()];

/** Has no Content-Length either (RFC 9110 section 8.6). */
export const noContent: Edit = [204, empty, headers({ 'content-length': undefined })];

/** The answer of a proxy in front of a service. */
export const loginPage: Edit = [
  200,
  body(
    '<!doctype html><title>Sign in</title><form action="/login" method="post"></form>\n',
    'text/html; charset=utf-8',
  ),
];
/** The answer of a firewall that has blocked a client. */
export const blockPage: Edit = [
  403,
  body('<!doctype html><title>Blocked</title><p>You have been blocked.</p>\n', 'text/html'),
];
export const toLoginPage: Edit = [302, headers({ location: '/login' }), empty];

export const withMark = bytes((old) => Buffer.concat([Buffer.from('\ufeff'), old]));
export const indented = text((old) => `${JSON.stringify(JSON.parse(old), null, 2)}\n`);

export const reset: Edit = (reply) => ({ ...reply, delivery: { reset: true } });

/** A mitigation request as it is served, in the form of the profile nrao-ods. */
export type ServedRecord = Record<string, unknown>;
type ChangeOne = ((one: ServedRecord) => unknown) | ServedRecord;

const changed = (change: ChangeOne, one: ServedRecord) =>
  typeof change === 'function' ? change(one) : { ...one, ...change };

export const records = (change: (list: ServedRecord[], moment: Moment) => unknown) =>
  json((old, moment) => ({ ...old, ods_data: change((old.ods_data ?? []) as ServedRecord[], moment) }));

/** Fields are set; a function returns another record. */
export const eachRecord = (change: ChangeOne) => records((list) => list.map((one) => changed(change, one)));
export const firstRecord = (change: ChangeOne) =>
  records((list) => list.map((one, nth) => (nth === 0 ? changed(change, one) : one)));
export const times =
  (change: (time: string) => unknown) =>
  (one: ServedRecord): ServedRecord => ({
    ...one,
    src_start_utc: change(String(one.src_start_utc)),
    src_end_utc: change(String(one.src_end_utc)),
  });
export const everyTime = (change: (time: string) => unknown) => eachRecord(times(change));
