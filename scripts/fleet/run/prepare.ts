/** Checks the entries of a fleet as `mrs verify` and `mrs feed` would, before anything is sent. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MockError } from '../../../mocks/contract/mock-error.ts';
import { loadProfile } from '../../../mocks/contract/profile.ts';
import { feedContractOf } from '../../../tests/feed/feed-contract.ts';
import { feedUrl, isUrl } from '../../../tests/feed/feed-url.ts';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import { readTarget } from '../../../tests/server/probe/target.ts';
import { readBaseline } from '../../../tests/server/report/baseline.ts';
import { profileIn } from '../../../tests/server/support/declared.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { profileContract } from '../../verify/profile-contract.ts';
import { inSettings } from '../settings.ts';
import { childEnvironment, profileOf } from './child-environment.ts';

/** An entry that can be run. */
export interface Prepared {
  entry: Entry;
  /** Of the process that runs it. */
  variables: Record<string, string>;
  /** Of `mrs`, without the secrets, which are in `variables`. */
  args: string[];
  secrets: string[];
  /** A digest of the settings, with the content of the files that decide verdicts. */
  settings: string;
}

const FEED_PROFILE = 'ods-record';
const MOST_PROBLEMS = 20;

export interface PrepareOptions {
  /** fleet.yaml. */
  file: string;
  /** Where it is. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** As YYYY-MM-DD. */
  today?: string;
}

/** Throws UsageError with a line for each entry that cannot be run. */
export async function prepareEntries(
  entries: readonly Entry[],
  { file, folder, env, today = new Date().toISOString().slice(0, 10) }: PrepareOptions,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  const problems: string[] = [];
  for (const entry of entries)
    try {
      prepared.push(
        entry.feed === undefined
          ? await prepareService(entry, folder, env, today)
          : await prepareFeed(entry, folder, env),
      );
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof MockError)) throw error;
      problems.push(`${file}:${entry.line}: deployment "${entry.name}": ${inSettings(error.message)}`);
    }
  if (problems.length === 0) return prepared;
  const rest = problems.length - MOST_PROBLEMS;
  throw new UsageError(
    [...problems.slice(0, MOST_PROBLEMS), ...(rest > 0 ? [`${rest} more`] : [])].join('\n'),
  );
}

async function prepareService(
  entry: Entry,
  folder: string,
  env: NodeJS.ProcessEnv,
  today: string,
): Promise<Prepared> {
  const { variables, secrets } = childEnvironment(entry, folder, env);
  const contract = await profileContract(variables.MRS_PROFILE);
  readTarget(variables, contract && profileIn(contract));
  const baseline = variables.MRS_BASELINE ? readBaseline(variables.MRS_BASELINE) : [];
  // An entry that has run out fails a run that it did not fail before.
  const ended = baseline.filter(({ until }) => until < today);
  const files = [variables.MRS_BASELINE, variables.MRS_CA].flatMap((path) =>
    path ? [readFileSync(path, 'utf8')] : [],
  );
  return { entry, variables, secrets, args: ['verify'], settings: digestOf(entry, contract, [files, ended]) };
}

async function prepareFeed(entry: Entry, folder: string, env: NodeJS.ProcessEnv): Promise<Prepared> {
  const { variables, secrets } = childEnvironment(entry, folder, env);
  const profile = profileOf(entry.profile ?? FEED_PROFILE, folder);
  const { name, document } = await loadProfile(profile);
  if (!feedContractOf(document))
    throw new UsageError(
      `profile is ${name}, which does not describe records. Choose another, such as ${FEED_PROFILE}.`,
    );
  const { feed = '', timeout, bodyLimit, strict } = entry;
  const source = isUrl(feed) ? feedUrl(feed).href : resolve(folder, feed);
  const content = isUrl(feed) ? [] : [sha256(contentOf(source))];
  // A URL may hold a key, and arguments are visible to every user of the machine.
  variables.MRS_FEED = source;
  const args = ['feed', '--profile', profile];
  if (timeout !== undefined) args.push('--timeout', String(timeout));
  if (bodyLimit !== undefined) args.push('--body-limit', String(bodyLimit));
  if (strict === true) args.push('--strict');
  return { entry, variables, secrets, args, settings: digestOf(entry, document, content) };
}

/** Labels, contact and line decide nothing. */
function digestOf(entry: Entry, contract: unknown, others: readonly unknown[]): string {
  const { labels: _, contact: __, line: ___, ...settings } = entry;
  const members = Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify([members, contract ?? null, others]));
}

const sha256 = (content: string | Buffer): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(
      `feed is ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}). Name a file or a URL.`,
    );
  }
}
