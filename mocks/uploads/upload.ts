/** Operations that take a file: a profile declares them with `x-upload`. */
import type { IncomingMessage } from 'node:http';
import type { Upload, UploadKind } from '../contract/upload-operation.ts';
import { json, type Negotiated, type Reply } from '../wire/reply.ts';
import { readAvoidanceLog } from './avoidance-log.ts';
import { readMultipartFile, type UploadedFile } from './multipart.ts';
import { readTle, type UploadResult } from './tle.ts';

interface Kind {
  ending: string;
  mediaType: string;
  read(text: string, fileName: string): UploadResult;
}

const KINDS: Readonly<Record<UploadKind, Kind>> = {
  tle: { ending: '.txt', mediaType: 'text/plain', read: readTle },
  'avoidance-log': { ending: '.csv', mediaType: 'text/csv', read: readAvoidanceLog },
};

/** Reads the file of a request. Rejects if the client disconnects. */
export async function readUpload(request: IncomingMessage, upload: Upload): Promise<UploadResult> {
  const file = await readMultipartFile(request, upload);
  return 'problem' in file ? file : readFile(file, upload);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readFile({ field, name, mediaType, bytes }: UploadedFile, upload: Upload): UploadResult {
  const kind = KINDS[upload.kind];
  if (field !== upload.field)
    return { problem: `The file is not in the form field ${upload.field}. Send it there.` };
  if (!name.endsWith(kind.ending))
    return { problem: `The file name does not end with ${kind.ending}. Rename the file.` };
  if (mediaType !== kind.mediaType)
    return { problem: `The Content-Type of the file is not ${kind.mediaType}. Send it with that type.` };
  try {
    return kind.read(utf8.decode(bytes), name);
  } catch {
    return { problem: 'The file is not UTF-8. Send it as text.' };
  }
}

/** Puts the result of an upload into the members of the contract's answer that have a place for it. */
export function withUploadResult({ status, headers, body }: Negotiated, result: UploadResult): Reply {
  const members: Record<string, unknown> =
    'problem' in result
      ? { error_description: result.problem, detail: result.problem }
      : { ingested_records: result.records };
  const filled = Object.entries((body ?? {}) as object).map(([name, old]) => [name, members[name] ?? old]);
  return json(status, Object.fromEntries(filled), headers);
}
