/** What is known of the variables of the deployment under test without reading them. */

/** What holds where nothing is set, as a user would write it; the body limit is in MiB. */
export const TARGET_DEFAULTS = {
  maxWait: '120s',
  timeout: '10s',
  bodyLimit: '32',
  reportDir: 'reports/verify',
} as const;

/** What a message calls a variable that is also an option: `--base-url (MRS_BASE_URL)`. Options mirror their variables. */
export const optionOf = (variable: `MRS_${string}`): string =>
  `--${variable.slice('MRS_'.length).toLowerCase().replaceAll('_', '-')} (${variable})`;

/** The variables whose value is a secret, or leads to one. */
export const SECRET_VARIABLES = [
  'MRS_CLIENT_SECRET',
  'MRS_CLIENT_SECRET_FILE',
  'MRS_EXPIRED_TOKEN',
  'MRS_MOCK_CONTROL_KEY',
] as const;

/** The variables that `--header` (MRS_HEADER) takes values from. */
export const headerVariables = ({ MRS_HEADER = '' }: NodeJS.ProcessEnv): string[] =>
  [...MRS_HEADER.matchAll(/=env:(\w+)/g)].map(([, name = '']) => name);
