/** The requests of a run at operations that take files. They leave something behind, so they are sent only on demand. */
import type { UploadProbes } from '../support/evidence.ts';
import type { Run } from './run.ts';
import { sampleFile } from './sample-uploads.ts';
import { notSent, type Send } from './sender.ts';

export interface UploadContext extends Pick<Run, 'api' | 'target'> {
  profile: Run['profile'] | undefined;
  send: Send;
  /** A live one. */
  token: string | undefined;
}

export async function observeUploads({
  api,
  target,
  profile,
  send,
  token,
}: UploadContext): Promise<UploadProbes[]> {
  if (!target.allowUploads) return [];
  const probes: UploadProbes[] = [];
  for (const { id, path, upload } of profile?.operations ?? []) {
    const file = upload && sampleFile(upload.kind, new Date());
    if (!file) continue;
    const post = (what: string, withToken?: string) =>
      send(what, () => api.upload(what, path, upload.field, file, withToken));
    const what = `a file for ${path}`;
    probes.push({
      operation: id,
      withoutToken: await post(`${what} without a token`),
      valid:
        token === undefined
          ? notSent(what, 'No token was obtained (see MRS-4.1a).')
          : await post(what, token),
    });
  }
  return probes;
}
