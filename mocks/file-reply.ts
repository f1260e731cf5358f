/** Replies as a file server gives them: with validators, 304 for a conditional request, and gzip where it is accepted. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Reply } from './http.ts';

/** Returns any reply but a success unchanged. `nowMs` is the server's time. */
type FileReply = (reply: Reply, headers: IncomingHttpHeaders, nowMs: number) => Reply;

/** How long before it is first served a file was written. */
const AGE_MS = 60_000;
const SECOND_MS = 1000;

/** For one file, whose content may change from reply to reply. */
export function createFileReply(): FileReply {
  const tags = new WeakMap<Buffer, string>();
  const zipped = new WeakMap<Buffer, Buffer>();
  let current = { tag: '', modifiedMs: 0 };

  /** When the content was written; later for each new content, since Last-Modified has whole seconds. */
  function modifiedAt(tag: string, nowMs: number): number {
    if (tag !== current.tag) {
      const second = Math.floor((nowMs - AGE_MS) / SECOND_MS) * SECOND_MS;
      current = { tag, modifiedMs: Math.max(second, current.modifiedMs + SECOND_MS) };
    }
    return current.modifiedMs;
  }

  return (reply, asked, nowMs) => {
    const { status, headers, bytes } = reply;
    if (status !== 200 || headers['content-encoding'] !== undefined) return reply;
    const tag = remembered(tags, bytes, tagOf);
    const modifiedMs = modifiedAt(tag, nowMs);
    const isZipped = acceptsGzip(asked['accept-encoding']);
    const validators = {
      etag: isZipped ? `W/${tag}` : tag, // the bytes differ from those without gzip
      'last-modified': new Date(modifiedMs).toUTCString(),
      vary: 'accept-encoding',
    };
    if (isUnchanged(asked, tag, modifiedMs))
      return { status: 304, headers: validators, bytes: Buffer.alloc(0) };
    if (!isZipped) return { status, bytes, headers: { ...headers, ...validators } };
    const smaller = remembered(zipped, bytes, (all) => gzipSync(all, { level: 1 }));
    const length = { 'content-encoding': 'gzip', 'content-length': String(smaller.length) };
    return { status, bytes: smaller, headers: { ...headers, ...validators, ...length } };
  };
}

const tagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

function remembered<Value>(
  known: WeakMap<Buffer, Value>,
  bytes: Buffer,
  make: (bytes: Buffer) => Value,
): Value {
  const value = known.get(bytes) ?? make(bytes);
  known.set(bytes, value);
  return value;
}

/** If-Modified-Since counts only without If-None-Match, which is compared weakly (RFC 9110 sections 13.1.2 and 13.1.3). */
function isUnchanged(asked: IncomingHttpHeaders, tag: string, modifiedMs: number): boolean {
  const { 'if-none-match': tags, 'if-modified-since': date } = asked;
  if (tags === undefined) return date !== undefined && Date.parse(date) >= modifiedMs;
  return tags.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));
}

/** RFC 9110 section 12.5.3; a weight of 0 refuses it. */
const acceptsGzip = (header = ''): boolean =>
  header.split(',').some((coding) => {
    const [name = '', weight = ''] = coding.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && !/^q=0(\.0*)?$/.test(weight);
  });
