/** One run of `mrs judge`: a HAR file, or the evidence of an earlier report, is judged and reported; nothing is sent. */
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { Print } from '../../tests/report/output.ts';
import { embeddedIn, renderPage } from '../../tests/report/page.ts';
import {
  asWritten,
  checkDirectory,
  clearReports,
  digestOf,
  isReplaced,
  namesIn,
  publish,
} from '../../tests/report/publish.ts';
import { parseReport, type Report } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { JUDGED_AGAIN, reportOf as runReportOf } from '../../tests/server/report/report.ts';
import { fileOf, foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import { REPORT_BYTES, readBounded } from '../../tests/support/files.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import { examinationFile, foreignExamination, reportOn } from '../certify/examined.ts';
import { type JudgedRecording, judgeRecording } from './judge-recording.ts';
import { type Recording, readRecording } from './read-recording.ts';
import { type JudgingRun, reportOf } from './report.ts';

export interface JudgeOptions {
  baseUrl?: string | undefined;
  /** As readHealthPaths returns them. */
  healthPaths: readonly string[];
  tokenLifetime?: AgreedLifetimes | undefined;
  processes: number;
  reportDir: string;
  print: Print;
}

/** Returns the exit code. `file` is a path, or `-` for standard input. Throws UsageError for what the user can correct. */
export async function judgeHar(file: string, options: JudgeOptions): Promise<number> {
  const { baseUrl, healthPaths, tokenLifetime: lifetimes, processes, reportDir: directory, print } = options;
  if (file !== '-' && isReplaced(file, directory))
    throw new UsageError(`The reports would replace ${file}. Name another directory by --report-dir.`);
  if (file !== '-' && isEvidence(file)) return judgeAgain(file, { directory, print });
  checkDirectory(directory);
  // Most of what is read is garbage at once. By default, V8 lets the heap grow to several times of what is in use.
  setFlagsFromString('--heap-growing-percent=30');
  const startedAt = new Date();
  const name = file === '-' ? 'standard input' : file;
  const begin = () => clearReports(directory);
  const recording = await readRecording(bytesOf(file, name, begin), name, baseUrl, healthPaths);
  const judged = judgeRecording(recording, { lifetimes, processes });
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  const run = { startedAt: startedAt.toISOString(), durationMs };
  return publishReport(recording, judged, run, { directory, print });
}

/** Calls `onBegin` once there is something to judge: the reports of an earlier run would be taken for those of this one. */
async function* bytesOf(file: string, name: string, onBegin: () => void): AsyncGenerator<Uint8Array> {
  const stream: Readable = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    let hasBegun = false;
    for await (const chunk of stream) {
      if (!hasBegun) onBegin();
      hasBegun = true;
      yield chunk;
    }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${name} cannot be read (${code}). Name a HAR file, or - for standard input.`);
  } finally {
    stream.destroy();
  }
}

const CHUNK = 1024 * 1024;

/** Writes the reports on judged traffic, prints the summary and returns the exit code. Throws UsageError where no report can be written to the directory. */
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

// Evidence of an earlier report: a report.html that embeds it, or an evidence.har.

/** Whether a file is the page of a report, or the evidence of a run: a recording of others does not begin so. */
function isEvidence(file: string): boolean {
  if (IS_PAGE.test(file)) return true;
  try {
    if (!statSync(file).isFile()) return false; // A pipe can be read once.
    const descriptor = openSync(file, 'r');
    const start = Buffer.alloc(START);
    const length = readSync(descriptor, start);
    closeSync(descriptor);
    return /"format"\s*:\s*"mrs-contract evidence"/.test(start.subarray(0, length).toString('latin1'));
  } catch {
    return false; // Reading it as a recording says why.
  }
}

const IS_PAGE = /\.html?$/i;
/** Bytes in which the format of an evidence.har is. */
const START = 2000;

/** Throws UsageError for what cannot be judged, and for evidence that was changed. */
function judgeAgain(file: string, { directory, print }: { directory: string; print: Print }): number {
  const text = textOf(file);
  const { report, evidence } = IS_PAGE.test(file) ? read(text, file) : { evidence: text.trimEnd() };
  const { again, content } = orRefuse(file, () =>
    report?.judge === 'certify' ? examinationAgain(evidence, file) : runAgain(evidence, file),
  );
  clearReports(directory);
  const remarks = report ? differences(report, again, { page: text, evidence }) : [];
  return publish(
    { ...again, remarks: [...remarks, ...again.remarks] },
    { directory, print, secrets: createSecrets(), evidence: content },
  );
}

/** Evidence of another form than that which mrs writes is the user's to replace. */
function orRefuse<Result>(file: string, judge: () => Result): Result {
  try {
    return judge();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The evidence in ${file} is damaged. Ask for the file as it was written.`);
  }
}

function runAgain(text: string, file: string) {
  const judgedAgain = digestOf(text);
  const { evidence, profile } = foreignEvidence(text, file);
  const again = runReportOf({ evidence, profile, ...judgeAll(evidence, profile), judgedAgain });
  return { again, content: { name: 'evidence.har' as const, content: fileOf(evidence, profile) } };
}

function examinationAgain(text: string, file: string) {
  const examined = foreignExamination(text, file);
  const report = reportOn(examined);
  const again: Report = {
    ...report,
    tally: `${report.tally}; judged again`,
    remarks: [JUDGED_AGAIN, ...report.remarks],
    properties: { ...report.properties, judgedAgain: digestOf(text) },
  };
  return {
    again,
    content: examinationFile(examined),
  };
}

/** What a page embeds. */
function read(page: string, file: string): { report: Report; evidence: string } {
  const parts = embeddedIn(page);
  if (parts === undefined)
    throw new UsageError(
      `${file} does not hold the evidence of a report. Name a report.html that mrs verify or mrs certify wrote, or a HAR file.`,
    );
  const report = parseReport(parts.report, file);
  if (report.judge !== 'verify' && report.judge !== 'certify')
    throw new UsageError(`${file} is a report of mrs ${report.judge}, which cannot be judged again.`);
  const said = digestOf(parts.evidence);
  if (report.properties.evidence !== said)
    throw new UsageError(
      `The evidence in ${file} was changed: its digest is ${said}, and the report says ${report.properties.evidence}. Ask for the page as it was written.`,
    );
  return { report, evidence: parts.evidence };
}

function textOf(file: string): string {
  try {
    return readBounded(file, REPORT_BYTES, { followsLink: true }).toString();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `${file} cannot be read (${code}). Name a report.html of mrs verify or mrs certify.`,
    );
  }
}

/** Where the page says something else than its evidence: by a change of the page, or by another version of the suite. */
function differences(
  before: Report,
  after: Report,
  { page, evidence }: { page: string; evidence: string },
): string[] {
  const changed = after.items.flatMap(({ id, verdict }) => {
    const said = before.items.find((item) => item.id === id)?.verdict ?? 'absent';
    return said === verdict ? [] : [`${id} is ${verdict} by its evidence, and ${said} in the page`];
  });
  const made =
    before.suite.version === after.suite.version
      ? ''
      : ` The page was written by version ${before.suite.version}.`;
  const isSame = COMPARED.every((name) => isDeepStrictEqual(asJson(before[name]), asJson(after[name])));
  // Of another version, the page can look different.
  const isShown = made !== '' || page === asWritten(renderPage(before, evidence));
  if (changed.length === 0 && isSame && isShown && saysTheSame(before, after))
    return ['The verdicts of the page follow from its evidence.'];
  const what = changed.length > 0 ? `: ${changed.join('; ')}` : ', although the verdicts are the same';
  return [`The page does not agree with its evidence${what}.${made}`];
}

/** As JSON has it. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** What is the same whenever the same evidence is judged. */
const COMPARED = ['outcome', 'cause', 'counts', 'items', 'exchanges', 'sections'] as const;

/** Without the mark of a report that was judged again, and without what a baseline adds. */
function saysTheSame(before: Report, after: Report): boolean {
  const sentence = ({ headline }: Report) => headline.split(': ').at(-1)?.toLowerCase() ?? '';
  return sentence(before).startsWith(sentence(after));
}
