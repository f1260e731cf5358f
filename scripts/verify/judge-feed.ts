/** What `mrs feed` and fleets do with a feed: its options, its profile, the keys of its URL, and its report. */
import { loadProfile } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { type ReportOptions, reportOn } from '../../tests/feed/report.ts';
import { MEBIBYTE, readFeed } from '../../tests/feed/source.ts';
import type { Report } from '../../tests/report/report.ts';
import type { OptionTable, OptionValues } from '../../tests/support/option-table.ts';
import { parseTimeout } from '../../tests/support/options.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** How a feed is judged, whoever names it. */
export const FEED_OPTIONS = {
  profile: {
    flag: '--profile <name|file>',
    help: 'profile that describes the records; legacy also accepts the schema of 2023',
    default: 'ods-record',
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
    help: 'maximum size of the decoded feed, in MiB, up to 256',
    default: '64',
    parse: readBodyLimit,
  },
} as const satisfies OptionTable;

/** A feed is judged in memory. In MiB. */
const HIGHEST_BODY_LIMIT = 256;

/** In bytes. */
function readBodyLimit(text: string, name: string): number {
  const bytes = Number(text) * MEBIBYTE;
  if (bytes >= 1 && bytes <= HIGHEST_BODY_LIMIT * MEBIBYTE) return bytes;
  throw new UsageError(`${name} is "${text}". Give a number of MiB up to ${HIGHEST_BODY_LIMIT}.`);
}

/** What the reports show in the place of a key of the URL. */
const FEED_KEY = 'key of the URL';

/** `secrets` learns what may be a key in the URL of a feed. */
export function registerKeys(feed: string, secrets: Secrets): void {
  for (const key of keysIn(feed)) secrets.register(key, FEED_KEY);
}

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

/** The report on a feed, which is read until `signal` is aborted. Throws UsageError for what cannot be read or is not a feed. */
export async function judgeFeed(
  feed: string,
  { profile, contract }: Awaited<ReturnType<typeof feedProfileOf>>,
  { timeout: timeoutSeconds, bodyLimit: mostBytes, strict }: OptionValues<typeof FEED_OPTIONS>,
  { signal, ...run }: Pick<ReportOptions, 'atMs' | 'secrets'> & { signal: AbortSignal },
): Promise<Report> {
  const read = await readFeed(feed, { timeoutSeconds, mostBytes, signal });
  return reportOn(read, contract, { ...run, profile, strict: strict === true });
}
