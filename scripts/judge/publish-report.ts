/** Writes the reports on judged traffic, and prints the summary. */
import type { Print } from '../../tests/report/output.ts';
import { clearReports, namesIn, publish } from '../../tests/report/publish.ts';
import type { JudgedRecording } from './judge-recording.ts';
import type { Recording } from './read-recording.ts';
import { type JudgingRun, reportOf } from './report/report.ts';

/** Returns the exit code. Throws UsageError where no report can be written to the directory. */
export function publishReport(
  recording: Recording,
  judged: JudgedRecording,
  run: JudgingRun,
  { directory, print }: { directory: string; print: Print },
): number {
  const { report, secrets, words } = reportOf(recording, judged, run);
  clearReports(directory);
  return publish(report, { directory, print, secrets, words: `${namesIn(report)} ${words}` });
}
