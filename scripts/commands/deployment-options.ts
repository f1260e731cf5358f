/** The options by which a command finds a deployment, and how it treats it. */
import { TARGET_DEFAULTS } from '../../tests/server/probe/target.ts';
import { eachValue, type OptionTable } from './options.ts';

export const PROFILE_OPTION = {
  flag: '--profile <name|file>',
  variable: 'MRS_PROFILE',
  help: 'what the deployment declares about the open points, see mrs profile list',
} as const;

export const DEPLOYMENT_OPTIONS = {
  baseUrl: {
    flag: '--base-url <url>',
    variable: 'MRS_BASE_URL',
    help: 'URL of the deployment, with its base path',
    defaultText: 'the bundled mock; in CI, only with --mock',
  },
  mock: { flag: '--mock', variable: 'MRS_MOCK', help: 'judge the bundled mock', conflicts: 'baseUrl' },
  clientId: { flag: '--client-id <id>', variable: 'MRS_CLIENT_ID', help: 'id of the client' },
  clientSecretFile: {
    flag: '--client-secret-file <file>',
    variable: 'MRS_CLIENT_SECRET_FILE',
    help: 'file that holds the client secret; otherwise set MRS_CLIENT_SECRET',
  },
  ca: {
    flag: '--ca <file>',
    variable: 'MRS_CA',
    help: 'PEM file of certificate authorities to trust in addition to the built-in ones',
  },
  header: {
    flag: '--header <name=env:variable>',
    variable: 'MRS_HEADER',
    help: 'header that a gateway requires, with the variable that holds its value, as X-Api-Key=env:GATEWAY_KEY; repeat the flag for more (comma-separated in the variable)',
    parse: eachValue,
  },
  userAgent: {
    flag: '--user-agent <text>',
    variable: 'MRS_USER_AGENT',
    help: 'user agent of the requests, so that a deployment cannot know them by it',
    defaultText: 'mrs-contract, with its version and the id of the run',
  },
  profile: PROFILE_OPTION,
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    variable: 'MRS_TOKEN_LIFETIME',
    help: 'token lifetime agreed with the operator, in seconds or as 15m',
  },
  healthPaths: {
    flag: '--health-paths <paths>',
    variable: 'MRS_HEALTH_PATHS',
    help: 'paths of the health checks below the base URL, comma-separated, or repeat the flag; prefix a method if not GET, as in /live,POST /ready',
    parse: eachValue,
  },
  maxWait: {
    flag: '--max-wait <duration>',
    variable: 'MRS_MAX_WAIT',
    help: 'longest token lifetime to wait for',
    defaultText: TARGET_DEFAULTS.maxWait,
  },
  timeout: {
    flag: '--timeout <duration>',
    variable: 'MRS_TIMEOUT',
    help: 'time limit for one exchange',
    defaultText: TARGET_DEFAULTS.timeout,
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
  clientSecret: { variable: 'MRS_CLIENT_SECRET', help: 'the client secret, unless a file holds it' },
  expiredToken: {
    variable: 'MRS_EXPIRED_TOKEN',
    help: 'a token known to be expired, for a lifetime too long to wait for',
  },
  mockControlKey: {
    variable: 'MRS_MOCK_CONTROL_KEY',
    help: 'control key of mrs mock; its clock is then moved instead of waiting',
  },
} as const satisfies OptionTable;
