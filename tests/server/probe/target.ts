/** The deployment under test and how to treat it, as the environment says. */

import { readBounded, readSecretFile, TEXT_BYTES } from '../../support/files.ts';
import { isLoopback, parseDuration, parseTimeout, readHealthPaths } from '../../support/options.ts';
import { createSecrets, type Secrets } from '../../support/secrets.ts';
import { UsageError } from '../../support/usage-error.ts';
import { readBaseUrl } from '../../traffic/base-url.ts';
import { type Operation, offersTokens, type Profile } from '../profile.ts';
import { certificatesIn, isCertificate } from './connection.ts';

/** What holds where nothing is set, as a user would write it. */
export const TARGET_DEFAULTS = { maxWait: '120s', timeout: '10s', reportDir: 'reports/verify' } as const;

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

/** Where the reports of a run go, from MRS_REPORT_DIR. */
export const reportDir = (env: NodeJS.ProcessEnv): string => env.MRS_REPORT_DIR || TARGET_DEFAULTS.reportDir;

/**
 * Reads the target from `MRS_…` variables; what a profile declares replaces those that are not set. Throws
 * UsageError with what to set.
 */
export function readTarget(env: NodeJS.ProcessEnv, profile?: Profile): Target {
  const isOpen = !offersTokens(profile);
  const lifetime = env.MRS_TOKEN_LIFETIME || profile?.tokenLifetimeSeconds?.toString();
  return {
    baseUrl: readHost(required('MRS_BASE_URL', env), isOpen || isOn('MRS_ALLOW_HTTP', env)),
    clientId: isOpen ? 'nobody' : required('MRS_CLIENT_ID', env),
    clientSecret: isOpen ? '' : readSecret(env),
    healthPaths: env.MRS_HEALTH_PATHS
      ? readHealthPaths(env.MRS_HEALTH_PATHS, optionOf('MRS_HEALTH_PATHS'))
      : declaredHealthPaths(profile),
    ...(profile && !env.MRS_HEALTH_PATHS && { statesHealthPaths: true as const }),
    maxWaitSeconds: parseDuration(env.MRS_MAX_WAIT || TARGET_DEFAULTS.maxWait, optionOf('MRS_MAX_WAIT')),
    timeoutSeconds: parseTimeout(env.MRS_TIMEOUT || TARGET_DEFAULTS.timeout, optionOf('MRS_TIMEOUT')),
    safe: isOn('MRS_SAFE', env),
    ...(env.MRS_HEADER && { gatewayHeaders: readGatewayHeaders(env.MRS_HEADER, env) }),
    ...(env.MRS_USER_AGENT && {
      userAgent: printable(
        env.MRS_USER_AGENT,
        `${optionOf('MRS_USER_AGENT')} is "${env.MRS_USER_AGENT}". Give printable ASCII characters, without spaces around them.`,
      ),
    }),
    ...(env.MRS_CA && { authorities: readAuthorities(env.MRS_CA) }),
    ...(lifetime && { tokenLifetimeSeconds: parseDuration(lifetime, optionOf('MRS_TOKEN_LIFETIME')) }),
    ...(env.MRS_EXPIRED_TOKEN && {
      expiredToken: printable(
        env.MRS_EXPIRED_TOKEN,
        'MRS_EXPIRED_TOKEN has a character that no Authorization header can carry. Copy the token again, without spaces or line breaks.',
        true,
      ),
    }),
    ...(env.MRS_MOCK_CONTROL_KEY && { mockControlKey: env.MRS_MOCK_CONTROL_KEY }),
  };
}

function required(name: 'MRS_BASE_URL' | 'MRS_CLIENT_ID', env: NodeJS.ProcessEnv): string {
  const value = env[name];
  if (value) return value;
  const what = value === '' ? 'is set to nothing' : 'is not set';
  throw new UsageError(`${optionOf(name)} ${what}. mrs verify --help lists what is needed.`);
}

/** From a file, the secret is in the environment of no process. */
function readSecret(env: NodeJS.ProcessEnv): string {
  const { MRS_CLIENT_SECRET_FILE: file, MRS_CLIENT_SECRET: secret } = env;
  if (file) return readSecretFile(file);
  if (secret) return secret;
  throw new UsageError(
    `MRS_CLIENT_SECRET is not set. Set it in the environment, or give ${optionOf('MRS_CLIENT_SECRET_FILE')}.`,
  );
}

/** Whether a switch is on. Throws UsageError for a value that is neither. */
export function isOn(name: string, env: NodeJS.ProcessEnv): boolean {
  const value = env[name] || '0';
  if (/^(0|1|false|true)$/.test(value)) return value === '1' || value === 'true';
  throw new UsageError(`${name} is "${value}". Set it to 1, or leave it out.`);
}

function readHost(text: string, allowHttp: boolean): string {
  const name = optionOf('MRS_BASE_URL');
  const url = readBaseUrl(text, name);
  if (!url.startsWith('http:') || isLoopback(url) || allowHttp) return url;
  throw new UsageError(
    `${name} is plain http, where anyone on the network path can read the client secret. ` +
      'Use https, or give --allow-http (MRS_ALLOW_HTTP=1).',
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

/** `text`, if a header can carry it (RFC 9110 section 5.5), without spaces around it or, in a token, anywhere. */
function printable(text: string, otherwise: string, isToken = false): string {
  const isPrintable = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  if (isPrintable && !(isToken && text.includes(' '))) return text;
  throw new UsageError(otherwise);
}

/** The certificates in a PEM file (RFC 7468), one each. Throws UsageError with what is wrong with it. */
export function readAuthorities(file: string): string[] {
  const named = `--ca (MRS_CA) names ${file}, which`;
  const certificates = certificatesIn(readBounded(file, TEXT_BYTES, named).toString());
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates;
  const what = certificates.length > 0 ? 'a damaged one' : 'no PEM certificate (-----BEGIN CERTIFICATE-----)';
  throw new UsageError(`${named} holds ${what}. Name another file.`);
}

// Headers that a gateway in front of a deployment requires. Their values are secrets, and come from variables.

interface GatewayHeader {
  name: string;
  /** The environment variable that holds the value. */
  variable: string;
  value: string;
}

/** Those that the run sets itself, that decide how a request is transferred, or that can change the answer that is judged. */
const REFUSED =
  /^(user-agent|accept|accept-.*|authorization|connection|content-.*|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|cache-control|cookie2?|if-.*|origin|pragma|prefer|range|x-(http-)?method(-override)?)$/i;

/** Reads `X-Api-Key=env:GATEWAY_KEY,X-Tenant=env:TENANT`. Throws UsageError, which repeats no value. */
const readGatewayHeaders = (text: string, env: NodeJS.ProcessEnv): GatewayHeader[] =>
  text.split(',').map((one) => {
    const refuse = (sentence: string): never => {
      throw new UsageError(`--header (MRS_HEADER) ${sentence}`);
    };
    const [, name = '', source = ''] = /^([^=]*)=(.*)$/s.exec(one.trim()) ?? [];
    if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name))
      refuse(
        'has a header whose name is invalid. Write a name and a variable, as X-Api-Key=env:GATEWAY_KEY.',
      );
    if (REFUSED.test(name))
      refuse(`has ${name}, which the run sets itself, or which can change the verdicts. Leave it out.`);
    // What is not a variable may be the secret itself, and is not repeated.
    const variable =
      /^env:([A-Za-z_]\w*)$/.exec(source)?.[1] ??
      refuse(
        `does not name a variable for ${name}. Put the value into one and name it, as ${name}=env:GATEWAY_KEY: ` +
          'every user of a machine can read its command lines.',
      );
    const takes = `takes ${name} from the variable ${variable}`;
    const value = (Object.hasOwn(env, variable) && env[variable]) || '';
    if (value === '') refuse(`${takes}, which is not set. Set it in the environment.`);
    const unsendable = `--header (MRS_HEADER) ${takes}, which has a character that no header can carry. Copy the value again.`;
    return { name, variable, value: printable(value, unsendable) };
  });

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
