/** The settings of a deployment in fleet.yaml, and the variables that `mrs verify` has for them. */

/** Settings by the variable that `mrs verify` reads. */
export const VARIABLES = {
  baseUrl: 'MRS_BASE_URL',
  clientId: 'MRS_CLIENT_ID',
  tokenLifetime: 'MRS_TOKEN_LIFETIME',
  healthPaths: 'MRS_HEALTH_PATHS',
  userAgent: 'MRS_USER_AGENT',
  maxWait: 'MRS_MAX_WAIT',
  timeout: 'MRS_TIMEOUT',
  bodyLimit: 'MRS_BODY_LIMIT',
  safe: 'MRS_SAFE',
  allowHttp: 'MRS_ALLOW_HTTP',
} as const;

/** The same for files, relative to fleet.yaml. */
export const FILES = { ca: 'MRS_CA', baseline: 'MRS_BASELINE' } as const;

/** The same for secrets. */
export const SECRETS = {
  clientSecret: 'MRS_CLIENT_SECRET',
  expiredToken: 'MRS_EXPIRED_TOKEN',
  mockControlKey: 'MRS_MOCK_CONTROL_KEY',
} as const;

/** Each setting and its variable; those with longer names first. */
const ROWS: readonly (readonly [setting: string, variable: string])[] = [
  ...Object.entries({ ...VARIABLES, ...FILES, ...SECRETS, profile: 'MRS_PROFILE', headers: 'MRS_HEADER' }),
  ['clientSecret', 'MRS_CLIENT_SECRET_FILE'] as const,
].toSorted(([, one], [, other]) => other.length - one.length);

export const variableOf = (setting: string): string | undefined =>
  ROWS.findLast(([member]) => member === setting)?.[1];

/** The setting whose variable a message names first. */
export function settingIn(message: string): string | undefined {
  const [variable] = /\bMRS_\w+/.exec(message) ?? [];
  return ROWS.find(([, one]) => one === variable)?.[0];
}

/** A mistake in a variable, as one in the setting that it comes from. */
export function inSettings(message: string): string {
  const [missing] = /MRS_\w+(?=\)? is not set\.)/.exec(message) ?? [];
  const setting = missing && settingIn(missing);
  if (setting !== undefined) return `${setting} is missing. Add it to the deployment, or to the defaults.`;
  return ROWS.reduce((text, [member, variable]) => text.replaceAll(variable, member), message)
    .replaceAll(/--[\w-]+ \((\w+)\)/g, '$1')
    .replace(', or give --allow-http (allowHttp=1)', ', or set allowHttp: true');
}
