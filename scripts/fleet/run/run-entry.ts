/** The run of one deployment, in a process of its own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import type { RunRecord } from '../../../tests/fleet/records.ts';
import { clearReports } from '../../../tests/report/publish.ts';
import { clip, inOneLine } from '../../../tests/report/text.ts';
import { formatDuration } from '../../../tests/support/duration.ts';
import type { Secrets } from '../../../tests/support/secrets.ts';
import type { ProcessReaper } from '../../certify/program.ts';
import { REPORT } from '../layout.ts';
import { readReportFile } from '../report-file.ts';
import { hideSecrets } from './foreign-secrets.ts';
import type { Prepared } from './prepare.ts';

export interface RunOptions {
  /** Where the reports of this deployment go. */
  folder: string;
  deadlineSeconds: number;
  /** Ends the run. */
  signal: AbortSignal;
  /** Of all deployments. */
  secrets: Secrets;
  /** Of the other deployments, which the process does not know. */
  others: Secrets;
  /** The digest of the suite. */
  suite: string;
  runId: string | undefined;
  reaper: ProcessReaper;
}

type End = { code: number } | { endedBy: string; isStarted: boolean };

/** After SIGTERM, until SIGKILL. */
const GRACE_MS = 5000;
/** Of its output, for the reason where there is no report. */
const KEPT_CHARACTERS = 20_000;
const LONGEST_REASON = 300;

const program = fileURLToPath(new URL('../../mrs.js', import.meta.url));

/** Of a run that begins now: what is known of it before it has ended. */
export const startOfRecord = (
  { name, feed }: Entry,
  settings: string,
  { suite, runId }: Pick<RunOptions, 'suite' | 'runId'>,
): Omit<RunRecord, 'durationMs'> => ({
  schemaVersion: 1,
  ...(runId !== undefined && { runId }),
  name,
  kind: feed === undefined ? 'service' : 'feed',
  settings,
  suite,
  startedAt: new Date().toISOString(),
});

/** Replaces the reports in the folder. Resolves with how the run ended, whatever happens to it. */
export async function runEntry(prepared: Prepared, options: RunOptions): Promise<RunRecord> {
  const { entry, settings } = prepared;
  const { folder, secrets } = options;
  clearReports(folder);
  const start = startOfRecord(entry, settings, options);
  const { end, output } = await runProcess(prepared, options);
  const isStarted = !('endedBy' in end) || end.isStarted;
  const leaked = isStarted ? hideSecrets(folder, options.others) : [];
  const record: RunRecord = {
    ...start,
    durationMs: Date.now() - Date.parse(start.startedAt),
    ...(leaked.length > 0 && {
      remark: `It sent the ${leaked.join(' and the ')}, which was taken out of its reports. Replace that secret.`,
    }),
  };
  if ('endedBy' in end) return { ...record, reason: end.endedBy };
  const words = `It printed: ${clip(inOneLine(secrets.redact(lastLine(output))), LONGEST_REASON)}`;
  if (!existsSync(join(folder, REPORT)))
    return { ...record, reason: `The run wrote no report (exit code ${end.code}). ${words}` };
  const { judged, digest = '' } = readReportFile(join(folder, REPORT));
  if (typeof judged === 'string') return { ...record, reason: judged };
  if (end.code > 3) return { ...record, reason: `The run broke down (exit code ${end.code}). ${words}` };
  return { ...record, exitCode: end.code, report: digest };
}

async function runProcess(
  { args, variables, entry }: Prepared,
  { folder, deadlineSeconds, signal, reaper }: RunOptions,
): Promise<{ end: End; output: string }> {
  const isFeed = entry.feed !== undefined;
  const child = spawn(process.execPath, [program, ...args, ...(isFeed ? ['--report-dir', folder] : [])], {
    env: isFeed ? variables : { ...variables, MRS_REPORT_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // A signal from the terminal is for this process, which passes it on once.
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString('utf8')).slice(-KEPT_CHARACTERS);
  };
  // A process that could not be started has no output, whatever its type says.
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', keep);
  const { pid } = child;
  if (pid !== undefined) reaper.watch(pid);

  let endedBy: string | undefined;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: string) => {
    if (endedBy !== undefined) return;
    endedBy = why;
    child.kill('SIGTERM');
    kill = setTimeout(() => endGroup(pid), GRACE_MS);
  };
  const interrupt = () => stop('The run was interrupted.');
  const deadline = setTimeout(
    () => stop(`The run was ended after ${formatDuration(deadlineSeconds)} (--deadline).`),
    deadlineSeconds * 1000,
  );
  signal.addEventListener('abort', interrupt);
  if (signal.aborted) interrupt();
  const ended = await new Promise<End>((resolve) => {
    child.on('error', (error) => resolve({ endedBy: whyNotStarted(error), isStarted: pid !== undefined }));
    child.on('close', (code, by) =>
      resolve(code === null ? { endedBy: whyKilled(by), isStarted: true } : { code }),
    );
    // What it started may hold its output open.
    child.on('exit', () => endGroup(pid));
  });
  clearTimeout(deadline);
  clearTimeout(kill);
  signal.removeEventListener('abort', interrupt);
  if (pid !== undefined) reaper.forget(pid);
  return { end: endedBy === undefined ? ended : { endedBy, isStarted: true }, output };
}

function whyNotStarted({ code = '', message }: NodeJS.ErrnoException): string {
  const limits: Record<string, string> = {
    EMFILE: 'too many files are open; give a smaller --at-once, or raise the limit of open files (ulimit -n)',
    EAGAIN: 'too many processes run; give a smaller --at-once, or raise the limit of processes (ulimit -u)',
  };
  return `The run could not be started: ${limits[code] ?? message}.`;
}

/** The system sends SIGKILL when memory runs out, but a user can send it too: the advice is only a hint. */
const whyKilled = (by: NodeJS.Signals | null): string =>
  by === 'SIGKILL'
    ? 'The run was ended by SIGKILL. If the memory ran out, give a smaller --at-once.'
    : `The run was ended by ${by}.`;

/** The process and all that it started. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // They are gone.
  }
}

const lastLine = (output: string): string => output.trimEnd().split('\n').at(-1) ?? '';
