/** Writes the reports on judged traffic, and prints the summary. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { usesColor } from '../../tests/report/color.ts';
import { outputOf, type Print } from '../../tests/report/output.ts';
import { createPublisher, namesIn } from '../../tests/report/publish.ts';
import { clearReports } from '../../tests/report/report-directory.ts';
import { readSchema } from '../../tests/report/schema.ts';
import { several } from '../../tests/report/text.ts';
import { frameOf, writeReports } from '../../tests/report/write.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import type { JudgedRecording } from './judge-recording.ts';
import type { Recording } from './read-recording.ts';
import { modelOf } from './report/model.ts';
import { buildReport, type JudgingRun, type TrafficReport, wordsAmong } from './report/report.ts';
import { renderReport } from './report/terminal.ts';

/** Returns the exit code. Throws UsageError where no report can be written to the directory. */
export function publishReport(
  recording: Recording,
  judged: JudgedRecording,
  run: JudgingRun,
  { directory, print }: { directory: string; print: Print },
): number {
  const { report, secrets } = buildReport(recording, judged, run);
  clearReports(directory);
  const schema = readSchema('traffic');
  const model = modelOf(report);
  const frame = frameOf(schema, modelOf(withoutTraffic(report)));
  const words = wordsAmong(judged.secrets, sentencesIn(report));
  const publisher = createPublisher(secrets, [frame, namesIn(report), ...words].join(' '));
  writeReports({ report, schema, model }, directory, publisher);
  const file = join(directory, 'report.html');
  const page = existsSync(file) ? file : undefined;
  const color = usesColor(process.stdout, process.env);
  publisher.print(
    outputOf({ report, model, text: renderReport(report, { color, page }), page }, print, color),
  );
  for (const problem of publisher.problems) console.error(`mrs: ${problem}`);
  // The last line has a stable form, and must not say more than the exit code.
  if (publisher.problems.length > 0)
    console.log(`outcome: error (${several(publisher.problems.length, 'problem')} with the reports)`);
  return publisher.problems.length > 0 ? exitCodes.error : exitCodes[report.outcome];
}

/** What the report says of the traffic in our own words. */
const sentencesIn = ({ server, client }: TrafficReport): string[] => [
  ...server.requirements.flatMap(({ evidence: { seen, expected = '', reason = '' } }) => [
    seen,
    expected,
    reason,
  ]),
  ...client.rules.flatMap(({ findings, reason = '' }) => [reason, ...findings.map(({ seen }) => seen)]),
];

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
