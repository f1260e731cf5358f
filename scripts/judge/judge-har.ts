/** One run of `mrs judge`: a HAR file, or the evidence of an earlier report, is judged and reported; nothing is sent. */
import { createReadStream } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { clearReports, isReplaced, publish } from '../../tests/report/publish.ts';
import type { Print } from '../../tests/report/terminal.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type JudgeOptions, judgeAgain } from './judge-again.ts';
import { type JudgedRecording, judgeRecording } from './judge-recording.ts';
import { type Recording, readRecording } from './read-recording.ts';
import { type JudgingRun, reportOf } from './report.ts';

/** Returns the exit code. `file` is a path, or `-` for standard input. Throws UsageError for what the user can correct. */
export async function judgeHar(file: string, options: JudgeOptions): Promise<number> {
  const { baseUrl, healthPaths, tokenLifetime: lifetimes, processes, reportDir: directory, print } = options;
  if (file !== '-' && isReplaced(file, directory))
    throw new UsageError(`The reports would replace ${file}. Name another directory by --report-dir.`);
  clearReports(directory);
  const code = file === '-' ? undefined : judgeAgain(file, options);
  if (code !== undefined) return code;
  if (options.baseline !== undefined)
    throw new UsageError(
      `--baseline (MRS_BASELINE) is for the evidence of mrs verify, and ${file} is a recording. Leave it out.`,
    );
  // Most of what is read is garbage at once. By default, V8 lets the heap grow to several times of what is in use.
  setFlagsFromString('--heap-growing-percent=30');
  const startedAt = new Date();
  const name = file === '-' ? 'Standard input' : file || '""';
  const bytes = bytesOf(file, name);
  const recording = await readRecording(bytes, name, baseUrl, healthPaths);
  const judged = judgeRecording(recording, { lifetimes, processes });
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  const run = { startedAt: startedAt.toISOString(), durationMs };
  return publishReport(recording, judged, run, { directory, print });
}

async function* bytesOf(file: string, name: string): AsyncGenerator<Uint8Array> {
  const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 1024 * 1024 });
  try {
    yield* stream;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name} cannot be read (${code}). Name a HAR file, or - for standard input.`);
  }
}

/** Writes the reports and prints the summary. Returns the exit code. Throws UsageError where no report can be written. */
export function publishReport(
  recording: Recording,
  judged: JudgedRecording,
  run: JudgingRun,
  to: { directory: string; print: Print; problems?: readonly string[] },
): number {
  return publish(reportOf(recording, judged, run), { ...to, secrets: judged.secrets });
}
