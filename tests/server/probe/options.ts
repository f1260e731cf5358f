/** The options that name a deployment and say how it is treated. */
import { readBounded, TEXT_BYTES } from '../../support/files.ts';
import type { OptionTable } from '../../support/option-table.ts';
import { parseDuration, parseTimeout, readHealthPaths, timeLimit } from '../../support/options.ts';
import { UsageError } from '../../support/usage-error.ts';
import { readBaseUrl } from '../../traffic/base-url.ts';
import { certificatesIn, isCertificate } from './connection.ts';

export const DEPLOYMENT_OPTIONS = {
  baseUrl: {
    flag: '--base-url <url>',
    variable: 'MRS_BASE_URL',
    help: 'URL of the deployment, with its base path',
    defaultText: 'the bundled mock; in CI, only with --mock',
    parse: (text: string, name: string) => readBaseUrl(text, name),
    isForMock: true,
  },
  mock: {
    flag: '--mock',
    variable: 'MRS_MOCK',
    help: 'judge the bundled mock',
    conflicts: 'baseUrl',
    isForMock: true,
  },
  clientId: { flag: '--client-id <id>', variable: 'MRS_CLIENT_ID', help: 'id of the client' },
  clientSecretFile: {
    flag: '--client-secret-file <file>',
    variable: 'MRS_CLIENT_SECRET_FILE',
    help: 'file that holds the client secret; otherwise set MRS_CLIENT_SECRET',
    isSecret: true,
  },
  ca: {
    flag: '--ca <file>',
    variable: 'MRS_CA',
    help: 'PEM file of certificate authorities to trust in addition to the built-in ones',
    parse: readAuthorities,
  },
  header: {
    flag: '--header <name=env:variable>',
    variable: 'MRS_HEADER',
    help: 'header that a gateway requires, with the variable that holds its value, as X-Api-Key=env:GATEWAY_KEY; repeat the flag for more (comma-separated in the variable)',
    parse: readGatewayHeaders,
  },
  userAgent: {
    flag: '--user-agent <text>',
    variable: 'MRS_USER_AGENT',
    help: 'User-Agent to send, so that the deployment cannot recognize the suite',
    defaultText: 'mrs-contract, with its version and the id of the run',
    parse: readUserAgent,
  },
  profile: {
    flag: '--profile <name|file>',
    variable: 'MRS_PROFILE',
    help: 'what the deployment declares about the open points, see mrs profile list',
    isForMock: true,
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    variable: 'MRS_TOKEN_LIFETIME',
    help: 'token lifetime agreed with the operator, in seconds or as 15m',
    parse: parseDuration,
    isForMock: true,
  },
  healthPaths: {
    flag: '--health-paths <paths>',
    variable: 'MRS_HEALTH_PATHS',
    help: 'paths of the health checks below the base URL, comma-separated, or repeat the flag; prefix a method if not GET, as in /live,POST /ready',
    parse: readHealthPaths,
  },
  maxWait: {
    flag: '--max-wait <duration>',
    variable: 'MRS_MAX_WAIT',
    help: 'longest token lifetime to wait for',
    default: '120s',
    parse: parseDuration,
    isForMock: true,
  },
  wait: {
    flag: '--wait <duration>',
    variable: 'MRS_WAIT',
    help: 'wait until the deployment answers, for this long at most',
    parse: timeLimit('1s', '10m'),
  },
  timeout: {
    flag: '--timeout <duration>',
    variable: 'MRS_TIMEOUT',
    help: 'time limit for one exchange',
    default: '10s',
    parse: parseTimeout,
    isForMock: true,
  },
  safe: {
    flag: '--safe',
    variable: 'MRS_SAFE',
    help: 'skip the probes with a wrong secret, since some services lock a client after a few, and the probe with headers of a gateway',
  },
  allowHttp: {
    flag: '--allow-http',
    variable: 'MRS_ALLOW_HTTP',
    help: 'allow plain http to hosts other than this machine; anyone on the network path can read the secret',
  },
  clientSecret: {
    variable: 'MRS_CLIENT_SECRET',
    help: 'the client secret, unless a file holds it',
    isSecret: true,
  },
  expiredToken: {
    variable: 'MRS_EXPIRED_TOKEN',
    help: 'a token known to be expired, for a lifetime too long to wait for',
    parse: readToken,
    isSecret: true,
  },
  mockControlKey: {
    variable: 'MRS_MOCK_CONTROL_KEY',
    help: 'control key of mrs mock; its clock is then moved instead of waiting',
    isSecret: true,
  },
} as const satisfies OptionTable;

/** The variables of the options that `isMeant` chooses. */
export const variablesOf = (isMeant: (row: OptionTable[string]) => unknown): string[] =>
  Object.values<OptionTable[string]>(DEPLOYMENT_OPTIONS).flatMap((row) =>
    isMeant(row) && row.variable !== undefined ? [row.variable] : [],
  );

/** Whether a header can carry `text` (RFC 9110 section 5.5), without spaces around it. */
const isPrintable = (text: string): boolean => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);

function readUserAgent(text: string, name: string): string {
  if (isPrintable(text)) return text;
  throw new UsageError(`${name} is "${text}". Give printable ASCII characters, without spaces around them.`);
}

function readToken(text: string, name: string): string {
  if (isPrintable(text) && !text.includes(' ')) return text;
  throw new UsageError(
    `${name} has a character that no Authorization header can carry. Copy the token again, without spaces or line breaks.`,
  );
}

/** The certificates in a PEM file (RFC 7468), one each. Throws UsageError with what is wrong with it. */
function readAuthorities(file: string, name: string): string[] {
  const named = `${name} names ${file}, which`;
  const certificates = certificatesIn(readBounded(file, TEXT_BYTES, named).toString());
  if (certificates.length > 0 && certificates.every(isCertificate)) return certificates;
  const what = certificates.length > 0 ? 'a damaged one' : 'no PEM certificate (-----BEGIN CERTIFICATE-----)';
  throw new UsageError(`${named} holds ${what}. Name another file.`);
}

// Headers that a gateway in front of a deployment requires. Their values are secrets, and come from variables.

export interface GatewayHeader {
  name: string;
  /** The environment variable that holds the value. */
  variable: string;
  value: string;
}

/** Those that the run sets itself, that decide how a request is transferred, or that can change the answer that is judged. */
const REFUSED =
  /^(user-agent|accept|accept-.*|authorization|connection|content-.*|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|proxy-.*|cache-control|cookie2?|if-.*|origin|pragma|prefer|range|x-(http-)?method(-override)?)$/i;

/** Reads `X-Api-Key=env:GATEWAY_KEY,X-Tenant=env:TENANT`. Throws UsageError, which repeats no value. */
function readGatewayHeaders(
  text: string,
  option: string,
  before: unknown,
  env: NodeJS.ProcessEnv,
): GatewayHeader[] {
  const refuse = (sentence: string): never => {
    throw new UsageError(`${option} ${sentence}`);
  };
  const headers = text.split(',').map((one) => {
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
    if (!isPrintable(value))
      refuse(`${takes}, which has a character that no header can carry. Copy the value again.`);
    return { name, variable, value };
  });
  return [...((before ?? []) as GatewayHeader[]), ...headers];
}
