/** The deployment under test and how to treat it. */

import { readSecretFile } from '../../support/files.ts';
import { type Given, optionsIn } from '../../support/option-table.ts';
import { isLoopback } from '../../support/options.ts';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import { UsageError } from '../../support/usage-error.ts';
import { type Operation, offersTokens, type Profile } from '../profile.ts';
import { DEPLOYMENT_OPTIONS, type GatewayHeader } from './options.ts';

/** The options of a deployment, as they were given. */
export type GivenDeployment = Given<typeof DEPLOYMENT_OPTIONS>;

/** The variables that `--header` (MRS_HEADER) takes values from, also where it has a mistake. */
export const headerVariables = ({ MRS_HEADER = '' }: NodeJS.ProcessEnv): string[] =>
  [...MRS_HEADER.matchAll(/=env:(\w+)/g)].map(([, name = '']) => name);

export interface Target {
  /** {base_url} of the specification, without a slash at the end. */
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  /** Seconds that a token lives, as agreed with the operator (clause 5.1). */
  tokenLifetimeSeconds?: number;
  /** A token that the operator says has expired. */
  expiredToken?: string;
  /** Of the control of this package's own mock, whose clock is then moved instead of waiting. */
  mockControlKey?: string;
  /** Of the health checks below {base_url} (clause 4.3), with another method than GET before them, as in `HEAD /up`. */
  healthPaths: string[];
  /** Whether the deployment states these paths, by its profile. */
  statesHealthPaths?: true;
  /** The longest lifetime that is waited for. */
  maxWaitSeconds: number;
  /** For one exchange, by the clock on the wall. */
  timeoutSeconds: number;
  /** In the place of the suite's own. */
  userAgent?: string;
  /** Sent with each request of the run. */
  gatewayHeaders?: GatewayHeader[];
  /** Certificates, as PEM, of authorities that are trusted in addition to those that Node.js trusts. */
  authorities?: string[];
  /** Sends no wrong secret for the real client, which some deployments lock after a few. */
  safe: boolean;
}

/** The target that `MRS_…` variables name, as for `readTarget`. */
export const targetIn = (env: NodeJS.ProcessEnv, profile?: Profile): Target =>
  readTarget(optionsIn(DEPLOYMENT_OPTIONS, env), profile);

/** What a profile declares replaces what is not given. Throws UsageError with what to give. */
export function readTarget(given: GivenDeployment, profile?: Profile): Target {
  const { values, called } = given;
  const { ca, header, userAgent, expiredToken, mockControlKey } = values;
  const isOpen = !offersTokens(profile);
  const baseUrl = required('baseUrl', given);
  if (baseUrl.startsWith('http:') && !isLoopback(baseUrl) && !isOpen && !values.allowHttp)
    throw new UsageError(
      `${called('baseUrl')} is plain http, where anyone on the network path can read the client secret. ` +
        `Use https, or give ${called('allowHttp')}.`,
    );
  const tokenLifetimeSeconds = values.tokenLifetime ?? profile?.tokenLifetimeSeconds;
  return {
    baseUrl,
    clientId: isOpen ? 'nobody' : required('clientId', given),
    clientSecret: isOpen ? '' : readSecret(given),
    healthPaths: values.healthPaths ?? declaredHealthPaths(profile),
    ...(profile && !values.healthPaths && { statesHealthPaths: true as const }),
    maxWaitSeconds: values.maxWait,
    timeoutSeconds: values.timeout,
    safe: values.safe === true,
    ...(header && { gatewayHeaders: header }),
    ...(userAgent !== undefined && { userAgent }),
    ...(ca && { authorities: ca }),
    ...(tokenLifetimeSeconds !== undefined && { tokenLifetimeSeconds }),
    ...(expiredToken !== undefined && { expiredToken }),
    ...(mockControlKey !== undefined && { mockControlKey }),
  };
}

function required(name: 'baseUrl' | 'clientId', { values, empty, called }: GivenDeployment): string {
  const value = values[name];
  if (value !== undefined) return value;
  const what = empty.includes(name) ? 'is set to nothing' : 'is not set';
  throw new UsageError(`${called(name)} ${what}. mrs verify --help lists what is needed.`);
}

/** From a file, the secret is in the environment of no process. */
function readSecret({ values: { clientSecretFile, clientSecret }, called }: GivenDeployment): string {
  if (clientSecretFile !== undefined) return readSecretFile(clientSecretFile);
  if (clientSecret !== undefined) return clientSecret;
  throw new UsageError(
    `${called('clientSecret')} is not set. Set it in the environment, or give ${called('clientSecretFile')}.`,
  );
}

/** Those that a profile says something of; where none does, the contract has but the mock's own. */
function declaredHealthPaths(profile: Profile | undefined): string[] {
  const isDeclared = ({ pointer }: Operation) =>
    profile?.declarations.some((one) => `${pointer}/`.startsWith(`${one.pointer}/`));
  return (profile?.operations ?? [])
    .filter((one) => one.id.startsWith('checkHealth') && isDeclared(one))
    .map(({ method, path }) => (method === 'GET' ? path : `${method} ${path}`));
}

/** As a request carries them. */
export const fieldsOf = (headers: readonly GatewayHeader[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

/** What reports have in the place of the value; in their commands it is the variable again. */
export const aliasOf = ({ variable }: Pick<GatewayHeader, 'variable'>): string => `$${variable}`;

/** A shorter value, such as a tenant, is not a key: it occurs by chance in what a deployment sends. */
const SHORTEST_KEY = 8;

/** Those in the variables of a run, whose evidence is judged without one. Throws UsageError for a secret file that cannot be read. */
export function secretsOfEnvironment(env: NodeJS.ProcessEnv): Secrets {
  const secrets = createSecrets();
  const { MRS_CLIENT_ID: clientId = '', MRS_CLIENT_SECRET_FILE: file, MRS_CLIENT_SECRET = '' } = env;
  const gatewayHeaders = headerVariables(env).map((variable) => ({ variable, value: env[variable] ?? '' }));
  registerSecrets(
    {
      ...{ clientId, clientSecret: file ? readSecretFile(file) : MRS_CLIENT_SECRET, gatewayHeaders },
      ...{ expiredToken: env.MRS_EXPIRED_TOKEN, mockControlKey: env.MRS_MOCK_CONTROL_KEY },
    },
    secrets,
  );
  return secrets;
}

type Secretive = Pick<Target, 'clientId' | 'clientSecret'> & {
  [Name in 'expiredToken' | 'mockControlKey']?: string | undefined;
} & { gatewayHeaders?: Pick<GatewayHeader, 'variable' | 'value'>[] };

/** `secrets` learns those that the target comes with. */
export function registerSecrets(target: Secretive, secrets: Secrets): void {
  const { clientId, clientSecret, expiredToken, gatewayHeaders = [], mockControlKey } = target;
  if (clientSecret) {
    secrets.register(clientSecret, 'client secret');
    secrets.register(`${clientId}:${clientSecret}`, 'client id and secret', { whole: true });
  }
  if (expiredToken) secrets.register(expiredToken, 'expired token');
  for (const header of gatewayHeaders)
    if (header.value.length >= SHORTEST_KEY) secrets.register(header.value, aliasOf(header));
  if (mockControlKey) secrets.register(mockControlKey, 'control key');
}
