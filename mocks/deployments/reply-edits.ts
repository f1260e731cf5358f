/** Changes of a reply. The names of its headers are in lower case afterwards. */
import type { Reply } from '../http.ts';

export type Change = (reply: Reply) => Reply;

export const sequence =
  (...changes: Change[]): Change =>
  (reply) =>
    changes.reduce((changed, change) => change(changed), reply);

export const status =
  (code: number): Change =>
  (reply) => ({ ...reply, status: code });

/** Adds headers, or removes those whose value is `undefined`. */
export const headers =
  (more: Record<string, string | undefined>): Change =>
  (reply) => {
    const changed = new Map(
      Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    for (const [name, value] of Object.entries(more))
      if (value === undefined) changed.delete(name);
      else changed.set(name, value);
    return { ...reply, headers: Object.fromEntries(changed) };
  };

/** Without a value: no Content-Type. */
export const mediaType = (value?: string): Change => headers({ 'content-type': value });

export const bytes =
  (change: (old: Buffer) => Buffer): Change =>
  (reply) => {
    const changed = change(reply.bytes);
    return headers({ 'content-length': String(changed.length) })({ ...reply, bytes: changed });
  };

export const body = (text: string): Change => bytes(() => Buffer.from(text));

export const json = (change: (old: Record<string, unknown>) => unknown): Change =>
  bytes((old) => Buffer.from(JSON.stringify(change(JSON.parse(old.toString())))));

export const empty: Change = sequence(body(''), mediaType());

/** Has no Content-Length either (RFC 9110 section 8.6). */
export const noContent: Change = sequence(status(204), empty, headers({ 'content-length': undefined }));

/** The answer of a proxy in front of a service. */
export const loginPage: Change = sequence(
  status(200),
  mediaType('text/html; charset=utf-8'),
  body('<!doctype html><title>Sign in</title><form action="/login" method="post"></form>\n'),
);

export const toLoginPage: Change = sequence(status(302), headers({ location: '/login' }), empty);
