/** Lines of bash that send the request of a violation again. */
import { literal } from '../../report/text.ts';
import { lastMomentOf } from '../../support/clock.ts';
import { type ProbeKey, rowNamed } from '../requests.ts';
import { type Evidence, type Exchange, isAnswered, type Probes } from '../support/evidence.ts';

type Of = Pick<Evidence['target'], 'baseUrl' | 'clientId' | 'hasOwnAuthorities' | 'tokenLifetimeSeconds'>;

/**
 * What sends the request again, as often as the run did with one token: where it carries a token of this client, a line before it obtains one, unless TOKEN is set; where
 * that token has to be expired, a line between waits for its end.
 */
export function commandFor(
  exchange: Pick<Exchange, 'request' | 'what'>,
  { target, probes }: { target: Of; probes: Probes },
): string {
  const row = rowNamed(exchange.what);
  const times = (row && SENT_AGAIN[row.key]) ?? 1;
  const one = curlFor(exchange, target);
  const send = times > 1 ? `for nth in $(seq ${times}); do ${one}; done` : one;
  // An expansion that changes the secret does not notice that it is not set.
  if (send.includes('MRS_CLIENT_SECRET') && !send.includes(set('MRS_CLIENT_SECRET')))
    return `: "${set('MRS_CLIENT_SECRET')}"\n${send}`;
  if (!send.includes(TOKEN)) return send;
  const { clientId, tokenLifetimeSeconds: lifetime } = target;
  const form = {
    ...{ grant_type: 'client_credentials', client_id: clientId, client_secret: '‹client secret›' },
  };
  const ofGateway = exchange.request.headers.filter(([, value]) => /^‹\$.*›$/.test(value));
  const headers = [['accept', 'application/json'] as const, ...ofGateway];
  const obtain = curlFor({ request: { method: 'POST', path: '/token/', headers, form } }, target);
  const { 'token.valid': issue } = probes;
  const place = isAnswered(issue) ? issue.response.tokenResponse?.takenFrom : undefined;
  // Where it is in another field, such as access_token.
  const field = /^\/(\w+)$/.exec(place ?? '')?.[1] ?? 'token';
  const isExpired = row !== undefined && 'by' in row && row.by === 'expired' && lifetime !== undefined;
  return [
    `TOKEN=\${TOKEN:-$(${obtain.replace('--include', '--silent')} | sed -n 's/.*"${field}" *: *"\\([^"]*\\)".*/\\1/p')}`,
    ...(isExpired ? [`sleep ${Math.ceil(lastMomentOf(lifetime))} # until the token has expired`] : []),
    send,
  ].join('\n');
}

/** How often a token is sent by the request of a row that sends it again. */
const SENT_AGAIN: Partial<Record<ProbeKey, number>> = {
  ...{ 'data.second': 2, 'data.third': 3, 'data.fourth': 4, 'data.fifth': 5, 'data.freshTokenAgain': 2 },
};

/** One line of curl for bash or zsh. Secrets are variables; all else is quoted. */
export function curlFor(
  { request: { method, path, headers, form } }: Pick<Exchange, 'request'>,
  { baseUrl, clientId, hasOwnAuthorities }: Of,
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

/** The value of a variable: a shell ends with a message where it is not set. */
const set = (name: string): string => `$\{${name}:?}`;
/** A token of this client, as a word. */
const TOKEN = `"${set('TOKEN')}"`;

/** The variable of the shell for an alias in a request. */
const VARIABLES: [alias: RegExp, expansion: string][] = [
  [/^‹client secret›$/, set('MRS_CLIENT_SECRET')],
  [/^‹the client_secret without its last character›$/, `$\{MRS_CLIENT_SECRET%?}`],
  [/^‹the client_secret and a space after it›$/, `$\{MRS_CLIENT_SECRET} `],
  [/^‹the client_secret in the other case›$/, `$(printf %s "$MRS_CLIENT_SECRET" | tr A-Za-z a-zA-Z)`],
  [/^‹expired token›$/, set('MRS_EXPIRED_TOKEN')],
  [/^‹token \d+›$/, TOKEN.slice(1, -1)],
  [/^‹the cookies of the data›$/, set('COOKIES')],
  [/^‹(the|a random) token\b.*›$/, set('FORGED_TOKEN')],
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
