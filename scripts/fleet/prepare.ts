/** Checks the entries of a fleet file as `mrs verify` and `mrs feed` would, before anything is sent. */
import { isAbsolute, resolve } from 'node:path';
import { MockError } from '../../mocks/contract/mock-error.ts';
import { profileNames } from '../../mocks/contract/profile.ts';
import { feedUrl, isUrl } from '../../tests/feed/source.ts';
import type { Report } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { readTarget } from '../../tests/server/probe/target.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import type { Clock } from '../../tests/support/clock.ts';
import { readSecretFile } from '../../tests/support/files.ts';
import { readOptions } from '../../tests/support/option-table.ts';
import { isLoopback } from '../../tests/support/options.ts';
import { plainName, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { profileOf, withoutSecrets } from '../verify/gather-evidence.ts';
import { FEED_OPTIONS, feedProfileOf, judgeFeed, keysIn, registerKeys } from '../verify/judge-feed.ts';
import type { Secret } from './fleet-file.schema.ts';
import { type Entry, type Problem, refuse } from './fleet-file.ts';

/** An entry that can be judged. */
export interface Prepared {
  entry: Entry;
  /** The URL or the file that is judged. */
  address: string;
  /** Has one budget of requests, however many deployments it serves. */
  host: string;
  secrets: string[];
  /** `evidence`: what the report of a deployment was made of. */
  judge(run: {
    secrets: Secrets;
    clock: Clock;
    signal: AbortSignal;
  }): Promise<{ report: Report; evidence?: object }>;
}

/** `folder` is that of the fleet file. Throws UsageError with the line of each entry that cannot be judged. */
export async function prepareEntries(
  entries: readonly Entry[],
  { file, folder, env }: { file: string; folder: string; env: NodeJS.ProcessEnv },
): Promise<Prepared[]> {
  const problems: Problem[] = [];
  const prepared: Prepared[] = [];
  for (const entry of entries)
    try {
      const { feed } = entry;
      prepared.push(await (feed ? prepareFeed(entry, feed, folder) : prepareService(entry, folder, env)));
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof MockError)) throw error;
      problems.push({ line: entry.line, text: `deployment "${entry.name}": ${error.message}` });
    }
  refuse(problems, file);
  return prepared;
}

/** A setting is the option of its name, and a path is from the folder of the fleet file. */
async function prepareService(entry: Entry, folder: string, env: NodeJS.ProcessEnv): Promise<Prepared> {
  const { headers, ca, profile: declared, baseline } = entry;
  const secrets: string[] = [];
  const readSecret = (reference: Secret, setting: string): string => {
    const secret = secretOf(reference, setting, folder, env);
    secrets.push(secret);
    return secret;
  };
  const given: Readonly<Record<string, unknown>> = {
    ...{ ...entry, ca: ca && resolve(folder, ca) },
    header: Object.entries(headers ?? {}).map(([header, { env: from }]) => {
      readSecret({ env: from }, `headers: ${plainName(header)}`);
      return `${header}=env:${from}`;
    }),
  };
  const textsOf = (setting: string): string[] => {
    const value = given[setting];
    if (value === undefined) return [];
    if (Array.isArray(value)) return value.map(String);
    return [typeof value === 'object' ? readSecret(value as Secret, setting) : String(value)];
  };
  const profile = await profileOf(declared && pathOfProfile(declared, folder));
  const called = (name: string) => CALLED[name] ?? name;
  const target = readTarget(readOptions(DEPLOYMENT_OPTIONS, textsOf, env, called), profile);
  const accepted = baseline === undefined ? undefined : readBaseline(resolve(folder, baseline));
  const { baseUrl } = target;
  return {
    ...{ entry, address: baseUrl, host: hostOf(baseUrl), secrets },
    async judge({ secrets: known, clock, signal }) {
      const options = { secrets: known, clock, signal, progress: () => {}, ...(profile && { profile }) };
      const evidence = await gather(target, options);
      const redacted = withoutSecrets(profile, known);
      const report = reportOf({ evidence, profile: redacted, ...judgeAll(evidence, redacted) });
      return { report: applyBaseline(report, accepted), evidence: fileOf(evidence, redacted) };
    },
  };
}

/** What a setting is called that has not the name of its option. */
const CALLED: Readonly<Record<string, string>> = {
  header: 'headers',
  clientSecretFile: 'clientSecret: { file: PATH }',
  allowHttp: 'allowHttp: true',
};

async function prepareFeed(entry: Entry, feed: string, folder: string): Promise<Prepared> {
  const { profile: own, timeout, strict } = entry;
  const given: Readonly<Record<string, unknown>> = {
    profile: own && pathOfProfile(own, folder),
    timeout,
    strict,
  };
  const textsOf = (name: string) => (given[name] === undefined ? [] : [String(given[name])]);
  const { values } = readOptions(FEED_OPTIONS, textsOf, {}, (name) => name);
  const profile = await feedProfileOf(values.profile);
  // The validator is made now: on first use, it would hold up the runs next to this one.
  profile.contract.problemOfFields({});
  const address = isUrl(feed) ? feedUrl(feed).href : resolve(folder, feed);
  return {
    ...{ entry, address, host: hostOf(address), secrets: keysIn(address) },
    async judge({ secrets, signal }) {
      registerKeys(address, secrets);
      return { report: await judgeFeed(address, profile, values, { secrets, signal }) };
    },
  };
}

/** A profile by its name, or the path of its file. */
const pathOfProfile = (profile: string, folder: string): string =>
  profileNames().includes(profile) || isAbsolute(profile) ? profile : resolve(folder, profile);

function secretOf(
  { env: variable = '', file }: Secret,
  setting: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): string {
  if (file !== undefined) return readSecretFile(resolve(folder, file), setting);
  const secret = Object.hasOwn(env, variable) && env[variable];
  if (secret) return secret;
  // A secret that was written there by mistake does not look like this.
  const named = /^[A-Z][A-Z0-9_]*$/.test(variable) ? `the variable ${variable}` : 'a variable';
  throw new UsageError(`${setting} is in ${named}, which is not set. Set it in the environment.`);
}

/** The host that an entry is sent to. On this machine, which has no budget, each port is a host of its own. */
export function hostOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { hostname, host } = new URL(address);
  return isLoopback(address) ? host : hostname;
}
