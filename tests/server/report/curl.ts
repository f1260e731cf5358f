/** How to see an exchange again, by curl in bash or zsh. Secrets are variables; all else is quoted. */

import { literal } from '../../report/shell.ts';
import { inOneLine } from '../../report/text.ts';
import type { Exchange } from '../support/evidence.ts';
import type { Report } from './report.ts';

const WIDTH = 100;

const VALID: Exchange = {
  id: '',
  what: '',
  sentAtMs: 0,
  durationMs: 0,
  request: {
    method: 'POST',
    path: '/token/',
    headers: [['accept', 'application/json']],
    form: {
      grant_type: 'client_credentials',
      client_id: '‹client id›',
      client_secret: '‹client secret›',
    },
  },
};

/**
 * The command for one exchange, in lines of `width` columns where it can be broken. The client id is a variable where
 * `target` tells which one it is.
 */
export function curlFor(
  { request }: Exchange,
  target?: Pick<Report['target'], 'clientId'>,
  width = WIDTH,
): string {
  const { method, path, headers, form } = request;
  // What curl sends in its own way; --compressed is its Accept-Encoding, and decodes the answer.
  const known = ['user-agent', 'accept-encoding', ...(form === undefined ? [] : ['content-type'])];
  const isCompressed = headers.some(([name]) => name === 'accept-encoding');
  const sent = headers.filter(([name]) => FIELD_NAME.test(name) && !known.includes(name.toLowerCase()));
  const command = [
    `curl --include${isCompressed ? ' --compressed' : ''}`,
    ...methodOption(method, form !== undefined),
    // curl would take these for a range or a set of addresses.
    ...(/[[\]{}]/.test(path) ? ['--globoff'] : []),
    quote(`‹base url›${path}`),
  ];
  const fields = Object.entries(form ?? {}).map(([name, value]) => {
    const content = name === 'client_id' && value === target?.clientId ? '‹client id›' : value;
    return `--data-urlencode ${quote(`${encodeURIComponent(name.toWellFormed())}=${content}`)}`;
  });
  const oneLine = command.join(' ');
  return [...(oneLine.length <= width ? [oneLine] : command), ...sent.map(headerOption), ...fields].join(
    ' \\\n  ',
  );
}

/** What stores a token for the commands that need one. */
export const tokenCommand = (width = WIDTH): string =>
  `TOKEN=$(${curlFor(VALID, undefined, width).replace('--include', '--silent')} | jq -r .token)`;

/** The commands for all that a verdict rests on, each below what it is. */
export function reproduction(exchangeIds: string[], { exchanges, target }: Report): string {
  return exchangeIds
    .flatMap((id) => exchanges.find((exchange) => exchange.id === id) ?? [])
    .map((exchange) => `# ${inOneLine(exchange.what)}\n${curlFor(exchange, target)}`)
    .join('\n\n');
}

/**
 * What to enter before any of the commands, in two pieces: pasted in one, the line after `read` would be taken for
 * the secret.
 */
export function curlSetup({ baseUrl, clientId }: Report['target']): { variables: string; token: string } {
  return {
    variables: [
      `MRS_BASE_URL=${quote(baseUrl)}`,
      `MRS_CLIENT_ID=${quote(clientId)}`,
      'read -rs MRS_CLIENT_SECRET',
    ].join('\n'),
    token: tokenCommand(),
  };
}

/** A header's name (RFC 9110 section 5.6.2). curl would read a file where one begins with an @. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

function methodOption(method: string, hasForm: boolean): string[] {
  if (method === (hasForm ? 'POST' : 'GET')) return [];
  return [method === 'HEAD' ? '--head' : `--request ${quote(method)}`];
}

function headerOption([name, value]: [string, string]): string {
  const basic = /^basic ‹client id and secret›$/i.test(value);
  if (name.toLowerCase() === 'authorization' && basic) return '--user "$MRS_CLIENT_ID:$MRS_CLIENT_SECRET"';
  return `--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

/** What stands in a shell for an alias of the record. */
const VARIABLES: [alias: RegExp, expansion: string][] = [
  [/^‹base url›$/, '$MRS_BASE_URL'],
  [/^‹client id›$/, '$MRS_CLIENT_ID'],
  [/^‹client secret›$/, '$MRS_CLIENT_SECRET'],
  [/^‹expired token›$/, '$MRS_EXPIRED_TOKEN'],
  [/^‹token \d+›$/, '$TOKEN'],
  // Where the run used random characters, others do as well.
  [/^‹token, (altered|with a random end|altered in its claims)›$/, `$\{TOKEN%??????}xyzxyz`],
  [/^‹token, with a random beginning›$/, `xyzxyz$\{TOKEN#??????}`],
  [/^‹token, cut›$/, `$\{TOKEN%?}`],
  [/^‹token, cut at its beginning›$/, `$\{TOKEN#?}`],
  [/^‹token, with a character before it›$/, `x$\{TOKEN}`],
  [/^‹token, extended›$/, `$\{TOKEN}x`],
  [/^‹token, in the other case›$/, `$(printf %s "$TOKEN" | tr A-Za-z a-zA-Z)`],
  [/^‹token, random›$/, `$(printf %s "$TOKEN" | tr 0-9a-zA-Z 5-90-4n-za-mN-ZA-M)`],
  [
    /^‹token, unsigned›$/,
    `$(printf %s '{"alg":"none"}' | base64 | tr -d =).$(printf %s "$TOKEN" | cut -d. -f2).`,
  ],
  [/^‹token, without its signature›$/, `$\{TOKEN%.*}.`],
  [/^‹client secret, cut›$/, `$\{MRS_CLIENT_SECRET%?}`],
  [/^‹client secret, extended›$/, `$\{MRS_CLIENT_SECRET} `],
  [/^‹client secret, in the other case›$/, `$(printf %s "$MRS_CLIENT_SECRET" | tr A-Za-z a-zA-Z)`],
];

/** `text` as one word of a shell, in which the aliases that are known have become variables. */
function quote(text: string): string {
  const pieces = text
    .split(/(‹[^‹›]*›)/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ piece, variable: VARIABLES.find(([alias]) => alias.test(piece))?.[1] }));
  const hasVariable = pieces.some(({ variable }) => variable !== undefined);
  const isPlain = pieces.every(
    ({ piece, variable }, at) =>
      variable !== undefined || (PLAIN.test(piece) && !(at > 0 && CONTINUES_NAME.test(piece))),
  );
  if (hasVariable && isPlain) return `"${pieces.map(({ piece, variable }) => variable ?? piece).join('')}"`;
  return pieces.map(({ piece, variable }) => (variable ? `"${variable}"` : literal(piece))).join('') || "''";
}

/** What means the same between double quotes. */
const PLAIN = /^[\w :/.,=?&%+@~-]*$/;
const CONTINUES_NAME = /^\w/;
