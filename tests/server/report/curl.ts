/** One line of curl that sends the request of a violation again. */
import { literal } from '../../report/text.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';

/** One line of curl for bash or zsh. Secrets are variables; all else is quoted. */
export function curlFor(
  { request: { method, path, headers, form } }: Pick<Exchange, 'request'>,
  {
    baseUrl,
    clientId,
    hasOwnAuthorities,
  }: Pick<Evidence['target'], 'baseUrl' | 'clientId' | 'hasOwnAuthorities'>,
): string {
  // What curl sends in its own way; --compressed is its Accept-Encoding, and decodes the answer.
  const known = ['user-agent', 'accept-encoding', ...(form === undefined ? [] : ['content-type'])];
  const sent = headers.filter(([name]) => FIELD_NAME.test(name) && !known.includes(name.toLowerCase()));
  const url = baseUrl + path;
  const isUsual = method === (form === undefined ? 'GET' : 'POST');
  return [
    'curl --include',
    headers.some(([name]) => name === 'accept-encoding') && '--compressed',
    !isUsual && (method === 'HEAD' ? '--head' : `--request ${quote(method)}`),
    hasOwnAuthorities && '--cacert "$MRS_CA"',
    /[[\]{}]/.test(url) && '--globoff', // curl would take these for a range or a set of addresses.
    `--url ${quote(url)}`,
    ...sent.map(([name, value]) =>
      name.toLowerCase() === 'authorization' && /^basic ‹client id and secret›$/i.test(value)
        ? `--user ${quote(`${clientId}:‹client secret›`)}`
        : `--header ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...Object.entries(form ?? {}).map(
      ([name, value]) => `--data-urlencode ${quote(`${encodeURIComponent(name.toWellFormed())}=${value}`)}`,
    ),
  ]
    .filter(Boolean)
    .join(' ');
}

/** A header's name (RFC 9110 section 5.6.2). curl would read a file where one begins with an @. */
const FIELD_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The variable of the shell for an alias in a request. */
const VARIABLES: [alias: RegExp, expansion: string][] = [
  [/^‹client secret›$/, '$MRS_CLIENT_SECRET'],
  [/^‹the client_secret without its last character›$/, `$\{MRS_CLIENT_SECRET%?}`],
  [/^‹the client_secret and a space after it›$/, `$\{MRS_CLIENT_SECRET} `],
  [/^‹the client_secret in the other case›$/, `$(printf %s "$MRS_CLIENT_SECRET" | tr A-Za-z a-zA-Z)`],
  [/^‹expired token›$/, '$MRS_EXPIRED_TOKEN'],
  [/^‹token \d+›$/, '$TOKEN'],
  [/^‹the cookies of the data›$/, '$COOKIES'],
  [/^‹(the|a random) token\b.*›$/, '$FORGED_TOKEN'],
  [/^‹(\$[A-Za-z_]\w*)›$/, '$1'],
];

/** `text` as one word of a shell, in which the aliases that are known have become variables. */
function quote(text: string): string {
  const pieces = text.split(/(‹[^‹›]*›)/).filter((piece) => piece !== '');
  const words = pieces.map((piece) => {
    const [alias, expansion = ''] = VARIABLES.find(([one]) => one.test(piece)) ?? [];
    return alias ? `"${piece.replace(alias, expansion)}"` : literal(piece);
  });
  return words.join('') || "''";
}
