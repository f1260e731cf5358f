/** One run of `mrs judge`: a HAR file is read, judged and reported. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { usesColor } from '../../tests/report/color.ts';
import { outputOf, type Print } from '../../tests/report/output.ts';
import { createPublisher } from '../../tests/report/publish.ts';
import { checkDirectory, clearReports, isReplaced } from '../../tests/report/report-directory.ts';
import { readSchema } from '../../tests/report/schema.ts';
import { frameOf, writeReports } from '../../tests/report/write.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { judgeRecording } from './judge-recording.ts';
import { readRecording } from './read-recording.ts';
import { modelOf } from './report/model.ts';
import { buildReport, type TrafficReport } from './report/report.ts';
import { renderReport } from './report/terminal.ts';

export interface JudgeOptions {
  baseUrl?: string | undefined;
  /** In seconds. */
  tokenLifetime?: number | undefined;
  processes: number;
  reportDir: string;
  print: Print;
}

/** Returns the exit code. `file` is a path, or `-` for standard input. Throws UsageError for what the user can correct. */
export async function judgeHar(file: string, options: JudgeOptions): Promise<number> {
  const { baseUrl, tokenLifetime: lifetimeSeconds, processes, reportDir: directory, print } = options;
  if (file !== '-' && isReplaced(file, directory))
    throw new UsageError(`The reports would replace ${file}. Name another directory by --report-dir.`);
  checkDirectory(directory);
  // Most of what is read is garbage at once. By default, V8 lets the heap grow to several times of what is in use.
  setFlagsFromString('--heap-growing-percent=30');
  const startedAt = new Date();
  const name = file === '-' ? 'standard input' : file;
  const recording = await readRecording(bytesOf(file, name), name, baseUrl);
  const judged = judgeRecording(recording, { lifetimeSeconds, processes });
  const durationMs = Date.now() - startedAt.getTime();
  const { report, secrets } = buildReport(recording, judged, {
    lifetimeSeconds,
    startedAt: startedAt.toISOString(),
    durationMs: Math.max(0, durationMs),
  });

  clearReports(directory);
  const schema = readSchema('traffic');
  const model = modelOf(report);
  const publisher = createPublisher(secrets, frameOf(schema, modelOf(withoutTraffic(report))));
  writeReports({ report, schema, model }, directory, publisher);
  const page = join(directory, 'report.html');
  const color = usesColor(process.stdout, process.env);
  publisher.print(
    outputOf({ report, model, text: renderReport(report, { color, page }), page }, print, color),
  );
  for (const problem of publisher.problems) console.error(`mrs: ${problem}`);
  return publisher.problems.length > 0 ? exitCodes.error : exitCodes[report.outcome];
}

async function* bytesOf(file: string, name: string): AsyncGenerator<Uint8Array> {
  const stream: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    yield* stream;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} cannot be read (${code}). Name a HAR file, or - for standard input.`);
  } finally {
    stream.destroy();
  }
}

const CHUNK = 1024 * 1024;

/** The report on a recording without traffic, for what the reports contain in any case. */
const withoutTraffic = (report: TrafficReport): TrafficReport => ({
  ...report,
  baseUrl: '',
  recording: { ...report.recording, file: '', creator: '' },
  server: {
    ...report.server,
    requirements: report.server.requirements.map(({ evidence, ...rest }) => ({
      ...rest,
      evidence: { seen: '', kept: evidence.kept, violated: evidence.violated, exchanges: [] },
    })),
  },
  client: {
    ...report.client,
    rules: report.client.rules.map((rule) => ({ ...rule, findings: [] })),
    clients: [],
  },
  exchanges: [],
});
