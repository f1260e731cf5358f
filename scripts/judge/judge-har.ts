/** One run of `mrs judge`: a HAR file, or the evidence of an earlier report, is judged and reported; nothing is sent. */
import { createReadStream, statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { reportOf as reportOfClient } from '../../tests/client/report.ts';
import { embeddedIn } from '../../tests/report/page.ts';
import { clearReports, isReplaced, publish } from '../../tests/report/publish.ts';
import { judgedAgain, parseReport, type Report } from '../../tests/report/report.ts';
import type { Print } from '../../tests/report/terminal.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import { secretsOfEnvironment } from '../../tests/server/probe/target.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf as runReportOf } from '../../tests/server/report/report.ts';
import { mapExchanges } from '../../tests/server/support/evidence.ts';
import { FORMAT as EVIDENCE, fileOf, foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { digestOf } from '../../tests/support/version.ts';
import { FORMAT as EXAMINATION, examinationFile, foreignExamination } from '../certify/examination-file.ts';
import { withoutSecrets } from '../verify/gather-evidence.ts';
import { type JudgedRecording, judgeRecording } from './judge-recording.ts';
import { type Recording, readRecording } from './read-recording.ts';
import { type JudgingRun, reportOf } from './report.ts';

export interface JudgeOptions {
  baseUrl?: string | undefined;
  /** In seconds, as agreed with the operator. */
  tokenLifetime?: number | undefined;
  processes: number;
  /** Of deviations that are accepted, for the evidence of a run. */
  baseline?: string | undefined;
  reportDir: string;
  print: Print;
}

/** Returns the exit code. `file` is a path, or `-` for standard input. Throws UsageError for what the user can correct. */
export async function judgeHar(file: string, options: JudgeOptions): Promise<number> {
  const { baseUrl, tokenLifetime: lifetimeSeconds, processes, reportDir: directory, print } = options;
  if (file !== '-' && isReplaced(file, directory))
    throw new UsageError(`The reports would replace ${file}. Name another directory by --report-dir.`);
  clearReports(directory);
  // Most of what is read is garbage at once. By default, V8 lets the heap grow to several times of what is in use.
  setFlagsFromString('--heap-growing-percent=30');
  const startedAt = new Date();
  const name = file === '-' ? 'Standard input' : file || '""';
  const bytes = await bytesOf(file, name);
  const written = writtenIn(bytes, name);
  if (written) return judgeAgain(written, name, options);
  if (options.baseline !== undefined)
    throw new UsageError(
      `--baseline (MRS_BASELINE) is for the evidence of mrs verify, and ${name} is a recording. Leave it out.`,
    );
  const recording = readRecording(bytes, name, baseUrl);
  const judged = judgeRecording(recording, { lifetimeSeconds, processes });
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  const run = { startedAt: startedAt.toISOString(), durationMs };
  return publishReport(recording, judged, run, { directory, print });
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

// What a file holds: a recording, or what mrs wrote itself.

/** What mrs verify or mrs certify wrote. */
interface Written {
  evidence: string;
  /** Absent where the file is only the evidence. */
  page?: Report;
  isExamination: boolean;
}

const MEBIBYTE = 1024 * 1024;
/** A text of JavaScript cannot be much longer. */
const MOST_BYTES = 500 * MEBIBYTE;

async function bytesOf(file: string, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const count = (bytes: number) => {
    length += bytes;
    if (length > MOST_BYTES)
      throw new UsageError(
        `${name} is larger than ${MOST_BYTES / MEBIBYTE} MiB. Remove the entries of other hosts, or record for a shorter time.`,
      );
  };
  try {
    if (file !== '-' && statSync(file).size > MOST_BYTES) count(MOST_BYTES + 1);
    const stream = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: MEBIBYTE });
    for await (const chunk of stream) {
      count(chunk.length);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(`${name} cannot be read (${code}). Name a HAR file, or - for standard input.`);
  }
  return Buffer.concat(chunks);
}

/** What mrs wrote itself, whatever the file is named; undefined for a recording. */
function writtenIn(bytes: Buffer, name: string): Written | undefined {
  const start = bytes.toString('utf8', 0, 1000).trimStart();
  if (start.startsWith('<')) return pageIn(bytes.toString(), name);
  if (/^\{\s*"\$schema": "[^"]*\/report\.schema\.json"/.test(start))
    throw new UsageError(`${name} is a report without its evidence. Name the report.html next to it.`);
  const format = [EVIDENCE, EXAMINATION].find((one) => bytes.includes(one)); // A recording can be large: it is parsed once.
  if (format === undefined) return undefined;
  const evidence = bytes.toString().trimEnd();
  try {
    const { log, format: own = log?._mrs?.format } = JSON.parse(evidence);
    return own === format ? { evidence, isExamination: format === EXAMINATION } : undefined;
  } catch {
    return undefined;
  }
}

/** What a page embeds. Throws UsageError where the page has no evidence, or other evidence than it was written with. */
function pageIn(text: string, file: string): Written {
  const { evidence, report: embedded } = embeddedIn(text) ?? {};
  if (evidence === undefined || embedded === undefined)
    throw new UsageError(
      `${file} does not hold the evidence of a report. Name a report.html that mrs verify or mrs certify wrote, or a HAR file.`,
    );
  const page = parseReport(embedded, file);
  if (page.judge !== 'verify' && page.judge !== 'certify')
    throw new UsageError(`${file} is a report of mrs ${page.judge}, which cannot be judged again.`);
  const digest = digestOf(evidence);
  if (page.properties.evidence !== digest)
    throw new UsageError(
      `The evidence in ${file} was changed: its digest is ${digest}, and the report says ${page.properties.evidence}. Ask for the page as it was written.`,
    );
  return { evidence, page, isExamination: page.judge === 'certify' };
}

/** Judges again what mrs wrote. Returns the exit code. Throws UsageError for what cannot be judged again. */
function judgeAgain(written: Written, file: string, options: JudgeOptions): number {
  const { reportDir: directory, print, baseline } = options;
  const [stray] =
    Object.entries({
      '--base-url': options.baseUrl,
      '--token-lifetime': options.tokenLifetime,
      '--processes': options.processes === 1 ? undefined : options.processes,
    }).find(([, given]) => given !== undefined) ?? [];
  if (stray !== undefined)
    throw new UsageError(`${stray} is for recordings, and ${file} has what was agreed in it. Leave it out.`);
  if (written.isExamination && baseline !== undefined)
    throw new UsageError(
      `--baseline (MRS_BASELINE) is for the evidence of mrs verify, and ${file} is of mrs certify. Leave it out.`,
    );
  const accepted = baseline === undefined ? undefined : readBaseline(baseline);
  const secrets = secretsOfEnvironment(process.env);
  const { again, evidence } = evidenceAgain(written, file, secrets);
  const remarks = written.page ? [agreementOf(written.page, again)] : [];
  const report = { ...again, remarks: [...remarks, ...again.remarks] };
  return publish(applyBaseline(report, accepted), { directory, print, secrets, evidence });
}

/** The report by the evidence, and the evidence as it is written with that. */
function evidenceAgain({ evidence: text, isExamination }: Written, file: string, secrets: Secrets) {
  try {
    if (isExamination) {
      const examined = secrets.redact(foreignExamination(text, file));
      return {
        again: judgedAgain(reportOfClient(examined), digestOf(text)),
        evidence: examinationFile(examined),
      };
    }
    const { evidence: foreign, profile: declared } = foreignEvidence(text, file);
    const evidence = mapExchanges(foreign, (exchange) => redactExchange(exchange, secrets));
    const profile = withoutSecrets(declared, secrets);
    const report = runReportOf({ evidence, profile, ...judgeAll(evidence, profile) });
    const content = { name: 'evidence.har' as const, content: fileOf(evidence, profile) };
    return { again: judgedAgain(report, digestOf(text)), evidence: content };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Evidence of another form than that which mrs writes is the user's to replace.
    throw new UsageError(`The evidence in ${file} is damaged. Ask for the file as it was written.`);
  }
}

/** Whether the page says what its evidence shows. */
function agreementOf(before: Report, after: Report): string {
  const pairs = after.items.map(({ id, verdict }) => [
    id,
    verdict,
    before.items.find((item) => item.id === id)?.verdict ?? 'absent',
  ]);
  const changed = [...pairs, ['the outcome', after.outcome, before.outcome]]
    .filter(([, now, said]) => now !== said)
    .map(([what, now, said]) => `${what} is ${now} by its evidence, and ${said} in the page`);
  const { version } = before.suite;
  if (changed.length === 0)
    return 'The verdicts in the data of the page follow from its evidence. Its text was not compared: read this report instead.';
  const writer = version === after.suite.version ? '' : ` Version ${version} wrote the page.`;
  return `The page does not agree with its evidence: ${changed.join('; ')}.${writer}`;
}
