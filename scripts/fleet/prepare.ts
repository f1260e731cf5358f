/** Checks the entries of a fleet file as `mrs verify` and `mrs feed` would, before anything is sent. */
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { MockError } from '../../mocks/contract/mock-error.ts';
import { loadProfile, profileNames } from '../../mocks/contract/profile.ts';
import { type FeedContract, feedContractOf } from '../../tests/feed/feed-contract.ts';
import { feedUrl, isUrl } from '../../tests/feed/source.ts';
import { readTarget, type Target } from '../../tests/server/probe/target.ts';
import type { Profile } from '../../tests/server/profile.ts';
import { type Accepted, readBaseline } from '../../tests/server/report/baseline.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { readSecretFile } from '../../tests/support/files.ts';
import { isLoopback } from '../../tests/support/loopback.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { profileOf } from '../verify/gather-evidence.ts';
import { type Entry, type Problem, refuse, type SecretReference } from './fleet-file.ts';

/** An entry that can be judged. */
export interface Prepared {
  entry: Entry;
  /** The URL or the file that is judged. */
  address: string;
  /** Has one budget of requests, however many deployments it serves. On this machine, each port is a host. */
  host: string;
  secrets: string[];
  judge: ServiceSettings | FeedSettings;
}

export interface ServiceSettings {
  kind: 'service';
  target: Target;
  profile: Profile | undefined;
  baseline: Accepted[] | undefined;
}

interface FeedSettings {
  kind: 'feed';
  contract: FeedContract;
  profile: { name: string; title: string };
  timeoutSeconds: number;
  bodyBytes: number;
  strict: boolean;
}

/** Settings that `mrs verify` reads from the variables of the same names. */
const SETTINGS = [
  ...(['baseUrl', 'clientId', 'clientSecret', 'expiredToken', 'mockControlKey', 'tokenLifetime'] as const),
  ...(['healthPaths', 'userAgent', 'maxWait', 'timeout', 'bodyLimit', 'safe', 'allowHttp'] as const),
];

/** `MRS_CLIENT_ID` for `clientId`, and back. */
const variableOf = (setting: string): string => `MRS_${setting.replace(/[A-Z]/g, '_$&').toUpperCase()}`;
const settingOf = (variable: string): string =>
  variable === 'MRS_HEADER'
    ? 'headers'
    : variable
        .replace(/^MRS_|_FILE$/g, '')
        .toLowerCase()
        .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const FEED_PROFILE = 'ods-record';
/** As of `mrs feed`. */
const FEED_MEBIBYTES = 1024;
const FEED_TIMEOUT = '60s';

/** Throws UsageError with the line of each entry that cannot be judged, and for `problems`. */
export async function prepareEntries(
  entries: readonly Entry[],
  {
    file,
    folder,
    env,
    problems,
  }: { file: string; folder: string; env: NodeJS.ProcessEnv; problems: readonly Problem[] },
): Promise<Prepared[]> {
  const all = [...problems];
  const prepared: Prepared[] = [];
  for (const entry of entries) {
    try {
      prepared.push(await prepare(entry, folder, env));
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof MockError)) throw error;
      const text = inSettings(error.message);
      const { lines = {} } = entry;
      const setting = text.split(/\W+/).find((word) => Object.hasOwn(lines, word));
      const line = (setting !== undefined && lines[setting]) || entry.line;
      all.push({ line, text: `deployment "${entry.name}": ${text}` });
    }
  }
  refuse(all, file);
  return prepared;
}

const prepare = (entry: Entry, folder: string, env: NodeJS.ProcessEnv): Promise<Prepared> =>
  entry.feed === undefined ? prepareService(entry, folder, env) : prepareFeed(entry, entry.feed, folder);

async function prepareService(entry: Entry, folder: string, env: NodeJS.ProcessEnv): Promise<Prepared> {
  const variables: Record<string, string> = {};
  const secrets: string[] = [];
  const readSecret = (reference: SecretReference, setting: string): string => {
    const secret = secretOf(reference, setting, folder, env);
    secrets.push(secret);
    return secret;
  };
  for (const setting of SETTINGS) {
    const value = entry[setting];
    const variable = variableOf(setting);
    if (value === undefined || value === false) continue;
    if (typeof value === 'object' && !Array.isArray(value)) variables[variable] = readSecret(value, setting);
    else variables[variable] = value === true ? '1' : String(value);
  }
  const headers = Object.entries(entry.headers ?? {});
  for (const [header, reference] of headers)
    variables[reference.env] = readSecret(reference, `headers: ${header}`);
  if (headers.length > 0)
    variables.MRS_HEADER = headers.map(([name, { env: from }]) => `${name}=env:${from}`).join();
  if (entry.ca !== undefined) variables.MRS_CA = resolve(folder, entry.ca);
  const profile = await profileOf(entry.profile && pathOfProfile(entry.profile, folder));
  const target = readTarget(variables, profile);
  const baseline = entry.baseline === undefined ? undefined : readBaseline(resolve(folder, entry.baseline));
  const judge: ServiceSettings = { kind: 'service', target, profile, baseline };
  return { entry, address: target.baseUrl, host: hostOf(target.baseUrl), secrets, judge };
}

async function prepareFeed(entry: Entry, feed: string, folder: string): Promise<Prepared> {
  const { name, title, document } = await loadProfile(pathOfProfile(entry.profile ?? FEED_PROFILE, folder));
  const contract = feedContractOf(document);
  if (!contract)
    throw new UsageError(
      `profile is ${name}, which does not describe records. Choose another, such as ${FEED_PROFILE}.`,
    );
  // The validator is made now: on first use, it would hold up the runs next to this one.
  contract.problemOfFields({});
  const bodyBytes = (entry.bodyLimit ?? FEED_MEBIBYTES) * 1024 * 1024;
  const judge: FeedSettings = {
    kind: 'feed',
    contract,
    profile: { name, title },
    timeoutSeconds: parseDuration(String(entry.timeout ?? FEED_TIMEOUT), 'timeout'),
    bodyBytes,
    strict: entry.strict === true,
  };
  if (isUrl(feed)) {
    const { href } = feedUrl(feed);
    return { entry, address: href, host: hostOf(href), secrets: [], judge };
  }
  const path = resolve(folder, feed);
  checkFeed(path, bodyBytes);
  return { entry, address: path, host: `file ${entry.name}`, secrets: [], judge };
}

/** A profile by its name, or the path of its file. */
const pathOfProfile = (profile: string, folder: string): string =>
  profileNames().includes(profile) || isAbsolute(profile) ? profile : resolve(folder, profile);

function secretOf(
  { env: variable, file }: SecretReference,
  setting: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): string {
  if (file !== undefined) return readSecretFile(resolve(folder, file), setting);
  const secret = variable !== undefined && Object.hasOwn(env, variable) && env[variable];
  if (secret) return secret;
  // A secret that was written there by mistake does not look like this.
  const named = /^[A-Z][A-Z0-9_]*$/.test(variable ?? '') ? `the variable ${variable}` : 'a variable';
  throw new UsageError(`${setting} is in ${named}, which is not set. Set it in the environment.`);
}

/** Without reading it, since a feed can be large. */
function checkFeed(path: string, limit: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  const why = !stats
    ? 'cannot be read (ENOENT)'
    : stats.isDirectory()
      ? 'is a directory'
      : !stats.isFile()
        ? 'is not a regular file'
        : stats.size > limit && `is larger than ${limit / 1024 / 1024} MiB`;
  if (why) throw new UsageError(`The feed "${path}" ${why}. Name a file you can read.`);
}

/** The host that an entry is sent to. On this machine, which has no budget, each port is a host of its own. */
export function hostOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { hostname, host } = new URL(address);
  return isLoopback(address) ? host : hostname;
}

/** A mistake in a variable, as one in the setting that it comes from. */
function inSettings(message: string): string {
  // It names a variable of the user.
  if (/ is in (a|the) variable\b/.test(message)) return message;
  const text = message
    .replace(/--[\w-]+ \((MRS_\w+)\)/g, '$1')
    .replace(/\bMRS_[A-Z_]+/g, settingOf)
    .replace(', or give --allow-http (allowHttp=1)', ', or set allowHttp: true');
  const [, missing] = /^(\w+) is not set\./.exec(text) ?? [];
  return missing === undefined
    ? text
    : `${missing} is missing. Add it to the deployment, or to the defaults.`;
}
