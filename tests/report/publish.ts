/** The one place from which a run writes and prints: nothing leaves it that holds a secret. */
import { accessSync, appendFileSync, constants, existsSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory, replaceFile } from '../support/files.ts';
import type { Secrets } from '../support/secrets.ts';
import { UsageError } from '../support/usage-error.ts';
import { exitCodes } from '../support/verdict.ts';
import { digestOf } from '../support/version.ts';
import { renderJunit } from './junit.ts';
import { renderMarkdown } from './markdown.ts';
import { inert, renderPage } from './page.ts';
import { type Report, shownOutcome } from './report.ts';
import { outputOf, type Print, usesColor } from './terminal.ts';
import { escapeUnits, several } from './text.ts';

/** The files of a report. */
interface Files {
  /** Absent where no reports are wanted besides the printed one. */
  directory?: string | undefined;
  secrets: Secrets;
  /** What the report was made of, as a further file, which report.html embeds. */
  evidence?: { name: 'evidence.har' | 'evidence.json'; content: object } | undefined;
  /** Further files of the directory, by name. */
  files?: Readonly<Record<string, string>>;
}

/** The end of a run: where its reports go and what must not be in them. */
interface Publication extends Files {
  /** `none`: the command prints another format of it. */
  print: Print | 'none';
  /** Faults that came up while the report was made, as sentences. */
  problems?: readonly string[];
  /** A sentence after the outcome. */
  end?: string | undefined;
}

/**
 * Writes report.json, report.html, junit.xml and summary.md, and prints the report. The summary is also
 * appended to GITHUB_STEP_SUMMARY. Returns the exit code: that of the outcome, or 2 where something could not be written.
 */
export function publish(judged: Report, { print, problems: before = [], end, ...to }: Publication): number {
  const { report: whole, problems: unwritten } = writeReports(judged, to);
  const { directory } = to;
  const problems = [...before, ...unwritten];
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary && directory !== undefined && problems.length === 0)
    problems.push(...writeText(appendFileSync, summary, renderMarkdown(whole)));
  const { length } = problems;
  const report = length === 0 ? whole : notWhole(whole, length);
  const file = join(directory ?? '', 'report.html');
  const page = directory !== undefined && existsSync(file) ? file : undefined;
  const color = usesColor(process.stdout, process.env);
  if (print !== 'none')
    console.log(asWritten(outputOf(report, print, { color, page, end: length === 0 ? end : undefined })));
  for (const problem of problems) console.error(`mrs: ${problem}`);
  return length === 0 ? exitCodes[shownOutcome(report)] : exitCodes.error;
}

/** The report as it is printed where files of it are missing: what was found, but not that all is well. */
const notWhole = (report: Report, problems: number): Report => ({
  ...{ ...report, outcome: 'error', reason: undefined, headline: 'The reports are not whole' },
  tally: `${several(problems, 'problem')} with the reports`,
  baseline: report.baseline && { ...report.baseline, outcome: 'error' },
});

/**
 * Writes all files of a report without secrets, and adds the digest of the evidence, by which a reader can see whether it was
 * changed. `problems`: what could not be written, as sentences. Where a file is missing, none of the others says that all is
 * well: the run ends with an error.
 */
export function writeReports(
  judged: Report,
  { directory, secrets, evidence, files: more = {} }: Files,
): { report: Report; problems: readonly string[] } {
  const embedded = evidence && inert(JSON.stringify(secrets.seal(evidence.content)));
  const digest = embedded === undefined ? {} : { evidence: digestOf(embedded) };
  const sealed = withoutSecrets(judged, secrets);
  const report: Report = { ...sealed, properties: { ...sealed.properties, ...digest } };
  if (directory === undefined) return { report, problems: [] };
  const files = {
    'report.json': `${JSON.stringify(report, null, 2)}\n`,
    ...(evidence && { [evidence.name]: `${embedded}\n` }),
    'report.html': renderPage(report, embedded),
    'junit.xml': renderJunit(report),
    'summary.md': renderMarkdown(report),
    ...secrets.redact(more),
  };
  const problems = Object.entries(files).flatMap(([name, text]) =>
    writeText(replaceFile, join(directory, name), text),
  );
  if (problems.length > 0 && exitCodes[shownOutcome(report)] === 0)
    for (const name of VERDICTS) rmSync(join(directory, name), { force: true });
  return { report, problems };
}

/** The members of a report whose values can come from outside; all others are our words, which a secret may be. */
const OUTSIDE =
  /^(text|seen|reason|expected|command|cells|anchor|fold|findings|exchanges|problems|remarks|properties|baseline)$/;
/** Names in what comes from outside. */
const FIXED = /^(id|to|verdict|outcome|requirement|until)$/;

/** What a judge quoted was redacted by then. This is the last time that anyone looks. */
function withoutSecrets<T>(value: T, secrets: Secrets): T {
  const visit = (one: unknown, isOutside: boolean): unknown => {
    if (typeof one === 'string') return isOutside ? secrets.seal(one) : one;
    if (Array.isArray(one)) return one.map((member) => visit(member, isOutside));
    if (typeof one !== 'object' || one === null) return one;
    const members = Object.entries(one).map(([name, member]) => [
      isOutside ? secrets.seal(name) : name,
      FIXED.test(name) ? member : visit(member, isOutside || OUTSIDE.test(name)),
    ]);
    return Object.fromEntries(members);
  };
  return visit(value, false) as T;
}

/** Control and direction characters that came from outside, as JSON writes them: a viewer must not obey them. */
export const asWritten = (text: string): string => escapeUnits(text, /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu);

/** Writes by `replaceFile`, or adds to a file that others write to. Returns why it could not, as sentences. */
export function writeText(write: (file: string, text: string) => void, file: string, text: string): string[] {
  try {
    write(file, asWritten(text));
    return [];
  } catch (error) {
    return [`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`];
  }
}

/** The files that show the outcome of a run. */
const VERDICTS = ['report.json', 'report.html', 'junit.xml', 'summary.md'];
export const REPORTS = [...VERDICTS, 'evidence.har', 'evidence.json'];

/** Whether a run that reports to the directory would replace or remove this file, also where a path leads through a link. */
export const isReplaced = (file: string, directory: string): boolean =>
  REPORTS.some((name) => realPath(file) === realPath(join(directory, name)));

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

/**
 * To be called before a run begins: however it ends, no report of an earlier run is taken for its own, nor one of these files in
 * the directory. Makes the directory.
 * Throws UsageError if no report could be written there.
 */
export function clearReports(directory: string, files: readonly string[] = []): void {
  try {
    makeDirectory(directory);
    accessSync(directory, constants.W_OK);
    for (const name of [...REPORTS, ...files]) rmSync(join(directory, name), { force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `No report can be written to "${directory}" (${code}). Name another directory by --report-dir.`,
    );
  }
}
