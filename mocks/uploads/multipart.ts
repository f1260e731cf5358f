/** The one file of a multipart form. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { readBytes } from '../wire/body.ts';

export interface UploadedFile {
  /** Of the form. */
  field: string;
  /** Without a path. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/** For what a form has besides its file: boundaries, headers, other fields. */
const AROUND_BYTES = 16 * 1024;
const LIMITS = { files: 2, fields: 10, parts: 12, headerPairs: 20, headerSize: 8 * 1024, fieldSize: 1024 };

/**
 * The file, below `bytes` long, or why there is none, as a sentence; a form that is too long stays unread. Rejects if
 * the client goes away.
 */
export async function readUpload(
  request: IncomingMessage,
  { bytes: limit }: { bytes: number },
): Promise<UploadedFile | { fault: string }> {
  const tooLong = { fault: `The file is too long. Send one below ${limit} bytes, or several.` };
  const whole = await readBytes(request, limit + AROUND_BYTES);
  if (whole === undefined) return tooLong;
  const files = await filesIn(request.headers['content-type'], whole);
  if (files === undefined)
    return { fault: 'The body is no form of the type multipart/form-data. Send the file in one.' };
  const [file, another] = files;
  if (!file) return { fault: 'The form holds no file. Send one, with a file name.' };
  if (another) return { fault: 'The form holds several files. Send one alone.' };
  return file.bytes.length < limit ? file : tooLong;
}

/** Undefined for what is no such form, or none that ends. The bytes are all there: nothing has to be waited for. */
function filesIn(contentType: string | undefined, whole: Buffer): Promise<UploadedFile[] | undefined> {
  return new Promise((resolve) => {
    const files: UploadedFile[] = [];
    if (!/^multipart\/form-data\s*;/i.test(contentType ?? '')) return resolve(undefined);
    const broken = () => resolve(undefined);
    try {
      const headers = { 'content-type': contentType } as BusboyHeaders;
      const form = new Busboy({ headers, limits: LIMITS });
      form
        .on('file', (field, stream, name, _, mediaType) => {
          const chunks: Buffer[] = [];
          stream.on('data', (chunk: Buffer) => chunks.push(chunk));
          // What has no name is no file, although it comes as one (RFC 7578 section 4.2).
          stream.on(
            'end',
            () =>
              typeof name === 'string' &&
              files.push({ field, name, mediaType, bytes: Buffer.concat(chunks) }),
          );
          stream.on('error', broken);
        })
        .on('error', broken)
        .on('finish', () => resolve(files));
      form.end(whole);
    } catch {
      broken(); // there is no boundary
    }
  });
}
