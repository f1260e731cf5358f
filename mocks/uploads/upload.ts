/** Operations that take a file: a profile declares them with `x-upload`. */
import type { IncomingMessage } from 'node:http';
import type { Upload, UploadKind } from '../contract/upload-operation.ts';
import { json, type Negotiated, type Reply } from '../wire/reply.ts';
import { readAvoidanceLog } from './avoidance-log.ts';
import { readUpload, type UploadedFile } from './multipart.ts';
import { type UploadResult, readTle } from './tle.ts';

interface Kind {
  ending: string;
  mediaType: string;
  read(text: string, fileName: string): UploadResult;
}

const KINDS = {
  tle: { ending: '.txt', mediaType: 'text/plain', read: readTle },
  'avoidance-log': { ending: '.csv', mediaType: 'text/csv', read: readAvoidanceLog },
} satisfies Record<UploadKind, Kind>;

/** Takes the file out of a request. Rejects if the client goes away. */
export async function take(request: IncomingMessage, upload: Upload): Promise<UploadResult> {
  const file = await readUpload(request, upload);
  return 'fault' in file ? file : readFile(file, upload);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readFile({ field, name, mediaType, bytes }: UploadedFile, upload: Upload): UploadResult {
  const kind = KINDS[upload.kind];
  if (field !== upload.field)
    return { fault: `The file is not in the field ${upload.field} of the form. Send it there.` };
  if (!name.endsWith(kind.ending))
    return { fault: `The name of the file does not end with ${kind.ending}. Name it so.` };
  if (mediaType !== kind.mediaType)
    return { fault: `The file is not sent as ${kind.mediaType}. Say so in its Content-Type.` };
  try {
    return kind.read(utf8.decode(bytes), name);
  } catch {
    return { fault: 'The file is not UTF-8. Send it as text.' };
  }
}

/** The answer of the contract with what came of the file, where it has a place for that. */
export function withUploadResult({ status, headers, body }: Negotiated, reading: UploadResult): Reply {
  const told: Record<string, unknown> =
    'fault' in reading
      ? { error_description: reading.fault, detail: reading.fault }
      : { ingested_records: reading.records };
  const filled = Object.entries((body ?? {}) as object).map(([name, old]) => [name, told[name] ?? old]);
  return json(status, Object.fromEntries(filled), headers);
}
