/** Checks the entries of a fleet file as `mrs verify` and `mrs feed` would, before anything is sent. */
import { isAbsolute, resolve } from 'node:path';
import { MockError } from '../../mocks/contract/mock-error.ts';
import { loadProfile, profileNames } from '../../mocks/contract/profile.ts';
import { feedContractOf } from '../../tests/feed/feed-contract.ts';
import { reportOn } from '../../tests/feed/report.ts';
import { feedUrl, isUrl, openFeed } from '../../tests/feed/source.ts';
import type { Report } from '../../tests/report/report.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { readTarget } from '../../tests/server/probe/target.ts';
import { applyBaseline, readBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import type { Clock } from '../../tests/support/clock.ts';
import { readSecretFile } from '../../tests/support/files.ts';
import { isLoopback, parseDuration } from '../../tests/support/options.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { profileOf } from '../verify/gather-evidence.ts';
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
  /** The report, and what that of a deployment was made of. */
  judge(run: {
    secrets: Secrets;
    clock: Clock;
    signal: AbortSignal;
  }): Promise<{ report: Report; evidence?: object }>;
}

/** Settings that `mrs verify` reads from the variables of the same names. */
const SETTINGS = [
  ...(['baseUrl', 'clientId', 'clientSecret', 'expiredToken', 'mockControlKey', 'tokenLifetime'] as const),
  ...(['healthPaths', 'userAgent', 'maxWait', 'timeout', 'bodyLimit', 'safe', 'allowHttp'] as const),
];

/** `MRS_CLIENT_ID` for `clientId`. */
const variableOf = (setting: string): string => `MRS_${setting.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

/** A mistake in a variable, as one in the setting that it comes from, unless the user named the variable. */
const inSettings = (message: string): string =>
  / is in (a|the) variable\b/.test(message)
    ? message
    : message
        .replace(/--[\w-]+ \((MRS_\w+)\)/g, '$1')
        .replace(
          /\bMRS_[A-Z_]+/g,
          (name) => SETTINGS.find((one) => name.startsWith(variableOf(one))) ?? name,
        );

/** As of `mrs feed`. */
const FEED = { profile: 'ods-record', bodyLimit: 1024, timeout: '60s' };

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
      problems.push({ line: entry.line, text: `deployment "${entry.name}": ${inSettings(error.message)}` });
    }
  refuse(problems, file);
  return prepared;
}

async function prepareService(entry: Entry, folder: string, env: NodeJS.ProcessEnv): Promise<Prepared> {
  const variables: Record<string, string> = {};
  const secrets: string[] = [];
  const readSecret = (reference: Secret, setting: string): string => {
    const secret = secretOf(reference, setting, folder, env);
    secrets.push(secret);
    return secret;
  };
  for (const setting of SETTINGS) {
    const value = entry[setting];
    if (value === undefined || value === false) continue;
    const isSecret = typeof value === 'object' && !Array.isArray(value);
    const text = isSecret ? readSecret(value, setting) : String(value === true ? 1 : value);
    variables[variableOf(setting)] = text;
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
  const { baseUrl } = target;
  return {
    ...{ entry, address: baseUrl, host: hostOf(baseUrl), secrets },
    async judge({ secrets: known, clock, signal }) {
      const options = { secrets: known, clock, signal, progress: () => {}, ...(profile && { profile }) };
      const evidence = await gather(target, options);
      // An example in the contract may be the very secret, as it is where the mock is judged.
      const redacted = profile && { ...profile, document: known.redact(profile.document) };
      const report = reportOf({ evidence, profile: redacted, ...judgeAll(evidence, redacted) });
      const today = new Date().toISOString().slice(0, 10);
      const judged = baseline ? applyBaseline(report, baseline, today) : report;
      return { report: judged, evidence: fileOf(evidence, redacted) };
    },
  };
}

async function prepareFeed(entry: Entry, feed: string, folder: string): Promise<Prepared> {
  const { name, title, document } = await loadProfile(pathOfProfile(entry.profile ?? FEED.profile, folder));
  const contract = feedContractOf(document);
  if (!contract)
    throw new UsageError(
      `profile is ${name}, which does not describe records. Choose another, such as ${FEED.profile}.`,
    );
  // The validator is made now: on first use, it would hold up the runs next to this one.
  contract.problemOfFields({});
  const address = isUrl(feed) ? feedUrl(feed).href : resolve(folder, feed);
  const timeoutSeconds = parseDuration(String(entry.timeout ?? FEED.timeout), 'timeout');
  const bodyBytes = (entry.bodyLimit ?? FEED.bodyLimit) * 1024 * 1024;
  const options = { profile: { name, title }, bodyBytes, strict: entry.strict === true };
  return {
    ...{ entry, address, host: hostOf(address), secrets: [] },
    async judge({ secrets, signal }) {
      const source = await openFeed(address, timeoutSeconds);
      signal.addEventListener('abort', () => void source.close(), { once: true });
      const report = await reportOn(source, contract, options).finally(() => source.close());
      return { report: secrets.redact(report) };
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
