/** `mrs feed`: judges the records of a feed that is published without tokens. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import { closest } from 'fastest-levenshtein';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { renderFeedHtml } from '../../tests/feed/report/html.ts';
import { type FeedReport, lastLine, MEBIBYTE, reportOn } from '../../tests/feed/report/report.ts';
import { renderSarif } from '../../tests/feed/report/sarif.ts';
import { renderRule, renderText } from '../../tests/feed/report/terminal.ts';
import { findRule, RULES } from '../../tests/feed/rules.ts';
import { openFeed } from '../../tests/feed/source.ts';
import { parseUtc } from '../../tests/feed/time.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';

interface FeedOptions {
  profile: string;
  format: string;
  output?: string;
  at?: string;
  strict?: true;
  explain?: string;
  timeout: string;
  bodyLimit: string;
}

const FORMATS: Record<string, (report: FeedReport, color: boolean) => string> = {
  text: (report, color) => renderText(report, { color }),
  json: (report) => inAscii(JSON.stringify(report, null, 2)),
  sarif: (report) => inAscii(renderSarif(report, version)),
  html: renderFeedHtml,
};

export function feedCommand(): Command {
  return new Command('feed')
    .summary('judge the records of a feed')
    .description(
      'Judges mitigation request records: a file, a URL that asks for no token, or standard input (-). ' +
        'No credentials are sent, and no redirect is followed.',
    )
    .argument('[feed]', 'a file, a URL, or - for standard input')
    .option('--profile <name|file>', 'what the records should be', 'ods-record')
    .option('--format <format>', Object.keys(FORMATS).join(', '), 'text')
    .option('--output <file>', 'writes that there; the text is printed all the same')
    .option('--at <date>', 'judge for this moment in UTC, not for when it was served, or now')
    .option('--strict', 'let warnings fail a feed, too')
    .option('--timeout <duration>', 'for a URL, until its last byte', '60')
    .option('--body-limit <MiB>', 'so much is read, decoded', '1024')
    .option('--explain <rule>', 'tell of a rule, and judge nothing')
    .addHelpText(
      'after',
      '\nExit codes: 0 no finding (warnings are told), 1 findings, 2 the feed could not be\n' +
        'read, or the command is wrong, 3 incomplete: nothing is wrong in what was read,\n' +
        'and not all could be judged (an answer without a body, a limit).\n' +
        'An empty list is an empty schedule, and 0; a failed fetch is not, and 2.',
    )
    .allowExcessArguments(false)
    .action(async (feed: string | undefined, options: FeedOptions) => {
      if (options.explain !== undefined) return console.log(explain(options.explain));
      if (feed === undefined)
        throw new UsageError(
          'Name a feed: a file, a URL, or - for standard input; mrs feed --help shows all.',
        );
      process.exitCode = await judge(feed, options);
    });
}

async function judge(feed: string, options: FeedOptions): Promise<number> {
  const render = Object.hasOwn(FORMATS, options.format) ? FORMATS[options.format] : undefined;
  if (!render)
    throw new UsageError(`--format is "${options.format}". Write one of ${Object.keys(FORMATS).join(', ')}.`);
  const bodyBytes = Number(options.bodyLimit) * MEBIBYTE;
  if (!(bodyBytes >= 1))
    throw new UsageError(`--body-limit is "${options.bodyLimit}". Write a number of MiB.`);
  const atMs = options.at === undefined ? undefined : momentOf(options.at);
  const timeoutSeconds = parseDuration(options.timeout, '--timeout');
  const { name, title, document } = await loadProfile(options.profile);
  const contract = feedContractOf(document);
  if (!contract)
    throw new UsageError(
      `The profile ${name} says nothing of records (x-records). Name another, as ods-record.`,
    );

  if (options.output !== undefined && resolve(options.output) === resolve(feed))
    throw new UsageError('--output names the feed itself, which would be lost. Name another file.');
  const source = await openFeed(feed, timeoutSeconds);
  const report = await reportOn(source, contract, {
    ...{ profile: { name, title }, atMs, bodyBytes },
    strict: options.strict === true,
  }).finally(() => source.close());

  if (options.output === undefined) console.log(render(report, process.stdout.isTTY).trimEnd());
  else {
    write(options.output, render(report, false));
    console.log(
      options.format === 'text' ? lastLine(report) : renderText(report, { color: process.stdout.isTTY }),
    );
  }
  return exitCodes[report.outcome];
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

function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text.trimEnd()}\n`);
  } catch (error) {
    throw new UsageError(
      `${file} could not be written (${(error as NodeJS.ErrnoException).code}). Name another --output.`,
    );
  }
}

/** What a terminal or a viewer would obey is written as JSON escapes it. */
const inAscii = (json: string): string =>
  json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
