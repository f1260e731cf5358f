/** `mrs watch`: reads feeds again and again, and says what goes wrong over time. */
import { appendFileSync, createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Command } from 'commander';
import { createPoll, watchFeeds } from '../../tests/feed/poll.ts';
import { feedUrl, isUrl } from '../../tests/feed/source.ts';
import { type FeedState, newState, type WatchEvent, withEvent } from '../../tests/feed/watch.ts';
import { lineOf, watchReport } from '../../tests/feed/watch-report.ts';
import { asWritten, clearReports, publish } from '../../tests/report/publish.ts';
import { several } from '../../tests/report/text.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { fieldsOf, registerSecrets } from '../../tests/server/probe/target.ts';
import { interruption, realClock } from '../../tests/support/clock.ts';
import type { OptionTable, OptionValues } from '../../tests/support/option-table.ts';
import { timeLimit } from '../../tests/support/options.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { readFleetFile } from '../fleet/fleet-file.ts';
import { hostOf } from '../fleet/prepare.ts';
import { feedProfileOf, registerKeys, FEED_OPTIONS as SHARED } from '../verify/judge-feed.ts';
import { FEED_OPTIONS } from './feed.ts';
import { addOptions, FORMAT_OPTION } from './options.ts';

export const WATCH_OPTIONS = {
  feed: { ...FEED_OPTIONS.feed, help: 'feed to watch if none is named, for a URL that holds a key' },
  every: {
    flag: '--every <duration>',
    help: 'time from one read of a feed to the next, give or take a tenth',
    default: '30s',
    parse: timeLimit('1s', '1d'),
  },
  for: {
    flag: '--for <duration>',
    help: 'time after which the watch ends with its report',
    defaultText: 'until Ctrl-C',
    parse: timeLimit('1s', '3650d'),
  },
  late: {
    flag: '--late <duration>',
    help: 'time before its start at which a record must be published',
    default: '10m',
    parse: timeLimit('1s', '365d'),
  },
  outage: {
    flag: '--outage <duration>',
    help: 'longest outage that is agreed with the publisher',
    default: '5m',
    parse: timeLimit('1s', '365d'),
  },
  log: {
    flag: '--log <file>',
    help: 'file to add a line of JSON for each event to; a later watch goes on from there',
  },
  format: { ...FORMAT_OPTION, help: 'how events are printed: text, or json for a line of JSON each' },
  header: DEPLOYMENT_OPTIONS.header,
  profile: { ...SHARED.profile, help: 'profile that says where the list of records is' },
  timeout: SHARED.timeout,
  bodyLimit: SHARED.bodyLimit,
  reportDir: { ...FEED_OPTIONS.reportDir, default: 'reports/watch' },
} as const satisfies OptionTable;

type WatchOptions = OptionValues<typeof WATCH_OPTIONS>;

export function watchCommand(): Command {
  const command = new Command('watch')
    .description(
      'Reads feeds again and again, and prints a line for each thing that goes wrong over time: a running record ' +
        'that vanishes, a stale or late record, an outage. Ctrl-C ends it with a report.',
    )
    .argument('[feeds...]', 'URLs, or a fleet file, whose feeds at URLs are watched');
  return addOptions(command, WATCH_OPTIONS)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  mrs watch https://host/ods.json\n' +
        '  mrs watch fleet.yaml --every 1m --for 24h --late 15m --log watch.jsonl\n' +
        '\nExit codes: 0 no findings (warnings are shown), 1 findings (a running record\n' +
        'vanished, a stale record, an answer that cannot be read, an outage longer than\n' +
        'agreed), 2 error (an invalid option), 3 incomplete (a feed was never read).',
    )
    .action(async (given: string[], options: WatchOptions) => {
      process.exitCode = await watch(given.length > 0 ? given : [options.feed ?? ''], options);
    });
}

/** After so many reads of a feed, the log gets all that is known of it: a process that is killed forgets no more. */
const READS_FORGOTTEN = 100;

async function watch(given: readonly string[], options: WatchOptions): Promise<number> {
  const { reportDir: directory, log, format, header: headers = [], timeout, bodyLimit: bodyBytes } = options;
  const agreed = {
    lateMs: options.late * 1000,
    outageMs: options.outage * 1000,
    everyMs: options.every * 1000,
  };
  clearReports(directory);
  const named = feedsIn(given);
  const secrets = createSecrets();
  registerSecrets({ clientId: '', clientSecret: '', gatewayHeaders: headers }, secrets);
  for (const { url } of named) registerKeys(url.href, secrets);
  if (headers.length > 0 && named.some(({ url }) => url.origin !== named[0]?.url.origin))
    throw new UsageError('--header would go to several hosts. Watch the feeds of each host on their own.');
  const { contract } = await feedProfileOf(options.profile);
  const poll = { headers: fieldsOf(headers), timeoutMs: timeout * 1000, bodyBytes, contract };
  const feeds = named.map(({ name, url }) => ({ name, host: hostOf(url.href), poll: createPoll(url, poll) }));
  const remembered = log === undefined ? undefined : await readLog(log);
  const states = new Map(feeds.map(({ name }) => [name, remembered?.get(name) ?? newState()]));

  const problems = new Set<string>();
  const inJson = (line: object) =>
    asWritten(JSON.stringify(secrets.redact(line))).replaceAll('##[', '##\\u005b');
  const note = (...lines: readonly object[]) => {
    if (log === undefined) return;
    try {
      appendFileSync(log, lines.map((line) => `${inJson(line)}\n`).join(''));
    } catch (error) {
      problems.add(`${log} could not be written (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
  const onRead = (name: string, state: FeedState, events: readonly WatchEvent[]) => {
    for (const event of events)
      console.log(format === 'json' ? inJson(event) : lineOf(secrets.redact(event)));
    note(...events, ...(state.reads % READS_FORGOTTEN === 0 ? [memoryOf(name, state)] : []));
  };
  console.error(`Watching ${several(feeds.length, 'feed')}. Ctrl-C ends with a report.`);
  await watchFeeds(feeds, states, {
    ...{ ...agreed, untilMs: Date.now() + (options.for ?? Number.POSITIVE_INFINITY) * 1000 },
    ...{ clock: { ...realClock, now: Date.now }, random: Math.random, signal: interruption(), onRead },
  });
  note(...[...states].map(([name, state]) => memoryOf(name, state)));
  const report = secrets.redact(watchReport(states, agreed));
  const print = format === 'json' ? 'none' : 'text';
  return publish(report, { directory, secrets, print, problems: [...problems] });
}

const memoryOf = (feed: string, state: FeedState) => ({
  ...{ at: new Date(state.untilMs ?? 0).toISOString(), feed, event: 'state' },
  state: { ...state, records: [...state.records] },
});

/** What a log remembers of each feed: the last memory, and the events since. Throws UsageError for a file that cannot be used. */
async function readLog(file: string): Promise<Map<string, FeedState>> {
  const states = new Map<string, FeedState>();
  try {
    const isThere = existsSync(file);
    for await (const line of isThere ? createInterface({ input: createReadStream(file) }) : [])
      try {
        const { state, ...event } = JSON.parse(line);
        const known = states.get(event.feed) ?? newState();
        const next = state
          ? { ...known, ...state, records: new Map(state.records) }
          : withEvent(known, event);
        states.set(event.feed, next);
      } catch {} // A line that is not whole.
    appendFileSync(file, isThere ? '\n' : ''); // A process that was killed may have left half a line.
    return states;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`The log "${file}" cannot be read and written (${code}). Name another by --log.`);
  }
}

/** The feeds that are named: by URLs, or in a fleet file. Throws UsageError. */
function feedsIn(given: readonly string[]): { name: string; url: URL }[] {
  const file = given.find((one) => !isUrl(one));
  if (file === '')
    throw new UsageError('Name a feed by its URL, or a fleet file; mrs watch --help shows all.');
  if (file !== undefined && given.length > 1)
    throw new UsageError(`"${file}" is not a URL. Name the URLs of feeds, or one fleet file.`);
  const entries = file === undefined ? given.map((feed) => ({ feed, name: '' })) : readFleetFile(file);
  const feeds = entries.flatMap(({ name, feed = '' }) => {
    if (!isUrl(feed)) return [];
    const url = feedUrl(feed);
    return { name: name || `${url.origin}${url.pathname}${url.search && '?…'}`, url }; // A query may hold a key.
  });
  if (feeds.length === 0)
    throw new UsageError(`${file} has no feed at a URL. Add one, as { name: ata, feed: https://… }.`);
  const twice = feeds.find(({ name }, at) => feeds.findIndex((one) => one.name === name) !== at);
  if (!twice) return feeds;
  throw new UsageError(`Two feeds are called ${twice.name}. Give them names in a fleet file.`);
}
