/** Replies as a file server gives them: with validators, 304 for a conditional request, and gzip where it is accepted. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Reply } from './http.ts';

/** How long before it is first served a file was written. */
const AGE_MS = 60_000;
const SECOND_MS = 1000;

/** For one file, whose content may change from reply to reply. Returns any reply but a success unchanged. */
export function createFileReply() {
  /** Of the content that was served last. */
  let file: { bytes?: Buffer; tag: string; modifiedMs: number; zipped?: Buffer } = { tag: '', modifiedMs: 0 };

  /** `nowMs` is the server's time. */
  return (reply: Reply, asked: IncomingHttpHeaders, nowMs: number): Reply => {
    const { status, headers, bytes } = reply;
    if (status !== 200 || headers['content-encoding'] !== undefined) return reply;
    if (bytes !== file.bytes) {
      const tag = tagOf(bytes);
      // When the content was written; later for each new content, since Last-Modified has whole seconds.
      const second = Math.floor((nowMs - AGE_MS) / SECOND_MS) * SECOND_MS;
      const modifiedMs = tag === file.tag ? file.modifiedMs : Math.max(second, file.modifiedMs + SECOND_MS);
      file = { bytes, tag, modifiedMs };
    }
    const { tag, modifiedMs } = file;
    const isZipped = acceptsGzip(asked['accept-encoding']);
    const validators = {
      etag: isZipped ? `W/${tag}` : tag, // the bytes differ from those without gzip
      'last-modified': new Date(modifiedMs).toUTCString(),
      vary: 'accept-encoding',
    };
    if (isUnchanged(asked, tag, modifiedMs))
      return { status: 304, headers: validators, bytes: Buffer.alloc(0) };
    if (!isZipped) return { status, bytes, headers: { ...headers, ...validators } };
    file.zipped ??= gzipSync(bytes, { level: 1 });
    const length = { 'content-encoding': 'gzip', 'content-length': String(file.zipped.length) };
    return { status, bytes: file.zipped, headers: { ...headers, ...validators, ...length } };
  };
}

const tagOf = (bytes: Buffer): string =>
  `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;

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
