/** Headers that a gateway in front of a deployment requires. Their values are secrets, and come from variables. */
import { UsageError } from '../../support/usage-error.ts';

export interface GatewayHeader {
  name: string;
  /** The environment variable that holds the value. */
  variable: string;
  value: string;
}

/** What `--header` is called in messages. */
const OPTION = '--header (MRS_HEADER)';

/** Those that cannot be sent, and why. */
const REFUSED: [names: RegExp, why: string][] = [
  [/^user-agent$/, '--user-agent (MRS_USER_AGENT) does that'],
  [/^(accept|accept-encoding|authorization|content-type)$/, 'the run sets it itself'],
  [
    /^(connection|content-(encoding|length)|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/,
    'it decides how a request is transferred',
  ],
  [/^proxy-/, 'it is for a proxy, whose credentials are part of the URL in HTTPS_PROXY'],
  [
    /^(accept-.*|cache-control|cookie2?|if-.*|origin|pragma|prefer|range|x-(http-)?method(-override)?)$/,
    'it can change the answer that is judged',
  ],
];

/** Reads `X-Api-Key=env:GATEWAY_KEY,X-Tenant=env:TENANT`. Throws UsageError, which repeats no value. */
export function readGatewayHeaders(text: string, env: NodeJS.ProcessEnv): GatewayHeader[] {
  const headers = text.split(',').map((one) => readHeader(one.trim(), env));
  const names = headers.map(({ name }) => name.toLowerCase());
  const repeated = headers.find(({ name }, at) => names.indexOf(name.toLowerCase()) !== at);
  if (repeated) throw new UsageError(`${OPTION} has ${repeated.name} twice. Leave one of them out.`);
  return headers;
}

/** What the commands of a report and the run itself have these names for. */
const TAKEN = /^(MRS_.*|TOKEN|FORGED_TOKEN|PATH|HOME)$/;

function readHeader(text: string, env: NodeJS.ProcessEnv): GatewayHeader {
  const [, name = '', source = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!/^[!#$%&'*+.^`|~\w-]+$/.test(name))
    throw new UsageError(
      `${OPTION} has a header whose name is invalid. Write a name and a variable, as X-Api-Key=env:GATEWAY_KEY.`,
    );
  const why = REFUSED.find(([names]) => names.test(name.toLowerCase()))?.[1];
  if (why !== undefined)
    throw new UsageError(`${OPTION} has ${name}, which cannot be set: ${why}. Leave it out.`);
  // What is not a variable may be the secret itself, and is not repeated.
  const variable = /^env:([A-Za-z_]\w*)$/.exec(source)?.[1];
  if (variable === undefined)
    throw new UsageError(
      `${OPTION} does not name a variable for ${name}. Put the value into one and name it, as ${name}=env:GATEWAY_KEY: ` +
        'every user of a machine can read its command lines.',
    );
  if (TAKEN.test(variable))
    throw new UsageError(
      `${OPTION} takes ${name} from the variable ${variable}, a name that the run uses itself. Choose another, such as GATEWAY_KEY.`,
    );
  return { name, variable, value: readValue(name, variable, env) };
}

function readValue(name: string, variable: string, env: NodeJS.ProcessEnv): string {
  const value = env[variable];
  if (!value)
    throw new UsageError(
      `${OPTION} takes ${name} from the variable ${variable}, which is ${value === '' ? 'empty' : 'not set'}. Set it in the environment.`,
    );
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value;
  throw new UsageError(
    `${OPTION} takes ${name} from the variable ${variable}, which has a character that no header can carry. ` +
      'Copy the value again, without line breaks or spaces around it.',
  );
}

/** As a request carries them. */
export const fieldsOf = (headers: readonly GatewayHeader[]): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

/** What reports have in the place of the value; in their commands it is the variable again. */
export const aliasOf = ({ variable }: Pick<GatewayHeader, 'variable'>): string => `$${variable}`;

/** A shorter value, such as a tenant, is not a key: it occurs by chance in what a deployment sends. */
const SHORTEST_KEY = 8;

/** Whether the value is kept out of what a run writes, wherever it occurs. */
export const isKey = ({ value }: GatewayHeader): boolean => value.length >= SHORTEST_KEY;
