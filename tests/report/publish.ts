/** The one place from which a run writes and prints: nothing leaves it that holds a secret. */
import { accessSync, appendFileSync, constants, existsSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory, replaceFile } from '../support/files.ts';
import { ledger } from '../support/requirements.ts';
import type { Secrets } from '../support/secrets.ts';
import { UsageError } from '../support/usage-error.ts';
import { exitCodes } from '../support/verdict.ts';
import { digestOf, suite } from '../support/version.ts';
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
  /** Further words of ours in the texts of the report: a secret may be one of them. */
  words?: string;
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
 * appended to GITHUB_STEP_SUMMARY. Returns the exit code: that of the outcome, or 2 where something was held back or
 * could not be written.
 */
export function publish(judged: Report, { print, problems = [], end, ...to }: Publication): number {
  const { report: whole, publisher, held } = writeReports(judged, to);
  if (to.directory !== undefined && exitCodes[shownOutcome(whole)] === 0) conformant.add(to.directory);
  publisher.problems.unshift(...problems);
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  if (summary && to.directory !== undefined && publisher.problems.length === 0)
    publisher.append(summary, renderMarkdown(whole), held);
  const { length } = publisher.problems;
  const report = length === 0 ? whole : notWhole(whole, length);
  const file = join(to.directory ?? '', 'report.html');
  const page = to.directory !== undefined && existsSync(file) ? file : undefined;
  const appearance = {
    color: usesColor(process.stdout, process.env),
    page,
    end: length === 0 ? end : undefined,
  };
  if (print !== 'none') publisher.print(outputOf(report, print, appearance), held);
  return endOf(report, publisher, publisher.problems.length > length ? print : 'none');
}

/** The report as it is printed where files of it are missing: what was found, but not that all is well. */
const notWhole = (report: Report, problems: number): Report => ({
  ...{ ...report, outcome: 'error', reason: undefined, headline: 'The reports are not whole' },
  tally: `${several(problems, 'problem')} with the reports`,
  baseline: report.baseline && { ...report.baseline, outcome: 'error' },
});

/**
 * Writes all files of a report, and adds the digest of the evidence, by which a reader can see whether it was changed. Secrets
 * are searched once, in what the files are made of: `held` names those found, and then no file is written, which is a problem
 * of the publisher. Where a file is missing, none of the others says that all is well: the run ends with an error.
 */
export function writeReports(
  judged: Report,
  { directory, secrets, words = '', evidence, files: more = {} }: Files,
): { report: Report; publisher: Publisher; held: readonly string[] } {
  const embedded = evidence && inert(JSON.stringify(evidence.content));
  const digest = embedded === undefined ? {} : { evidence: digestOf(embedded) };
  const report = { ...judged, properties: { ...judged.properties, ...digest } };
  const names = evidence ? namesIn(evidence.content) : '';
  const publisher = createPublisher(secrets, [ownWordsOf(report), words, names].join(' '));
  const json = `${JSON.stringify(report, null, 2)}\n`;
  const held = publisher.leaksIn(`${json}${embedded ?? ''}`);
  if (directory === undefined) return { report, publisher, held };
  const files = {
    'report.json': json,
    ...(evidence && { [evidence.name]: `${embedded}\n` }),
    'report.html': renderPage(report, embedded),
    'junit.xml': renderJunit(report),
    'summary.md': renderMarkdown(report),
  };
  for (const [name, text] of Object.entries(files)) publisher.write(join(directory, name), text, held);
  for (const [name, text] of Object.entries(more)) publisher.write(join(directory, name), text);
  if (publisher.problems.length > 0 && exitCodes[shownOutcome(report)] === 0)
    for (const name of VERDICTS) rmSync(join(directory, name), { force: true });
  return { report, publisher, held };
}

/** Prints the problems, and the last line if it is not printed yet. Returns the exit code. */
export function endOf(report: Report, { problems }: Publisher, print: Print | 'none' = 'text'): number {
  for (const problem of problems) console.error(`mrs: ${problem}`);
  if (problems.length === 0) return exitCodes[shownOutcome(report)];
  // A program reads the rest as one document.
  if (print === 'text' || print === 'quiet')
    console.log(`outcome: error (${several(problems.length, 'problem')} with the reports)`);
  return exitCodes.error;
}

/** The members of a report whose values can come from outside. */
const OUTSIDE =
  /^(text|seen|reason|expected|command|cells|anchor|fold|findings|exchanges|problems|remarks|properties)$/;

/** The words of a report that are ours: a secret may be one of them. Of the requests of a run, that is all but their credentials. */
export function ownWordsOf(report: Report): string {
  const isOwn = ([name = '']: readonly string[]) => !/^(authorization|cookie)$/.test(name);
  const asked = report.exchanges.map(({ what, request }) => [
    what,
    request.headers?.filter(isOwn),
    request.form && Object.keys(request.form),
  ]);
  const own = (name: string, value: unknown) =>
    name === 'baseline' || OUTSIDE.test(name) ? undefined : value;
  return [
    report.judge === 'verify' ? JSON.stringify(asked) : '',
    JSON.stringify(report, own),
    namesIn(report),
  ].join(' ');
}

type Publisher = ReturnType<typeof createPublisher>;

/** Further words of ours in the texts of the reports. */
const OWN_WORDS =
  'Open points seen on the wire, none judged. Clause Expected Seen FAILED What to do: authorization user-agent ' +
  'content-type application/x-www-form-urlencoded application/json | client_credentials password outcome requests in ' +
  'HTTP/1.1 allow connection date etag expires location server vary waited asserted refused before its end; a live token is ' +
  'issued again; a newer token does not invalidate, or invalidates the one before';

/** Control and direction characters that came from outside, as JSON writes them: a viewer must not obey them. */
export const asWritten = (text: string): string => escapeUnits(text, /[\x7f-\x9f\p{Cf}\u2028\u2029]/gu);

/**
 * The names of all members of what is written as JSON, and its literals: they are in the file whatever a deployment sends.
 * The names in a shape are those of the deployment, and the names in a form those of a client.
 */
export function namesIn(written: object): string {
  const names = new Set(['true', 'false', 'null', suite.name, suite.version]);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        names.add(name);
        // Why a request was not sent, a sentence of ours.
        if (name === 'notSent') names.add(String(member));
        if (name !== 'members' && name !== 'form') visit(member);
      }
  };
  visit(written);
  return [...names].join(' ');
}

/** Create it once the secrets are known. `own`: words of ours in what is written, besides those of every report. */
export function createPublisher(secrets: Secrets, own = '') {
  const problems: string[] = [];
  // A secret may be a word of ours.
  const ordinary = [JSON.stringify(ledger), OWN_WORDS, own].join(' ');
  const leaksIn = (text: string) => secrets.leaks(text, ordinary);

  const isClean = (held: readonly string[], where: string) => {
    if (held.length > 0) problems.push(`${where} would have shown ${held.join(' and ')}, and was held back.`);
    return held.length === 0;
  };

  const writeBy = (write: (file: string, text: string) => void, file: string, text: string) => {
    try {
      write(file, asWritten(text));
    } catch (error) {
      problems.push(`${file} could not be written (${(error as NodeJS.ErrnoException).code}).`);
    }
  };

  return {
    /** The names of the secrets in a text. */
    leaksIn,
    /** Replaces the file, unless a secret is in the text (`held`): then there is no such file, and a problem is noted. */
    write(file: string, text: string, held: readonly string[] = leaksIn(text)) {
      if (isClean(held, file)) writeBy(replaceFile, file, text);
      else rmSync(file, { force: true });
    },
    /** Adds to a file that others write to as well. */
    append(file: string, text: string, held: readonly string[] = leaksIn(text)) {
      if (isClean(held, file)) writeBy(appendFileSync, file, text);
    },
    print(text: string, held: readonly string[] = leaksIn(text)) {
      if (isClean(held, 'The output')) console.log(asWritten(text));
    },
    /** What was held back or could not be written, as sentences. */
    problems,
  };
}

/** The files that show the outcome of a run. */
const VERDICTS = ['report.json', 'report.html', 'junit.xml', 'summary.md'];
const REPORTS = [...VERDICTS, 'evidence.har', 'evidence.json'];

/** Whether a run that reports to the directory would replace or remove this file, also where a path leads through a link. */
export const isReplaced = (file: string, directory: string): boolean =>
  REPORTS.some((name) => realPath(file) === realPath(join(directory, name)));

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : resolve(path));

/** Directories in which this program left reports that say that all is well. */
const conformant = new Set<string>();

/** To be called where a program ends with an error: of its reports, none that says that all is well is left. */
export function withdrawReports(): void {
  for (const directory of conformant) {
    for (const name of VERDICTS) rmSync(join(directory, name), { force: true });
    console.error(`mrs: The reports in "${directory}" were removed, since this run ended with an error.`);
  }
}

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
