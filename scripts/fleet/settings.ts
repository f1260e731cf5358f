/** The settings of a deployment in fleet.yaml, and the variables that `mrs verify` has for them. */

/** Settings by the variable that `mrs verify` reads. */
export const VARIABLES = {
  baseUrl: 'MRS_BASE_URL',
  clientId: 'MRS_CLIENT_ID',
  tokenLifetime: 'MRS_TOKEN_LIFETIME',
  healthPaths: 'MRS_HEALTH_PATHS',
  maxWait: 'MRS_MAX_WAIT',
  timeout: 'MRS_TIMEOUT',
  bodyLimit: 'MRS_BODY_LIMIT',
  safe: 'MRS_SAFE',
  allowHttp: 'MRS_ALLOW_HTTP',
  allowUploads: 'MRS_ALLOW_UPLOADS',
} as const;

/** The same for files, relative to fleet.yaml. */
export const FILES = { ca: 'MRS_CA', tokenVault: 'MRS_TOKEN_VAULT', baseline: 'MRS_BASELINE' } as const;

/** The same for secrets. */
export const SECRETS = {
  clientSecret: 'MRS_CLIENT_SECRET',
  expiredToken: 'MRS_EXPIRED_TOKEN',
  mockControlKey: 'MRS_MOCK_CONTROL_KEY',
} as const;

/** A mistake in a variable, as one in the setting that it comes from. */
export function inSettings(message: string): string {
  const settings = { ...VARIABLES, ...FILES, ...SECRETS, profile: 'MRS_PROFILE', headers: 'MRS_HEADER' };
  const rows: [member: string, variable: string][] = Object.entries(settings);
  rows.push(['clientSecret', 'MRS_CLIENT_SECRET_FILE']);
  const [missing] = /MRS_\w+(?=\)? is not set\.)/.exec(message) ?? [];
  const setting = rows.find(([, variable]) => variable === missing)?.[0];
  if (setting !== undefined) return `${setting} is missing. Add it to the deployment, or to the defaults.`;
  return rows
    .toSorted(([, one], [, other]) => other.length - one.length)
    .reduce((text, [member, variable]) => text.replaceAll(variable, member), message)
    .replaceAll(/--[\w-]+ \((\w+)\)/g, '$1')
    .replace(', or give --allow-http (allowHttp=1)', ', or set allowHttp: true');
}
