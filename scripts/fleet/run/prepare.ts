/** Checks the entries of a fleet as `mrs verify` and `mrs feed` would, before anything is sent. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { MockError } from '../../../mocks/contract/mock-error.ts';
import { loadProfile } from '../../../mocks/contract/profile.ts';
import { feedContractOf } from '../../../tests/feed/feed-contract.ts';
import { feedUrl, isUrl } from '../../../tests/feed/feed-url.ts';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import { type Problem, refuse } from '../../../tests/fleet/inventory-text.ts';
import { readTarget } from '../../../tests/server/probe/target.ts';
import { readBaseline } from '../../../tests/server/report/baseline.ts';
import type { Profile } from '../../../tests/server/support/declared.ts';
import { readBounded, UnreadableError } from '../../../tests/support/files.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { profileOf as profileOfTarget } from '../../verify/gather-evidence.ts';
import { inSettings, settingIn, variableOf } from '../settings.ts';
import { childEnvironment, profileOf, type SettingProblem } from './child-environment.ts';

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
/** As of `mrs feed`. */
const FEED_MEBIBYTES = 1024;
/** What a setting is replaced by, where one is needed to check the others. */
const VALID = { baseUrl: 'https://a.invalid', clientId: 'x', clientSecret: 'x' } as const;

export interface PrepareOptions {
  /** fleet.yaml. */
  file: string;
  /** Where it is. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** As YYYY-MM-DD. */
  today?: string;
  /** What else is wrong with the file. */
  problems?: readonly Problem[];
}

/** Throws UsageError with a line for each setting by which an entry cannot be run, and for `problems`. */
export async function prepareEntries(
  entries: readonly Entry[],
  { file, folder, env, today = new Date().toISOString().slice(0, 10), problems = [] }: PrepareOptions,
): Promise<Prepared[]> {
  const prepared: Prepared[] = [];
  const all = [...problems];
  for (const entry of entries) {
    const note = ({ setting = '', text }: SettingProblem) =>
      all.push({
        line: entry.lines?.[setting] ?? entry.line,
        text: `deployment "${entry.name}": ${inSettings(text)}`,
      });
    const one =
      entry.feed === undefined
        ? await prepareService(entry, folder, env, today, note)
        : await prepareFeed(entry, folder, env, note);
    prepared.push(one);
  }
  refuse(all, file);
  return prepared;
}

type Note = (problem: SettingProblem) => void;

/** What `act` results in; undefined if it throws, which is noted. */
async function orNote<Result>(
  note: Note,
  setting: string | undefined,
  act: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof MockError)) throw error;
    note({ setting: setting ?? settingIn(error.message), text: error.message });
    return undefined;
  }
}

async function prepareService(
  entry: Entry,
  folder: string,
  env: NodeJS.ProcessEnv,
  today: string,
  note: Note,
): Promise<Prepared> {
  const { variables, secrets, problems } = childEnvironment(entry, folder, env);
  for (const problem of problems) note(problem);
  const profile = await orNote(note, 'profile', () => profileOfTarget(variables.MRS_PROFILE));
  await checkTarget(variables, new Set(problems.map(({ setting }) => setting)), profile, note);
  const { MRS_BASELINE, MRS_CA } = variables;
  const baseline = MRS_BASELINE ? await orNote(note, 'baseline', () => readBaseline(MRS_BASELINE)) : [];
  // An entry that has run out fails a run that it did not fail before.
  const ended = (baseline ?? []).filter(({ until }) => until < today);
  const files = [MRS_BASELINE, MRS_CA].flatMap((path) => (path ? [readFileSync(path, 'utf8')] : []));
  return {
    entry,
    variables,
    secrets,
    args: ['verify'],
    settings: digestOf(entry, profile?.document, [files, ended]),
  };
}

/** Notes all that is wrong with a target: what is known to be wrong is replaced, so that the rest is checked. */
async function checkTarget(
  variables: Readonly<Record<string, string>>,
  known: ReadonlySet<string | undefined>,
  profile: Profile | undefined,
  note: Note,
): Promise<void> {
  const rest = { ...variables };
  const wrong = new Set(known);
  const replace = (setting: string | undefined) => {
    const variable = setting && variableOf(setting);
    if (variable === undefined || variable === '') return;
    const valid = VALID[setting as keyof typeof VALID];
    if (valid === undefined) delete rest[variable];
    else rest[variable] = valid;
  };
  for (const setting of wrong) replace(setting);
  for (let size = -1; size < wrong.size; ) {
    size = wrong.size;
    await orNote(
      ({ setting, text }) => {
        if (!wrong.has(setting)) note({ setting, text });
        wrong.add(setting);
        replace(setting);
      },
      undefined,
      () => readTarget(rest, profile),
    );
  }
}

async function prepareFeed(
  entry: Entry,
  folder: string,
  env: NodeJS.ProcessEnv,
  note: Note,
): Promise<Prepared> {
  const { variables, secrets } = childEnvironment(entry, folder, env);
  const profile = profileOf(entry.profile ?? FEED_PROFILE, folder);
  const contract = await orNote(note, 'profile', async () => {
    const { name, document } = await loadProfile(profile);
    if (feedContractOf(document)) return document;
    throw new UsageError(
      `profile is ${name}, which does not describe records. Choose another, such as ${FEED_PROFILE}.`,
    );
  });
  const { feed = '', timeout, bodyLimit, strict } = entry;
  const source = isUrl(feed) ? await orNote(note, 'feed', () => feedUrl(feed).href) : resolve(folder, feed);
  const limit = (bodyLimit ?? FEED_MEBIBYTES) * 1024 * 1024;
  const content = isUrl(feed)
    ? []
    : [await orNote(note, 'feed', () => sha256(contentOf(resolve(folder, feed), limit)))];
  // A URL may hold a key, and arguments are visible to every user of the machine.
  variables.MRS_FEED = source ?? '';
  const args = ['feed', '--profile', profile];
  if (timeout !== undefined) args.push('--timeout', String(timeout));
  if (bodyLimit !== undefined) args.push('--body-limit', String(bodyLimit));
  if (strict === true) args.push('--strict');
  return { entry, variables, secrets, args, settings: digestOf(entry, contract, content) };
}

/** Labels, contact and line decide nothing. */
function digestOf(entry: Entry, contract: unknown, others: readonly unknown[]): string {
  const { labels: _, contact: __, line: ___, lines: ____, ...settings } = entry;
  const members = Object.entries(settings).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify([members, contract ?? null, others]));
}

const sha256 = (content: string | Buffer): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

function contentOf(file: string, limit: number): Buffer {
  try {
    return readBounded(file, limit, { followsLink: true });
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`feed is "${file}", which ${error.message}. Name a file or a URL.`);
  }
}
