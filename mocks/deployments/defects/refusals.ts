/** Deployments that give the data to a request without a valid token (clauses 1.3 and 5.5). */
import { randomUUID } from 'node:crypto';
import {
  decoded,
  instead,
  isSigned,
  isUnsigned,
  nearest,
  numbered,
  on,
  outage,
  REFUSED,
  type SentJwt,
  served,
  serveRecords,
  signed,
  type When,
} from '../behaviour.ts';
import { type Defect, defectsOf, type Fails, type Override, type Wrong, wrong } from '../deployment.ts';
import { add, blockPage, type Edit, give, headers, type } from '../edits.ts';
import { servedRecords } from '../served.ts';

const NEVER_ISSUED = 'the data with a token that was never issued: 200';
const ALTERED = 'the data with the token, one character altered: 200';
const LIKE = 'the data with a random token of the same form: 200';
const ANY = 'the data with (a random|another|one more|the) token.*?: 200';
const EITHER = 'the data with (the token|a random token).*?: 200';
const MISSING = 'the data without a token.*?: 200';
const UNSIGNED = 'unsigned by its own header.*: 200';

/** Accepts a token that is near to one that it issued. */
const near = (what: string, does: Override): Wrong =>
  wrong({ 'MRS-5.5b': `the data with ${what}: 200` }, [serveRecords, does]);
const nearTo = (what: string, isNear: (token: string, issued: string) => boolean): Wrong =>
  near(what, nearest(isNear));

/** Accepts JWTs that are not signed as they should be. */
const jwt = (what: string, accepts: (sent: SentJwt) => boolean): Wrong => near(what, signed(accepts));
const isStart = (token: string, issued: string) =>
  issued.startsWith(token) && token.length >= issued.length / 2;
const isLastHalf = (token: string, issued: string) =>
  token.length === issued.length && token.endsWith(issued.slice(-issued.length / 2));
const isHs256 = ({ header }: SentJwt) => header.alg === 'HS256';
const isStripped = (sent: SentJwt) => isSigned(sent) || (isHs256(sent) && sent.signature.length === 0);
const isUnsignedIn = ({ header: { alg }, signature }: SentJwt) =>
  alg !== 'none' && /^none$/i.test(String(alg)) && signature.length === 0;
const acceptsUnsigned = signed((sent) => isSigned(sent) || isUnsigned(sent));

/** Accepts a token that is near to one that it issued, and has no records. */
const opensTo = (seen: string, does: Override): Wrong => wrong({ 'MRS-5.5b': seen }, does);
const byThirdPart = decoded(
  (own) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.${own}`,
  (token) => token.split('.')[2] ?? '',
);

/** Gives the data without a token. */
const gives = (what: string, does: Override): Wrong => wrong({ 'MRS-1.3': `${what}: 200` }, does);
const basic: When = {
  to: 'malformedToken',
  if: ({ request }) => /^basic /i.test(request.headers.authorization ?? ''),
};

/** Accepts tokens that it never issued, of any kind. */
const anyToken = (does: Override): Wrong =>
  wrong({ 'MRS-5.5a': LIKE, 'MRS-5.5b': ALTERED }, [serveRecords, does]);

const uuid = (): string => randomUUID();

/** Gives the data to some of the requests without a valid token. */
const opens = (fails: Fails, when: Parameters<typeof instead>[0]): Wrong =>
  wrong(fails, [serveRecords, instead(when, 'served')]);
const opensEvery = (every: number): Wrong => opens({ 'MRS-1.3': MISSING }, { to: 'missingToken', every });
const opensEveryUnknown = (every: number): Wrong =>
  opens({ 'MRS-5.5a': ANY, 'MRS-5.5b': EITHER }, { to: 'unknownToken', every });

type Condition = NonNullable<When['if']>;

/** Gives the data to whoever asks in some way. */
const open = (id: string, what: string, isOpen: Condition, method = 'GET'): Wrong => {
  const when: When = { if: (known) => known.request.method === method && isOpen(known) };
  const data: Edit = [200, type('application/json'), give({ ods_data: servedRecords })];
  return {
    ...wrong({ [id]: `the data ${what}: 200` }, [serveRecords, on(when, data)]),
    lead: 'gives the data ',
  };
};
const opensToWord = (token: string): Wrong =>
  open(
    'MRS-5.5a',
    `with the token ${token}`,
    ({ request }) => request.headers.authorization === `Bearer ${token}`,
  );
const hasBasic: Condition = ({ request, client }) =>
  request.headers.authorization ===
  `Basic ${Buffer.from(`${client?.id}:${client?.secret}`).toString('base64')}`;
const hasScheme =
  (scheme: RegExp): Condition =>
  ({ request }) =>
    scheme.test(request.headers.authorization ?? '');
const anonymousAt =
  (path: RegExp): Condition =>
  ({ request }) =>
    request.headers.authorization === undefined && path.test(request.url ?? '');
const anonymousWith =
  (name: string): Condition =>
  ({ request: { headers } }) =>
    headers.authorization === undefined && headers[name.toLowerCase()] !== undefined;
const acceptsHtml: Condition = ({ request }) => /text\/html/.test(request.headers.accept ?? '');

const SESSION = 'sid=7f3c9a51d2e84b06';

const RECORDS = [
  { id: 1, site: 'a' },
  { id: 2, site: 'b' },
];

/** Accepts unsigned tokens, and is out of order from a request on. */
const outOfOrder = (from: number, seconds: number, edit?: Edit, more = {}): Wrong =>
  wrong({ 'MRS-5.5b': UNSIGNED }, [serveRecords, acceptsUnsigned, outage(from, seconds, edit)], more);

export const refusalDefects: readonly Defect[] = defectsOf({
  'data-without-token: is open': () => gives('the data without a token', instead('missingToken', 'served')),
  'data-beside-refusal: refuses a missing token with 401, but includes the data in the refusal': () =>
    wrong({ 'MRS-1.3': 'the data without a token: 401' }, [
      served({ ods_data: RECORDS }),
      on('missingToken', (reply, moment) => add({ at: Date.now(), cached: RECORDS })(reply, moment)),
    ]),
  'any-token: accepts any token': () =>
    wrong({ 'MRS-5.5a': NEVER_ISSUED, 'MRS-5.5b': ALTERED }, instead('unknownToken', 'served')),
  'claims-not-checked: does not compare claims': () =>
    opensTo('the data with the token, one character of its claims altered: 200', byThirdPart),
  'data-for-other-scheme: gives the data for credentials of another scheme than Bearer, whatever they are':
    () =>
      gives(
        'the data with Authorization: Basic and random credentials',
        on(basic, 200, give({ ods_data: [] })),
      ),
  'token-extended: accepts a token with more characters after it': () =>
    nearTo('the token, extended at its end', (token, issued) => token.startsWith(issued)),
  'token-cut: accepts the first half of a token': () => nearTo('the token, cut at its end', isStart),
  'token-without-first: accepts a token without its first character': () =>
    nearTo('the token without its first character', (token, issued) => issued.slice(1) === token),
  'token-with-prefix: accepts a token with characters before it': () =>
    nearTo('the token and one character before it', (token, issued) => token.endsWith(issued)),
  'token-case-insensitive: ignores the case of a token': () =>
    nearTo('the token in the other case', (token, issued) => token.toLowerCase() === issued.toLowerCase()),
  'token-any-uuid: accepts any UUID': () =>
    anyToken(numbered(uuid, /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i)),
  'token-last-half-only: compares only the last half': () =>
    nearTo('a random token that ends like the real one', isLastHalf),
  'token-jwt-alg-none: accepts the algorithm none': () =>
    near('the token, unsigned by its own header', acceptsUnsigned),
  'token-jwt-alg-in-other-case: accepts the algorithm nOnE': () =>
    jwt('the token, unsigned by a header in another case', (sent) => isSigned(sent) || isUnsignedIn(sent)),
  'token-jwt-stripped: accepts a JWT without its signature': () =>
    jwt('the token without its signature', isStripped),
  'opens-after-eight-refusals: gives the data for any token, or none, once it has refused eight requests for it':
    () => opens({ 'MRS-1.3': MISSING, 'MRS-5.5a': ANY, 'MRS-5.5b': EITHER }, { to: REFUSED, from: 9 }),
  'open-to-credentials: to the credentials of a client by HTTP Basic': () =>
    open('MRS-1.3', 'with Authorization: Basic and the client credentials', hasBasic),
  'open-in-lower-case: to any token by the scheme bearer': () =>
    open('MRS-5.5a', 'with a token that was never issued, by the scheme bearer', hasScheme(/^bearer /)),
  'open-without-scheme: to any token without a scheme': () =>
    open(
      'MRS-1.3',
      'with a token that was never issued in Authorization, without a scheme',
      hasScheme(/^[^ ]{10,}$/),
    ),
  'open-by-query: if there is a query': () =>
    open('MRS-1.3', 'without a token, with a query', anonymousAt(/^\/ods_data\/\?/)),
  ...Object.fromEntries(
    ['X-Forwarded-For', 'X-Real-IP', 'X-Original-URL', 'X-Requested-With', 'Referer', 'Origin'].map(
      (name) => [
        `open-by-${name.toLowerCase()}: without a token if there is a header ${name}`,
        () => open('MRS-1.3', `without a token, with ${name}: .*`, anonymousWith(name)),
      ],
    ),
  ),
  'open-by-two-headers: without a token to a page of its own': () =>
    open('MRS-1.3', 'without a token, with headers that a gateway sets', (known) =>
      ['Referer', 'X-Requested-With'].every((name) => anonymousWith(name)(known)),
    ),
  'open-by-options: by OPTIONS': () =>
    open('MRS-1.3', 'by OPTIONS, without a token', anonymousAt(/^\/ods_data\/$/), 'OPTIONS'),
  'open-as-html: without a token where HTML is accepted': () =>
    open('MRS-1.3', 'without a token, as HTML', (known) => anonymousAt(/^/)(known) && acceptsHtml(known)),
  'session-cookie-opens: gives the data to the session cookie that it sets with the data': () =>
    wrong({ 'MRS-1.3': 'the data without a token, with its cookies: 200' }, [
      serveRecords,
      on('served', headers({ 'set-cookie': `${SESSION}; Path=/; HttpOnly` })),
      on({ if: ({ request }) => request.headers.cookie === SESSION }, 200, give({ ods_data: servedRecords })),
    ]),
  'expired-as-html: gives the data to an expired token where HTML is accepted': () =>
    wrong({ 'MRS-5.6a': 'the data with the expired token, as HTML: 200' }, [
      serveRecords,
      on({ to: 'expired', if: acceptsHtml }, 200, give({ ods_data: servedRecords })),
    ]),
  'any-token-as-html: gives the data to a token that it never issued where HTML is accepted': () =>
    wrong({ 'MRS-5.5a': 'the data with one more token that was never issued, as HTML: 200' }, [
      serveRecords,
      on({ to: 'unknownToken', if: acceptsHtml }, 200, give({ ods_data: servedRecords })),
    ]),
  'open-without-slash: without a token at the path without its slash': () =>
    open('MRS-1.3', 'without a token, at its path without the slash', anonymousAt(/^\/ods_data$/)),
  'outage-from-40-accepts-unsigned: accepts unsigned JWTs, and answers all with 503 for six seconds from request 40 on':
    () => outOfOrder(40, 6),
  'down-from-60-accepts-unsigned: accepts unsigned JWTs, and answers all with 503 from request 60 on': () =>
    outOfOrder(60, Number.POSITIVE_INFINITY, undefined, { mayNotRun: true }),
  'bans-from-31-accepts-unsigned: accepts unsigned JWTs, and bans all for six seconds from request 31 on':
    () => outOfOrder(31, 6, blockPage),
  'every-second-missing-token: gives the data to every second request without a token': () => opensEvery(2),
  'every-third-missing-token: gives the data to every third request without a token': () => opensEvery(3),
  'every-fourth-missing-token: gives the data to every fourth request without a token': () => opensEvery(4),
  'every-fifth-missing-token: gives the data to every fifth request without a token': () => opensEvery(5),
  'every-second-unknown-token: accepts every second token that it never issued': () => opensEveryUnknown(2),
  'every-third-unknown-token: accepts every third token that it never issued': () => opensEveryUnknown(3),
  'open-to-undefined: to the token undefined': () => opensToWord('undefined'),
  'open-to-null: to the token null': () => opensToWord('null'),
});
