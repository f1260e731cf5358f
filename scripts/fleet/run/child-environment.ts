/** The environment of the run of one deployment: what every program needs, and its own settings and secrets. */
import { isAbsolute, resolve } from 'node:path';
import { profileNames } from '../../../mocks/contract/profile.ts';
import type { Entry, SecretReference } from '../../../tests/fleet/inventory.ts';
import { readSecretFile } from '../../../tests/support/secret-file.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { FILES, SECRETS, VARIABLES } from '../settings.ts';

/** What is passed on. Everything else may be the secret of another deployment. */
const PASSED_ON =
  /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|NODE_EXTRA_CA_CERTS|NODE_USE_SYSTEM_CA|SSL_CERT_(FILE|DIR)|(https?|no|all)_proxy|GITHUB_(SERVER_URL|REPOSITORY|RUN_ID)|CI_JOB_URL)$/i;

export interface ChildEnvironment {
  variables: Record<string, string>;
  /** Values that are never to be seen. */
  secrets: string[];
}

/** Throws UsageError for a secret that is not where the entry says. */
export function childEnvironment(entry: Entry, folder: string, env: NodeJS.ProcessEnv): ChildEnvironment {
  const variables: Record<string, string> = {};
  const secrets: string[] = [];
  for (const [name, value] of Object.entries(env))
    if (PASSED_ON.test(name) && value !== undefined) variables[name] = value;
  if (entry.feed !== undefined) return { variables, secrets };
  for (const [member, variable] of Object.entries(VARIABLES)) {
    const value = entry[member as keyof typeof VARIABLES];
    if (value !== undefined && value !== false) variables[variable] = textOf(value);
  }
  for (const [member, variable] of Object.entries(FILES)) {
    const file = entry[member as keyof typeof FILES];
    if (file !== undefined) variables[variable] = resolve(folder, file);
  }
  if (entry.profile !== undefined) variables.MRS_PROFILE = profileOf(entry.profile, folder);
  for (const [member, variable] of Object.entries(SECRETS)) {
    const reference = entry[member as keyof typeof SECRETS];
    if (reference === undefined) continue;
    const secret = secretOf(reference, member, folder, env);
    secrets.push(secret);
    // From a file, the secret is in the environment of no process.
    if (member === 'clientSecret' && reference.file !== undefined)
      variables.MRS_CLIENT_SECRET_FILE = resolve(folder, reference.file);
    else variables[variable] = secret;
  }
  const headers = Object.entries(entry.headers ?? {});
  for (const [header, reference] of headers) {
    const secret = secretOf(reference, `headers: ${header}`, folder, env);
    secrets.push(secret);
    variables[reference.env] = secret;
  }
  if (headers.length > 0)
    variables.MRS_HEADER = headers.map(([name, { env: from }]) => `${name}=env:${from}`).join();
  return { variables, secrets };
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
  if (file !== undefined) return readSecretFile(resolve(folder, file), setting);
  const secret = env[variable ?? ''];
  if (secret) return secret;
  // A secret that was written there by mistake does not look like this.
  const named = /^[A-Z][A-Z0-9_]*$/.test(variable ?? '') ? `the variable ${variable}` : 'a variable';
  throw new UsageError(`${setting} is in ${named}, which is not set. Set it in the environment.`);
}
