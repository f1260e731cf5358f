/** The environment of the run of one deployment: what every program needs, and its own settings and secrets. */
import { isAbsolute, resolve } from 'node:path';
import { profileNames } from '../../../mocks/contract/profile.ts';
import type { Entry, SecretReference } from '../../../tests/fleet/inventory.ts';
import { readBounded, readSecretFile, UnreadableError } from '../../../tests/support/files.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { FILES, SECRETS, VARIABLES } from '../settings.ts';

/** What is passed on. Everything else may be the secret of another deployment. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy)$/i;

export interface ChildEnvironment {
  variables: Record<string, string>;
  /** Values that are never to be seen. */
  secrets: string[];
  /** What is wrong, by setting. */
  problems: SettingProblem[];
}

export interface SettingProblem {
  /** Undefined where it is not known. */
  setting: string | undefined;
  text: string;
}

/** Bytes of a file of settings. */
const LIMIT = 4 * 1024 * 1024;

/** What is wrong with a setting is in the result, and the setting is left out of it. */
export function childEnvironment(entry: Entry, folder: string, env: NodeJS.ProcessEnv): ChildEnvironment {
  const variables: Record<string, string> = {};
  const secrets: string[] = [];
  const problems: SettingProblem[] = [];
  const orNote = <Value>(setting: string, read: () => Value): Value | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push({ setting, text: error.message });
      return undefined;
    }
  };
  for (const [name, value] of Object.entries(env))
    if (PASSED_ON.test(name) && value !== undefined) variables[name] = value;
  if (entry.feed !== undefined) return { variables, secrets, problems };
  for (const [member, variable] of Object.entries(VARIABLES)) {
    const value = entry[member as keyof typeof VARIABLES];
    if (value !== undefined && value !== false) variables[variable] = textOf(value);
  }
  for (const [member, variable] of Object.entries(FILES)) {
    const file = entry[member as keyof typeof FILES];
    if (file === undefined) continue;
    const path = orNote(member, () => checkedFile(resolve(folder, file), member));
    if (path !== undefined) variables[variable] = path;
  }
  if (entry.profile !== undefined) variables.MRS_PROFILE = profileOf(entry.profile, folder);
  for (const [member, variable] of Object.entries(SECRETS)) {
    const reference = entry[member as keyof typeof SECRETS];
    if (reference === undefined) continue;
    const secret = orNote(member, () => secretOf(reference, member, folder, env));
    if (secret === undefined) continue;
    secrets.push(secret);
    // From a file, the secret is in the environment of no process.
    if (member === 'clientSecret' && reference.file !== undefined)
      variables.MRS_CLIENT_SECRET_FILE = resolve(folder, reference.file);
    else variables[variable] = secret;
  }
  const headers = Object.entries(entry.headers ?? {});
  for (const [header, reference] of headers) {
    const secret = orNote('headers', () => secretOf(reference, `headers: ${header}`, folder, env));
    if (secret === undefined) continue;
    secrets.push(secret);
    variables[reference.env] = secret;
  }
  if (headers.length > 0 && !problems.some(({ setting }) => setting === 'headers'))
    variables.MRS_HEADER = headers.map(([name, { env: from }]) => `${name}=env:${from}`).join();
  return { variables, secrets, problems };
}

/** A profile by its name, or the path of its file. */
export const profileOf = (profile: string, folder: string): string =>
  profileNames().includes(profile) || isAbsolute(profile) ? profile : resolve(folder, profile);

const textOf = (value: string | number | boolean | readonly string[]): string =>
  value === true ? '1' : Array.isArray(value) ? value.join(',') : String(value);

function secretOf(
  { env: variable, file }: SecretReference,
  setting: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): string {
  if (file !== undefined)
    return readSecretFile(checkedFile(resolve(folder, file), `${setting} file`), setting);
  const secret = env[variable ?? ''];
  if (secret) return secret;
  // A secret that was written there by mistake does not look like this.
  const named = /^[A-Z][A-Z0-9_]*$/.test(variable ?? '') ? `the variable ${variable}` : 'a variable';
  throw new UsageError(`${setting} is in ${named}, which is not set. Set it in the environment.`);
}

/** The path of a file that can be read to its end. */
function checkedFile(path: string, what: string): string {
  try {
    readBounded(path, LIMIT, { followsLink: true });
    return path;
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`The ${what} "${path}" ${error.message}. Name a file you can read.`);
  }
}
