/** The one file of a multipart form. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { readBytes } from '../wire/body.ts';

export interface UploadedFile {
  /** The form field. */
  field: string;
  /** Without a path. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

/** Room for the rest of the form: boundaries, headers, other fields. */
const AROUND_BYTES = 16 * 1024;
const LIMITS = { files: 2, fields: 10, parts: 12, headerPairs: 20, headerSize: 8 * 1024, fieldSize: 1024 };

/**
 * Returns the file, shorter than `bytes`, or why there is none, as a sentence. A form that is too long is not read.
 * Rejects if the client disconnects.
 */
export async function readMultipartFile(
  request: IncomingMessage,
  { bytes: limit }: { bytes: number },
): Promise<UploadedFile | { problem: string }> {
  const tooLong = {
    problem: `The file is too long. Send less than ${limit} bytes, in several files if necessary.`,
  };
  const whole = await readBytes(request, limit + AROUND_BYTES);
  if (whole === undefined) return tooLong;
  const files = await filesIn(request.headers['content-type'], whole);
  if (files === undefined)
    return { problem: 'The body is not a multipart/form-data form. Send the file in such a form.' };
  const [file, another] = files;
  if (!file) return { problem: 'The form contains no file. Send one, with a file name.' };
  if (another) return { problem: 'The form contains several files. Send only one.' };
  return file.bytes.length < limit ? file : tooLong;
}

/** Undefined if the body is not such a form, or is incomplete. */
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
          // A part without a file name is not a file, whatever its headers (RFC 7578 section 4.2).
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
      broken(); // the boundary is missing
    }
  });
}
