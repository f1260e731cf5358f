/** `mrs feed`: judges the records of a feed that is published without tokens. */

import { Command } from 'commander';
import { parseUtc } from '../../tests/feed/time.ts';
import { clearReports, isReplaced, publish } from '../../tests/report/publish.ts';
import { printOf } from '../../tests/report/terminal.ts';
import { interruption } from '../../tests/support/clock.ts';
import type { OptionTable, OptionValues } from '../../tests/support/option-table.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { feedProfileOf, judgeFeed, registerKeys, FEED_OPTIONS as SHARED } from '../verify/judge-feed.ts';
import { addOptions, FORMAT_OPTION, notePipe, QUIET_OPTION, REPORT_DIR_OPTION } from './options.ts';

export const FEED_OPTIONS = {
  feed: {
    variable: 'MRS_FEED',
    help: 'feed to judge if none is named, for a URL that holds a key',
  },
  profile: SHARED.profile,
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
  strict: SHARED.strict,
  timeout: SHARED.timeout,
  bodyLimit: SHARED.bodyLimit,
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
      registerKeys(feed, secrets);
      try {
        process.exitCode = await judge(feed, options, secrets);
      } catch (error) {
        throw error instanceof UsageError ? new UsageError(secrets.redact(error.message)) : error;
      }
    });
}

async function judge(feed: string, options: FeedOptions, secrets: Secrets): Promise<number> {
  const { reportDir: directory, at: atMs } = options;
  if (feed && isReplaced(feed, directory))
    throw new UsageError(
      `The reports would replace the feed, ${feed}. Name another directory by --report-dir.`,
    );
  clearReports(directory);
  if (!feed)
    throw new UsageError('Name a feed: a file, a URL, or - for standard input; mrs feed --help shows all.');
  const profile = await feedProfileOf(options.profile);
  notePipe(feed);
  const report = await judgeFeed(feed, profile, options, { atMs, secrets, signal: interruption() });
  return publish(report, { directory, secrets, print: printOf(options) });
}

/** In milliseconds since 1970. */
function momentOf(text: string): number {
  const ms = parseUtc(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00` : text);
  if (!Number.isNaN(ms)) return ms;
  throw new UsageError(`--at is "${text}". Write a time in UTC, as 2030-01-31T12:00:00, or a day.`);
}
