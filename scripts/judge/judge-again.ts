/** Judges the evidence of an earlier report again, without a network: a report.html that embeds it, or an evidence.har. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Print } from '../../tests/report/output.ts';
import { embeddedIn, renderPage } from '../../tests/report/page.ts';
import { asWritten, clearReports, digestOf, isReplaced, publish } from '../../tests/report/publish.ts';
import { parseReport, type Report } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { JUDGED_AGAIN, reportOf } from '../../tests/server/report/report.ts';
import { fileOf, foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import { REPORT_BYTES, readBounded } from '../../tests/support/files.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { foreignExamination, reportOn } from '../certify/examined.ts';

/** Whether a file is the page of a report, or the evidence of a run: a recording of others does not begin so. */
export function isEvidence(file: string): boolean {
  if (/\.html?$/i.test(file)) return true;
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

/** Bytes in which the format of an evidence.har is. */
const START = 2000;

/** Returns the exit code, by the outcome. Throws UsageError for what cannot be judged, and for evidence that was changed. */
export function judgeAgain(
  file: string,
  { reportDir: directory, print }: { reportDir: string; print: Print },
): number {
  if (isReplaced(file, directory))
    throw new UsageError(`The reports would replace ${file}. Name another directory by --report-dir.`);
  const text = textOf(file);
  const { report, evidence } = /\.html?$/i.test(file) ? read(text, file) : { evidence: text.trimEnd() };
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
  const again = reportOf({ evidence, profile, ...judgeAll(evidence, profile), judgedAgain });
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
  return { again, content: { name: 'evidence.json' as const, content: JSON.parse(text) as object } };
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
