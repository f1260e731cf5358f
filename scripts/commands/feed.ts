/** `mrs feed`: judges the records of a feed that is published without tokens. */

import { Command } from 'commander';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { MEBIBYTE, reportOn } from '../../tests/feed/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { parseUtc } from '../../tests/feed/time.ts';
import { clearReports, isReplaced, publish } from '../../tests/report/publish.ts';
import { printOf } from '../../tests/report/terminal.ts';
import type { OptionTable, OptionValues } from '../../tests/support/option-table.ts';
import { parseTimeout } from '../../tests/support/options.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { interruption } from '../interruption.ts';
import { addOptions, FORMAT_OPTION, notePipe, QUIET_OPTION, REPORT_DIR_OPTION } from './options.ts';

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
  format: FORMAT_OPTION,
  reportDir: {
    flag: REPORT_DIR_OPTION.flag, // The variable is for the reports of another judge, which these would replace.
    help: 'directory for the reports in all formats',
    default: 'reports/feed',
  },
  quiet: QUIET_OPTION,
  at: {
    flag: '--at <date>',
    help: 'moment in UTC to judge for',
    defaultText: 'the time when the feed was served, or now',
    parse: momentOf,
  },
  strict: { flag: '--strict', help: 'fail a feed with warnings' },
  timeout: {
    flag: '--timeout <duration>',
    help: 'time limit for reading a URL to its last byte',
    default: '60s',
    parse: parseTimeout,
  },
  bodyLimit: {
    flag: '--body-limit <MiB>',
    help: 'maximum size of the decoded feed, in MiB',
    default: '1024',
    parse: readBodyLimit,
  },
} as const satisfies OptionTable;

type FeedOptions = OptionValues<typeof FEED_OPTIONS>;

export function feedCommand(): Command {
  const command = new Command('feed')
    .description(
      'Judges mitigation request records from a file, standard input (-) or a URL that needs no token. ' +
        'Sends no credentials and follows no redirects.',
    )
    .argument('[feed]', 'a file, a URL, or - for standard input')
    .allowExcessArguments(false);
  return addOptions(command, FEED_OPTIONS)
    .addHelpText(
      'after',
      '\nExit codes: 0 no findings (warnings are shown), 1 findings, 2 error (not a\n' +
        'feed, not readable, or an invalid option), 3 incomplete (no findings, but a part\n' +
        'could not be judged). An empty list is an empty schedule: 0.',
    )
    .action(async (argument: string | undefined, options: FeedOptions) => {
      const feed = argument ?? options.feed ?? '';
      const secrets = createSecrets();
      for (const key of keysIn(feed)) secrets.register(key, FEED_KEY);
      try {
        process.exitCode = await judge(feed, options, secrets);
      } catch (error) {
        throw error instanceof UsageError ? new UsageError(secrets.redact(error.message)) : error;
      }
    });
}

/** What the reports show in the place of such a key. */
export const FEED_KEY = 'key of the URL';

/** What may be a key in the query of a URL, as written, decoded and in a pointer: each value, and a name that has none. */
export function keysIn(feed: string): string[] {
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

/** What a profile says of records. Throws MockError for an invalid one, and UsageError for one that says nothing of them. */
export async function feedProfileOf(nameOrFile: string) {
  const { name, title, document } = await loadProfile(nameOrFile);
  const contract = feedContractOf(document);
  if (contract) return { profile: { name, title }, contract };
  throw new UsageError(
    `The profile ${name} does not describe records (x-records). Name another, such as ods-record.`,
  );
}

async function judge(feed: string, options: FeedOptions, secrets: Secrets): Promise<number> {
  const { reportDir: directory, at: atMs, bodyLimit: bodyBytes, strict = false } = options;
  if (feed && isReplaced(feed, directory))
    throw new UsageError(
      `The reports would replace the feed, ${feed}. Name another directory by --report-dir.`,
    );
  clearReports(directory);
  if (!feed)
    throw new UsageError('Name a feed: a file, a URL, or - for standard input; mrs feed --help shows all.');
  const { profile, contract } = await feedProfileOf(options.profile);
  notePipe(feed);
  const source = await openFeed(feed, options.timeout, interruption());
  const judged = reportOn(source, contract, { profile, atMs, bodyBytes, strict, secrets });
  const report = await judged.finally(() => source.close());
  return publish(report, { directory, secrets, print: printOf(options) });
}

/** In bytes. */
function readBodyLimit(text: string, name: string): number {
  const bytes = Number(text) * MEBIBYTE;
  if (bytes >= 1) return bytes;
  throw new UsageError(`${name} is "${text}". Give a number of MiB.`);
}

/** In milliseconds since 1970. */
function momentOf(text: string): number {
  const ms = parseUtc(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`--at is "${text}". Write a time in UTC, as 2030-01-31T12:00:00, or a day.`);
}
