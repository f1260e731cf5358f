/** `mrs feed`: judges the records of a feed that is published without tokens. */

import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { findRule, RULES } from '../../tests/feed/findings.ts';
import { MEBIBYTE, renderRule, reportOn } from '../../tests/feed/report/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { parseUtc } from '../../tests/feed/time.ts';
import { renderJunit } from '../../tests/report/junit.ts';
import { renderMarkdown } from '../../tests/report/markdown.ts';
import { printOf } from '../../tests/report/output.ts';
import { renderPage } from '../../tests/report/page.ts';
import { checkDirectory, isReplaced, publish } from '../../tests/report/publish.ts';
import type { Report } from '../../tests/report/report.ts';
import { renderTerminal } from '../../tests/report/terminal.ts';
import { escapeUnits } from '../../tests/report/text.ts';
import { parseDuration } from '../../tests/support/options.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import {
  addOptions,
  notePipe,
  type OptionTable,
  type OptionValues,
  QUIET_OPTION,
  REPORT_DIR_OPTION,
} from './options.ts';

/** Where the reports are, unless one report is asked for. */
const FEED_REPORTS = 'reports/feed';

/** A report in each format of --format. */
const VIEWS: Readonly<Record<string, (report: Report) => string>> = {
  text: (report) => renderTerminal(report, { color: false }),
  json: (report) => inAscii(JSON.stringify(report, null, 2)),
  html: (report) => renderPage(report),
  junit: renderJunit,
  markdown: renderMarkdown,
};

/** Characters that a terminal or a viewer would obey, escaped as in JSON. */
const inAscii = (json: string): string => escapeUnits(json, /[\x7f-\uffff]/g);

export const FEED_OPTIONS = {
  feed: {
    variable: 'MRS_FEED',
    help: 'feed to judge if none is named, for a URL that holds a key',
  },
  profile: {
    flag: '--profile <name|file>',
    help: 'profile that describes the records; legacy also accepts the schema of 2023',
    default: 'ods-record',
  },
  format: {
    flag: '--format <format>',
    help: `format of the report: ${Object.keys(VIEWS).join(', ')}`,
    default: 'text',
  },
  reportDir: {
    flag: REPORT_DIR_OPTION.flag, // The variable is for the reports of another judge, which these would replace.
    help: 'directory for the reports in all formats',
    defaultText: `${FEED_REPORTS}; none with --format`,
  },
  quiet: QUIET_OPTION,
  at: {
    flag: '--at <date>',
    help: 'moment in UTC to judge for',
    defaultText: 'the time when the feed was served, or now',
  },
  strict: { flag: '--strict', help: 'fail a feed with warnings' },
  timeout: {
    flag: '--timeout <duration>',
    help: 'time limit for reading a URL to its last byte',
    default: '60s',
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  bodyLimit: {
    flag: '--body-limit <MiB>',
    help: 'maximum size of the decoded feed, in MiB',
    default: '1024',
    parse: readBodyLimit,
  },
  explain: { flag: '--explain <rule>', help: 'explain a rule, and exit' },
} as const satisfies OptionTable;

type FeedOptions = OptionValues<typeof FEED_OPTIONS>;

export function feedCommand(): Command {
  const command = new Command('feed')
    .summary('judge the records of a feed')
    .description(
      'Judges mitigation request records from a file, standard input (-) or a URL that needs no token. ' +
        'Sends no credentials and follows no redirects.',
    )
    .argument('[feed]', 'a file, a URL, or - for standard input')
    .allowExcessArguments(false);
  return addOptions(command, FEED_OPTIONS)
    .addHelpText(
      'after',
      '\nExit codes: 0 no findings (warnings are shown), 1 findings, 2 error (the feed\n' +
        'could not be read, or an option is invalid), 3 incomplete (no findings, but a\n' +
        'part could not be judged). An empty list is an empty schedule: 0.',
    )
    .action(async (argument: string | undefined, options: FeedOptions) => {
      if (options.explain !== undefined) return console.log(explain(options.explain));
      const feed = argument ?? process.env.MRS_FEED;
      if (!feed)
        throw new UsageError(
          'Name a feed: a file, a URL, or - for standard input; mrs feed --help shows all.',
        );
      const secrets = createSecrets();
      if (argument === undefined) for (const key of keysIn(feed)) secrets.register(key, 'key of MRS_FEED');
      try {
        process.exitCode = await judge(feed, options, secrets);
      } catch (error) {
        throw error instanceof UsageError ? new UsageError(secrets.redact(error.message)) : error;
      }
    });
}

/** What may be a key in the query of a URL, as written, decoded and in a pointer: each value, and a name that has none. */
function keysIn(feed: string): string[] {
  const { search } = URL.canParse(feed) ? new URL(feed) : { search: '' };
  const keys = search
    .slice(1)
    .split('&')
    .flatMap((part) => {
      const at = part.indexOf('=');
      const written = part.slice(at + 1) || part.slice(0, -1);
      const decoded = new URLSearchParams(`key=${written}`).get('key') ?? '';
      return [written, decoded, decoded.replaceAll('~', '~0').replaceAll('/', '~1')];
    });
  // A short word or a day would also be found where it is not a key.
  return [...new Set(keys)].filter((key) => key.length >= 8 && !/^\d{4}-\d\d-\d\d/.test(key));
}

async function judge(feed: string, options: FeedOptions, secrets: Secrets): Promise<number> {
  const render = Object.hasOwn(VIEWS, options.format) ? VIEWS[options.format] : undefined;
  if (!render)
    throw new UsageError(`--format is "${options.format}". Write one of ${Object.keys(VIEWS).join(', ')}.`);
  const atMs = options.at === undefined ? undefined : momentOf(options.at);
  const { name, title, document } = await loadProfile(options.profile);
  const contract = feedContractOf(document);
  if (!contract)
    throw new UsageError(
      `The profile ${name} does not describe records (x-records). Name another, such as ods-record.`,
    );

  // A program that asks for one format gets that one only.
  const { format, quiet } = options;
  const directory = options.reportDir ?? (format === 'text' ? FEED_REPORTS : undefined);
  if (directory !== undefined && isReplaced(feed, directory))
    throw new UsageError(
      `The reports would replace the feed, ${feed}. Name another directory by --report-dir.`,
    );
  if (directory !== undefined) checkDirectory(directory);
  notePipe(feed);
  const source = await openFeed(feed, options.timeout);
  const judged = await reportOn(source, contract, {
    profile: { name, title },
    atMs,
    bodyBytes: options.bodyLimit,
    strict: options.strict === true,
  }).finally(() => source.close());

  const report = secrets.redact(judged);
  const publication = { directory, secrets };
  if (format === 'text') return publish(report, { ...publication, print: printOf({ quiet }) });
  console.log(render(report).trimEnd());
  return publish(report, { ...publication, print: 'none' });
}

/** In bytes. */
function readBodyLimit(text: string, name: string): number {
  const bytes = Number(text) * MEBIBYTE;
  if (bytes >= 1) return bytes;
  throw new UsageError(`${name} is "${text}". Give a number of MiB.`);
}

/** Throws UsageError with the nearest rule if there is no such rule. */
function explain(id: string): string {
  const rule = findRule(id);
  if (rule) return renderRule(rule);
  const ids = RULES.map((one) => one.id);
  throw new UsageError(
    `There is no rule "${id}". The nearest is "${closest(id, ids)}". All of them:\n${ids.join('\n')}`,
  );
}

function momentOf(text: string): number {
  const ms = parseUtc(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`--at is "${text}". Write a time in UTC, as 2030-01-31T12:00:00, or a day.`);
}
