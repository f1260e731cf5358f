/** What a violation shows its readers: what the answer held, and one line of curl that sends the request again. */
import { literal, several } from '../../report/text.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import type { Json } from '../support/json.ts';

const MOST_FIELDS = 12;

/** What the body of an answer holds, without its values; undefined without an answer. */
export function bodyInWords({ response }: Pick<Exchange, 'response'>): string | undefined {
  if (!response) return undefined;
  const { json, bodyBytes, tokenResponse } = response;
  if (bodyBytes === 0) return 'empty';
  const parts = [json.wellFormed ? jsonInWords(json) : `${several(bodyBytes, 'byte')} that are not JSON`];
  if (tokenResponse?.issued) parts.push('with a token');
  if (tokenResponse?.takenFrom) parts.push(`with a token at ${tokenResponse.takenFrom}`);
  return parts.join(', ');
}

function jsonInWords({ type, fields, records, empty }: Extract<Json, { wellFormed: true }>): string {
  const rest = (fields?.length ?? 0) - MOST_FIELDS;
  const names = (fields ?? []).slice(0, MOST_FIELDS).concat(rest > 0 ? `${rest} more` : []);
  const members = type === 'object' || type === 'array' ? `: { ${names.join(', ')} }` : '';
  const kept = records?.length ? ', with records' : '';
  return `${empty ? 'an empty' : 'a'} JSON ${type === 'array' ? 'list of objects' : type}${fields?.length ? members : ''}${kept}`;
}

/** One line of curl for bash or zsh. Secrets are variables; all else is quoted. */
export function curlFor(
  { request }: Pick<Exchange, 'request'>,
  {
    baseUrl,
    clientId,
    hasOwnAuthorities,
  }: Pick<Evidence['target'], 'baseUrl' | 'clientId' | 'hasOwnAuthorities'>,
): string {
  const { method, path, headers, form } = request;
  // What curl sends in its own way; --compressed is its Accept-Encoding, and decodes the answer.
  const known = ['user-agent', 'accept-encoding', ...(form === undefined ? [] : ['content-type'])];
  const isCompressed = headers.some(([name]) => name === 'accept-encoding');
  const sent = headers.filter(([name]) => FIELD_NAME.test(name) && !known.includes(name.toLowerCase()));
  return [
    'curl --include',
    ...(isCompressed ? ['--compressed'] : []),
    ...methodOption(method, form !== undefined),
    ...(hasOwnAuthorities ? ['--cacert "$MRS_CA"'] : []),
    // curl would take these for a range or a set of addresses.
    ...(/[[\]{}]/.test(baseUrl + path) ? ['--globoff'] : []),
    `--url ${quote(baseUrl + path)}`,
    ...sent.map((header) => headerOption(header, clientId)),
    ...Object.entries(form ?? {}).map(
      ([name, value]) => `--data-urlencode ${quote(`${encodeURIComponent(name.toWellFormed())}=${value}`)}`,
    ),
  ].join(' ');
}

/** A header's name (RFC 9110 section 5.6.2). curl would read a file where one begins with an @. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

function methodOption(method: string, hasForm: boolean): string[] {
  if (method === (hasForm ? 'POST' : 'GET')) return [];
  return [method === 'HEAD' ? '--head' : `--request ${quote(method)}`];
}

function headerOption([name, value]: readonly [string, string], clientId: string): string {
  const isBasic = /^basic ‹client id and secret›$/i.test(value);
  if (name.toLowerCase() === 'authorization' && isBasic)
    return `--user ${quote(`${clientId}:‹client secret›`)}`;
  return `--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

/** The shell's text for an alias of the record. */
const VARIABLES: [alias: RegExp, expansion: string][] = [
  [/^‹client secret›$/, '$MRS_CLIENT_SECRET'],
  [/^‹the client_secret without its last character›$/, `$\{MRS_CLIENT_SECRET%?}`],
  [/^‹the client_secret and a space after it›$/, `$\{MRS_CLIENT_SECRET} `],
  [/^‹the client_secret in the other case›$/, `$(printf %s "$MRS_CLIENT_SECRET" | tr A-Za-z a-zA-Z)`],
  [/^‹expired token›$/, '$MRS_EXPIRED_TOKEN'],
  [/^‹token \d+›$/, '$TOKEN'],
  [/^‹the token, cut at its end›$/, `$\{TOKEN%?}`],
  [/^‹the token without its first character›$/, `$\{TOKEN#?}`],
  [/^‹the token and one character before it›$/, 'x$TOKEN'],
  [/^‹the token, extended at its end›$/, `$\{TOKEN}x`],
  [/^‹the token in the other case›$/, `$(printf %s "$TOKEN" | tr A-Za-z a-zA-Z)`],
  [/^‹the token without its signature›$/, `$\{TOKEN%.*}.`],
  // No short command makes the others.
  [/^‹(the|a random) token\b.*›$/, '$FORGED_TOKEN'],
  [/^‹(\$[A-Za-z_]\w*)›$/, '$1'],
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
