/** Deployments that give the data to a request without a valid token (clauses 1.3 and 5.5). */
import { randomUUID } from 'node:crypto';
import { instead, on, outage, serveRecords, type When } from '../behaviour.ts';
import { all, type Defect, defectsOf, type Override, UNDECIDED, wrong } from '../deployment.ts';
import { blockPage, type Edit, give, headers, type } from '../edits.ts';
import { servedRecords } from '../served.ts';
import { decoded, nearest, replaced, type SentJwt, signed } from '../tokens.ts';

/** Accepts a token that is near to one that it issued. */
const near = (does: Override) => wrong('MRS-5.5b', [serveRecords, does]);
const nearTo = (isNear: (token: string, issued: string) => boolean) => near(nearest(isNear));

const isLastHalf = (token: string, issued: string) =>
  token.length === issued.length && token.endsWith(issued.slice(-issued.length / 2));

/** Accepts JWTs that are not signed, by these values of `alg`. */
const unsigned = (algorithm: RegExp): Override =>
  signed(({ header, signature }: SentJwt) => signature.length === 0 && algorithm.test(String(header.alg)));

const byThirdPart = decoded(
  (own) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.${own}`,
  (token) => token.split('.')[2] ?? '',
);

const every = (to: 'missingToken' | 'unknownToken', fails: string, every: number) =>
  wrong(fails, [serveRecords, instead({ to, every }, 'served')]);
const everyMissing = (nth: number) => every('missingToken', 'MRS-1.3', nth);

type Condition = NonNullable<When['if']>;
const THE_DATA: Edit = [200, type('application/json'), give({ ods_data: servedRecords })];

/** Gives the data to whoever asks in some way. */
const open = (id: string, isOpen: Condition, when: Pick<When, 'to'> = {}, method = 'GET') =>
  wrong(id, [
    serveRecords,
    on({ ...when, if: (known) => known.request.method === method && isOpen(known) }, THE_DATA),
  ]);
const hasAuthorization =
  (value: RegExp): Condition =>
  ({ request }) =>
    value.test(request.headers.authorization ?? '');
const hasBasic: Condition = ({ request, client }) =>
  request.headers.authorization ===
  `Basic ${Buffer.from(`${client?.id}:${client?.secret}`).toString('base64')}`;
const anonymousAt =
  (path: RegExp): Condition =>
  ({ request }) =>
    request.headers.authorization === undefined && path.test(request.url ?? '');
const anonymousWith =
  (...names: string[]): Condition =>
  ({ request: { headers } }) =>
    headers.authorization === undefined && names.every((name) => headers[name] !== undefined);
const acceptsHtml: Condition = ({ request }) => /text\/html/.test(request.headers.accept ?? '');

const SESSION = 'sid=7f3c9a51d2e84b06';

export const refusalDefects: readonly Defect[] = defectsOf({
  'data-without-token: is open': () => wrong('MRS-1.3', instead('missingToken', 'served')),
  'any-token: accepts any token': () => wrong('MRS-5.5a MRS-5.5b', instead('unknownToken', 'served')),
  'claims-not-checked: does not compare claims': () => wrong('MRS-5.5b', byThirdPart),
  'data-for-other-scheme: gives the data for credentials of another scheme than Bearer, whatever they are':
    () => open('MRS-1.3', hasAuthorization(/^basic /i), { to: 'malformedToken' }),
  'token-extended: accepts a token with more characters after it': () =>
    nearTo((token, issued) => token.startsWith(issued)),
  'token-cut: accepts the first half of a token': () =>
    nearTo((token, issued) => issued.startsWith(token) && token.length >= issued.length / 2),
  'token-without-first: accepts a token without its first character': () =>
    nearTo((token, issued) => issued.slice(1) === token),
  'token-with-prefix: accepts a token with characters before it': () =>
    nearTo((token, issued) => token.endsWith(issued)),
  'token-case-insensitive: ignores the case of a token': () =>
    nearTo((token, issued) => token.toLowerCase() === issued.toLowerCase()),
  'token-any-uuid: accepts any UUID': () =>
    wrong('MRS-5.5a MRS-5.5b', [
      serveRecords,
      replaced(() => randomUUID(), /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i),
    ]),
  'token-last-half-only: compares only the last half': () => nearTo(isLastHalf),
  'token-jwt-alg-none: accepts the algorithm none': () => near(unsigned(/^none$/)),
  'token-jwt-alg-in-other-case: accepts the algorithm nOnE': () => near(unsigned(/^nOnE$/)),
  'token-jwt-stripped: accepts a JWT without its signature': () => near(unsigned(/^HS256$/)),
  'open-to-credentials: gives the data to the credentials of a client by HTTP Basic': () =>
    open('MRS-1.3', hasBasic),
  'open-in-lower-case: gives the data to any token by the scheme bearer': () =>
    open('MRS-5.5a', hasAuthorization(/^bearer /)),
  'open-without-scheme: gives the data to any token without a scheme': () =>
    open('MRS-1.3', hasAuthorization(/^[^ ]{10,}$/)),
  'open-to-undefined: gives the data to the token undefined': () =>
    open('MRS-5.5a', hasAuthorization(/^Bearer undefined$/)),
  'open-to-null: gives the data to the token null': () => open('MRS-5.5a', hasAuthorization(/^Bearer null$/)),
  'open-by-query: gives the data if there is a query': () => open('MRS-1.3', anonymousAt(/^\/ods_data\/\?/)),
  'open-by-x-forwarded-for: gives the data without a token if there is a header X-Forwarded-For': () =>
    open('MRS-1.3', anonymousWith('x-forwarded-for')),
  'open-by-two-headers: gives the data without a token to a page of its own': () =>
    open('MRS-1.3', anonymousWith('referer', 'x-requested-with')),
  'open-by-options: gives the data by OPTIONS': () =>
    open('MRS-1.3', anonymousAt(/^\/ods_data\/$/), {}, 'OPTIONS'),
  'open-as-html: gives the data without a token where HTML is accepted': () =>
    open('MRS-1.3', acceptsHtml, { to: 'missingToken' }),
  'expired-as-html: gives the data to an expired token where HTML is accepted': () =>
    open('MRS-5.6a', acceptsHtml, { to: 'expired' }),
  'any-token-as-html: gives the data to a token that it never issued where HTML is accepted': () =>
    open('MRS-5.5a', acceptsHtml, { to: 'unknownToken' }),
  'open-without-slash: gives the data without a token at the path without its slash': () =>
    open('MRS-1.3', anonymousAt(/^\/ods_data$/)),
  'session-cookie-opens: gives the data to the session cookie that it sets with the data': () =>
    wrong('MRS-1.3', [
      serveRecords,
      on('served', headers({ 'set-cookie': `${SESSION}; Path=/; HttpOnly` })),
      on({ if: ({ request }) => request.headers.cookie === SESSION }, THE_DATA),
    ]),
  'bans-from-31-accepts-unsigned: accepts unsigned JWTs, and bans all for six seconds from request 31 on':
    () => near(all(unsigned(/^none$/), outage({ from: 31, ttl: 6 }, blockPage))),
  'down-from-60-accepts-unsigned: accepts unsigned JWTs, and answers all with 503 from request 60 on': () =>
    wrong('MRS-5.5b', [serveRecords, unsigned(/^none$/), outage({ from: 60 })], UNDECIDED),
  'every-second-missing-token: gives the data to every second request without a token': () => everyMissing(2),
  'every-third-missing-token: gives the data to every third request without a token': () => everyMissing(3),
  'every-fourth-missing-token: gives the data to every fourth request without a token': () => everyMissing(4),
  'every-fifth-missing-token: gives the data to every fifth request without a token': () => everyMissing(5),
  'every-third-unknown-token: accepts every third token that it never issued': () =>
    every('unknownToken', 'MRS-5.5a MRS-5.5b', 3),
});
