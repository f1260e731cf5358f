/** How to see an exchange again, by curl in bash or zsh. Secrets are variables; all else is quoted. */

import { literal } from '../../report/shell.ts';
import type { Exchange } from '../support/evidence.ts';
import type { Report } from './report.ts';

const WIDTH = 80;

/**
 * The command for one exchange, in lines of `width` columns where it can be broken. The client id is a variable where
 * `target` tells which one it is.
 */
export function curlFor(
  { request }: Pick<Exchange, 'request'>,
  target?: Pick<Report['target'], 'clientId' | 'hasOwnAuthorities'>,
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
    ...(target?.hasOwnAuthorities ? ['--cacert "$MRS_CA"'] : []),
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

/** What prints the token that a form obtains. */
export function tokenCommand(form: Exchange, target: Report['target'], width = WIDTH): string {
  const command = curlFor(form, target, width).replace('--include', '--silent');
  return `${command} |\n  ${extraction(form.response?.tokenResponse?.takenFrom ?? '/token')}`;
}

/**
 * What prints the token out of a body: only a reader of JSON knows its escapes, and Node.js is there where mrs is. `place`
 * is a JSON pointer; "" is the whole body, which may be plain text.
 */
function extraction(place: string): string {
  const names = place.split('/').slice(1);
  const steps = names.map((name) => {
    const member = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return /^[A-Za-z_]\w*$/.test(member) ? `.${member}` : `[${JSON.stringify(member)}]`;
  });
  const read = 'readFileSync(0, "utf8")';
  const program =
    place === ''
      ? `s = fs.${read}.trim(); try { JSON.parse(s) } catch { s }`
      : `JSON.parse(fs.${read})${steps.join('')}`;
  return `node -p ${literal(program)}`;
}

/** The request `times` times; of each answer, only the status is printed. */
export function statusCommand(
  exchange: Exchange,
  target: Report['target'],
  times: number,
  width = WIDTH,
): string {
  const command = curlFor(exchange, target, width).replace(
    '--include',
    `--silent --output /dev/null --write-out '%{http_code}\\n' \\\n `,
  );
  if (times === 1) return command;
  const numbers = Array.from({ length: times }, (_, at) => at + 1).join(' ');
  return `for n in ${numbers}; do\n${command.replace(/^/gm, '  ')}\ndone`;
}

/** What sets the variables that `commands` use; the secret is asked for where it is not set. */
export function setVariables(
  commands: string,
  { baseUrl, clientId, headers = [] }: Report['target'],
): string {
  const uses = (name: string) => new RegExp(`\\$\\{?${name}\\b`).test(commands);
  return [
    ...(uses('MRS_BASE_URL') ? [`MRS_BASE_URL=${quote(baseUrl)}`] : []),
    ...(uses('MRS_CLIENT_ID') ? [`MRS_CLIENT_ID=${quote(clientId)}`] : []),
    ...(uses('MRS_CA') ? [`: "\${MRS_CA:?set it first, to the PEM file of the run}"`] : []),
    ...['MRS_CLIENT_SECRET', 'MRS_EXPIRED_TOKEN', ...headers.map(({ variable }) => variable)]
      .filter(uses)
      .map((name) => `: "\${${name}:?enter it first, by: read -rs ${name}}"`),
  ].join('\n');
}

/** A header's name (RFC 9110 section 5.6.2). curl would read a file where one begins with an @. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

function methodOption(method: string, hasForm: boolean): string[] {
  if (method === (hasForm ? 'POST' : 'GET')) return [];
  return [method === 'HEAD' ? '--head' : `--request ${quote(method)}`];
}

function headerOption([name, value]: readonly [string, string]): string {
  const basic = /^basic ‹client id and secret›$/i.test(value);
  if (name.toLowerCase() === 'authorization' && basic) return '--user "$MRS_CLIENT_ID:$MRS_CLIENT_SECRET"';
  return `--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

/** Replaces each character by another of its kind. */
const ROTATE = "tr '0-9a-zA-Z_+/=~-' '1-90b-zaB-ZA+/xyz_'";
/** The same for what may be hexadecimal. */
const REPLACE = 'tr 0-9a-fA-F 5-90-4d-fa-cD-FA-C';
/** One character in the middle of the last part of `PART`: the last one may hold bits that decoders ignore. */
const ALTER = [
  `LAST=$\{PART##*.} AT=$(($\{#PART} - $\{#LAST} + $\{#LAST} / 2))`,
  `FORGED=$\{PART:0:AT}$(printf %s "$\{PART:AT:1}" | ${ROTATE})$\{PART:AT+1}`,
];
const HALF = `HALF=$(($\{#TOKEN} / 2))`;

/** How a token that was never issued is made of one that was. Where the run used random characters, others do as well. */
const FORGERIES: [alias: string, lines: string[]][] = [
  ['token, altered', [`PART=$TOKEN`, ...ALTER]],
  ['token, altered in its claims', [`PART=$\{TOKEN%.*}`, ...ALTER, `FORGED=$FORGED.$\{TOKEN##*.}`]],
  ['token, with a random end', [HALF, `FORGED=$\{TOKEN:0:HALF}$(printf %s "$\{TOKEN:HALF}" | ${REPLACE})`]],
  [
    'token, with a random beginning',
    [HALF, `FORGED=$(printf %s "$\{TOKEN:0:HALF}" | ${REPLACE})$\{TOKEN:HALF}`],
  ],
  [
    'token, random',
    [
      `HEADER=$(printf %s "$TOKEN" | sed 's/[^.]*$//;s/[.].*/./')`,
      `FORGED=$HEADER$(printf %s "$TOKEN" | cut -d. -f2- | ${REPLACE})`,
    ],
  ],
  ['token, cut', [`FORGED=$\{TOKEN%?}`]],
  ['token, cut at its beginning', [`FORGED=$\{TOKEN#?}`]],
  ['token, with a character before it', [`FORGED=x$TOKEN`]],
  ['token, extended', [`FORGED=$\{TOKEN}x`]],
  ['token, in the other case', [`FORGED=$(printf %s "$TOKEN" | tr A-Za-z a-zA-Z)`]],
  [
    'token, unsigned',
    [
      `HEADER=$(printf %s '{"alg":"none","typ":"JWT"}' | base64 | tr -d =)`,
      `FORGED=$HEADER.$(printf %s "$TOKEN" | cut -d. -f2).`,
    ],
  ],
  ['token, without its signature', [`FORGED=$\{TOKEN%.*}.`]],
];

/** The lines that make the token of a request, where it is a forged one. */
export function forgery({ request }: Exchange): string[] {
  const value = request.headers.find(([name]) => name === 'authorization')?.[1] ?? '';
  return FORGERIES.find(([alias]) => value.endsWith(`‹${alias}›`))?.[1] ?? [];
}

/** The shell's text for an alias of the record. */
const VARIABLES: [alias: RegExp, expansion: string][] = [
  [/^‹base url›$/, '$MRS_BASE_URL'],
  [/^‹client id›$/, '$MRS_CLIENT_ID'],
  [/^‹client secret›$/, '$MRS_CLIENT_SECRET'],
  [/^‹expired token›$/, '$MRS_EXPIRED_TOKEN'],
  [/^‹token \d+›$/, '$TOKEN'],
  [/^‹other token (\d+)›$/, '$TOKEN_$1'],
  [/^‹token, .*›$/, '$FORGED'],
  [/^‹(\$[A-Za-z_]\w*)›$/, '$1'],
  [/^‹client secret, cut›$/, `$\{MRS_CLIENT_SECRET%?}`],
  [/^‹client secret, extended›$/, `$\{MRS_CLIENT_SECRET} `],
  [/^‹client secret, in the other case›$/, `$(printf %s "$MRS_CLIENT_SECRET" | tr A-Za-z a-zA-Z)`],
];

function variableOf(piece: string): string | undefined {
  const [alias, expansion] = VARIABLES.find(([one]) => one.test(piece)) ?? [];
  return alias && expansion && piece.replace(alias, expansion);
}

/** `text` as one word of a shell, in which the aliases that are known have become variables. */
function quote(text: string): string {
  const pieces = text
    .split(/(‹[^‹›]*›)/)
    .filter((piece) => piece !== '')
    .map((piece) => ({ piece, variable: variableOf(piece) }));
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
