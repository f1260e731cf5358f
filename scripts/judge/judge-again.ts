/** Judges again what mrs wrote: the evidence of `mrs verify` or `mrs certify`, as a file or in the page of its report. */
import { existsSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { reportOf as reportOfClient } from '../../tests/client/report.ts';
import { embeddedIn, renderPage } from '../../tests/report/page.ts';
import { asWritten, publish } from '../../tests/report/publish.ts';
import { judgedAgain, parseReport, type Report } from '../../tests/report/report.ts';
import type { Print } from '../../tests/report/terminal.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import { secretsOfEnvironment } from '../../tests/server/probe/target.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf as runReportOf } from '../../tests/server/report/report.ts';
import { mapExchanges } from '../../tests/server/support/evidence.ts';
import { FORMAT as EVIDENCE, fileOf, foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import { REPORT_BYTES, readBounded } from '../../tests/support/files.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { digestOf } from '../../tests/support/version.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import { FORMAT as EXAMINATION, examinationFile, foreignExamination } from '../certify/examination-file.ts';
import { withoutSecrets } from '../verify/gather-evidence.ts';

export interface JudgeOptions {
  baseUrl?: string | undefined;
  /** As readHealthPaths returns them. */
  healthPaths: readonly string[];
  tokenLifetime?: AgreedLifetimes | undefined;
  processes: number;
  /** Of deviations that are accepted, for the evidence of a run. */
  baseline?: string | undefined;
  reportDir: string;
  print: Print;
}

/** Returns the exit code; undefined for a recording. Throws UsageError for what cannot be judged again. */
export function judgeAgain(file: string, options: JudgeOptions): number | undefined {
  const written = writtenIn(file);
  if (!written) return undefined;
  const { reportDir: directory, print, baseline } = options;
  const { evidence, page, isExamination } = written;
  const [stray] =
    Object.entries({
      '--base-url': options.baseUrl,
      '--token-lifetime': options.tokenLifetime,
      '--health-paths': options.healthPaths[0],
      '--processes': options.processes === 1 ? undefined : options.processes,
    }).find(([, given]) => given !== undefined) ?? [];
  if (stray !== undefined)
    throw new UsageError(`${stray} is for recordings, and ${file} has what was agreed in it. Leave it out.`);
  if (isExamination && baseline !== undefined)
    throw new UsageError(
      `--baseline (MRS_BASELINE) is for the evidence of mrs verify, and ${file} is of mrs certify. Leave it out.`,
    );
  const accepted = baseline === undefined ? undefined : readBaseline(baseline);
  const secrets = secretsOfEnvironment(process.env);
  const { again, content } = evidenceAgain(written, file, secrets);
  const remarks = page ? [agreementOf(page.report, again, { page: page.text, evidence })] : [];
  const report = { ...again, remarks: [...remarks, ...again.remarks] };
  return publish(applyBaseline(report, accepted), { directory, print, secrets, evidence: content });
}

/** What a file holds that mrs wrote itself. */
interface Written {
  evidence: string;
  /** Absent where the file is only the evidence. */
  page?: { report: Report; text: string };
  isExamination: boolean;
}

/** Whatever the file is named. Undefined for a recording. Throws UsageError for a page without evidence. */
function writtenIn(file: string): Written | undefined {
  const status = existsSync(file) ? statSync(file) : undefined;
  const isPipe = status !== undefined && !status.isFile() && !status.isDirectory();
  const isLarge = (status?.size ?? 0) > REPORT_BYTES && !/\.html?$/i.test(file);
  if (isPipe || isLarge) return undefined; // As a recording, it is read in parts, and a pipe once.
  const advice = 'Name a HAR file, or - for standard input.';
  const text = readBounded(file, REPORT_BYTES, file || '""', advice).toString();
  if (text.trimStart().startsWith('<')) return pageIn(text, file);
  if (/^\s*\{\s*"\$schema": "[^"]*\/report\.schema\.json"/.test(text))
    throw new UsageError(`${file} is a report without its evidence. Name the report.html next to it.`);
  const format = [EVIDENCE, EXAMINATION].find((one) => text.includes(one)); // A recording can be large: it is parsed once.
  if (format === undefined) return undefined;
  try {
    const { log, format: own = log?._mrs?.format } = JSON.parse(text);
    return own === format ? { evidence: text.trimEnd(), isExamination: format === EXAMINATION } : undefined;
  } catch {
    return undefined;
  }
}

/** What a page embeds. */
function pageIn(text: string, file: string): Written {
  const { evidence, report: embedded } = embeddedIn(text) ?? {};
  if (evidence === undefined || embedded === undefined)
    throw new UsageError(
      `${file} does not hold the evidence of a report. Name a report.html that mrs verify or mrs certify wrote, or a HAR file.`,
    );
  const report = parseReport(embedded, file);
  if (report.judge !== 'verify' && report.judge !== 'certify')
    throw new UsageError(`${file} is a report of mrs ${report.judge}, which cannot be judged again.`);
  const digest = digestOf(evidence);
  if (report.properties.evidence !== digest)
    throw new UsageError(
      `The evidence in ${file} was changed: its digest is ${digest}, and the report says ${report.properties.evidence}. Ask for the page as it was written.`,
    );
  return { evidence, page: { report, text }, isExamination: report.judge === 'certify' };
}

/** The report by the evidence, and the evidence as it is written with that. */
function evidenceAgain({ evidence: text, isExamination }: Written, file: string, secrets: Secrets) {
  try {
    if (isExamination) {
      const examined = secrets.redact(foreignExamination(text, file));
      return {
        again: judgedAgain(reportOfClient(examined), digestOf(text)),
        content: examinationFile(examined),
      };
    }
    const { evidence: foreign, profile: declared } = foreignEvidence(text, file);
    const evidence = mapExchanges(foreign, (exchange) => redactExchange(exchange, secrets));
    const profile = withoutSecrets(declared, secrets);
    const report = runReportOf({ evidence, profile, ...judgeAll(evidence, profile) });
    const content = { name: 'evidence.har' as const, content: fileOf(evidence, profile) };
    return { again: judgedAgain(report, digestOf(text)), content };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // Evidence of another form than that which mrs writes is the user's to replace.
    throw new UsageError(`The evidence in ${file} is damaged. Ask for the file as it was written.`);
  }
}

/** Whether the page says what its evidence shows. Of another version, the page can look different. */
function agreementOf(
  before: Report,
  after: Report,
  { page, evidence }: { page: string; evidence: string },
): string {
  const pairs: [string, string, string][] = after.items.map(({ id, verdict }) => [
    id,
    verdict,
    before.items.find((item) => item.id === id)?.verdict ?? 'absent',
  ]);
  const changed = [...pairs, ['the outcome', after.outcome, before.outcome] as const]
    .filter(([, now, said]) => now !== said)
    .map(([what, now, said]) => `${what} is ${now} by its evidence, and ${said} in the page`);
  const { version } = before.suite;
  const isOther = version !== after.suite.version;
  if (changed.length > 0)
    return `The page does not agree with its evidence: ${changed.join('; ')}.${isOther ? ` Version ${version} wrote the page.` : ''}`;
  if (isOther)
    return `The verdicts in the data of the page follow from its evidence. Its text was not compared, since version ${version} wrote it. Read this report instead.`;
  const isSame =
    COMPARED.every((name) => isDeepStrictEqual(asJson(before[name]), asJson(after[name]))) &&
    before.headline.startsWith(after.headline) &&
    page === asWritten(renderPage(before, evidence));
  return isSame
    ? 'The verdicts of the page follow from its evidence.'
    : 'The page was changed after it was written: the verdicts in its data follow from its evidence, but not all of its text does. Read this report instead.';
}

/** As JSON has it. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** What is the same whenever the same evidence is judged. */
const COMPARED = ['reason', 'counts', 'items', 'exchanges', 'sections'] as const;
