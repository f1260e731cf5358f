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
  readJwt,
  type SentJwt,
  served,
  serveRecords,
  signed,
  tokens,
  type When,
} from '../behaviour.ts';
import { type Defect, defect, type Fails, type Override } from '../deployment.ts';
import { add, give, reset, type } from '../edits.ts';
import { servedRecords } from '../served.ts';

const NEVER_ISSUED = 'the data with a token that was never issued: 200';
const ALTERED = 'the data with the token, one character altered: 200';
const LIKE = 'the data with a random token of the same form: 200';
const ANY = 'the data with (a random|another|one more|the) token.*?: 200';
const EITHER = 'the data with (the token|a random token).*?: 200';
const MISSING = 'the data without a token.*?: 200';
const UNSIGNED = 'unsigned by its own header.*: 200';

/** Accepts a token that is near to one that it issued. */
const near = (name: string, summary: string, what: string, does: Override): Defect =>
  defect(name, summary, { fails: { 'MRS-5.5b': `the data with ${what}: 200` }, does: [serveRecords, does] });

const byNearness = (
  rows: Record<string, [summary: string, what: string, isNear: (token: string, issued: string) => boolean]>,
): Defect[] =>
  Object.entries(rows).map(([name, [summary, what, isNear]]) => near(name, summary, what, nearest(isNear)));

/** Accepts JWTs that are not signed as they should be. */
const bySignature = (
  rows: Record<string, [summary: string, what: string, accepts: (sent: SentJwt) => boolean]>,
): Defect[] =>
  Object.entries(rows).map(([name, [summary, what, accepts]]) => near(name, summary, what, signed(accepts)));

const isHs256 = ({ header }: SentJwt) => header.alg === 'HS256';
const acceptsUnsigned = signed((sent) => isSigned(sent) || isUnsigned(sent));

/** Issues tokens of a form, and accepts any of that form. */
const anyOfForm = (
  rows: Record<string, [summary: string, fails: Fails, form: RegExp, encode: (nth: number) => string]>,
): Defect[] =>
  Object.entries(rows).map(([name, [summary, fails, accepted, encode]]) =>
    defect(name, summary, { fails, does: [serveRecords, numbered(encode, accepted)] }),
  );

/** Gives the data to some of the requests without a valid token. */
const sometimes = (rows: Record<string, [summary: string, fails: Fails, when: When]>): Defect[] =>
  Object.entries(rows).map(([name, [summary, fails, when]]) =>
    defect(name, summary, { fails, does: [serveRecords, instead(when as object, 'served')] }),
  );

const ORDINALS = ['second', 'third', 'fourth', 'fifth'] as const;

/** Gives the data to whoever asks in some way. */
const open = (
  rows: Record<string, [summary: string, id: string, what: string, isOpen: NonNullable<When['if']>]>,
): Defect[] =>
  Object.entries(rows).map(([name, [summary, id, what, isOpen]]) =>
    defect(`open-${name}`, `gives the data ${summary}`, {
      fails: { [id]: `the data ${what}: 200` },
      does: [
        serveRecords,
        on(
          { if: (known) => known.request.method === 'GET' && isOpen(known) },
          200,
          type('application/json'),
          give({ ods_data: servedRecords }),
        ),
      ],
    }),
  );
const isAnonymous: NonNullable<When['if']> = ({ request }) => request.headers.authorization === undefined;
const bearer = (token: string) =>
  open({
    [`to-${token}`]: [
      `to the token ${token}`,
      'MRS-5.5a',
      `with the token ${token}`,
      ({ request }) => request.headers.authorization === `Bearer ${token}`,
    ],
  });

const RECORDS = [
  { id: 1, site: 'a' },
  { id: 2, site: 'b' },
];

/** The requests from which a deployment is out of order: each tenth of a run. */
export const OUTAGES = [1, 10, 20, 30, 40, 50, 60, 70] as const;

export const refusalDefects: readonly Defect[] = [
  defect('data-without-token', 'gives the data without a token', {
    fails: { 'MRS-1.3': 'the data without a token: 200' },
    does: instead('missingToken', 'served'),
  }),
  defect('data-for-malformed-token', 'gives the data if the bearer header contains no token', {
    fails: { 'MRS-1.3': 'the data with a bearer header without a token: 200' },
    does: instead('malformedToken', 'served'),
  }),
  defect('data-beside-refusal', 'refuses a missing token with 401, but includes the data in the refusal', {
    fails: { 'MRS-1.3': 'the data without a token: 401' },
    does: [
      served({ ods_data: RECORDS }),
      on('missingToken', (reply, moment) => add({ at: Date.now(), cached: RECORDS })(reply, moment)),
    ],
  }),
  defect('any-token', 'gives the data for any token', {
    fails: { 'MRS-5.5a': NEVER_ISSUED, 'MRS-5.5b': ALTERED },
    does: instead('unknownToken', 'served'),
  }),
  defect('token-length-only', 'checks only the length of a token', {
    fails: {
      'MRS-5.5a': NEVER_ISSUED,
      'MRS-5.5b': ALTERED,
      'MRS-5.6a': 'the data with the expired token again: 200',
      'MRS-7a': 'the data with the expired token again: 200',
    },
    does: tokens((own, issued) => ({
      find: (token) => own.find(issued.findLast(({ length }) => length === token.length) ?? token),
    })),
  }),
  defect('token-prefix-only', 'compares only the first characters of a token', {
    fails: { 'MRS-5.5b': ALTERED },
    does: nearest((token, issued) => token.slice(0, 12) === issued.slice(0, 12)),
  }),
  defect('token-suffix-only', 'compares only the last characters of a token', {
    fails: { 'MRS-5.5b': ALTERED },
    does: nearest((token, issued) => token.slice(-12) === issued.slice(-12)),
  }),
  defect('signature-not-checked', 'reads the claims of a signed token without checking its signature', {
    fails: { 'MRS-5.5b': ALTERED },
    does: decoded(
      (own) => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(own).toString('base64url')}.b3VyIHNpZ25hdHVyZQ`,
      (token) => Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
    ),
  }),
  defect('claims-not-checked', 'compares the signature of a token, but not its claims', {
    fails: { 'MRS-5.5b': 'the data with the token, one character of its claims altered: 200' },
    does: decoded(
      (own) => `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0.${own}`,
      (token) => token.split('.')[2] ?? '',
    ),
  }),
  defect(
    'data-for-other-scheme',
    'gives the data for credentials of another scheme than Bearer, whatever they are',
    {
      fails: { 'MRS-1.3': 'the data with random Basic credentials: 200' },
      does: on(
        { to: 'malformedToken', if: ({ request }) => /^basic /i.test(request.headers.authorization ?? '') },
        200,
        give({ ods_data: [] }),
      ),
    },
  ),
  ...byNearness({
    'token-extended': [
      'accepts a token with more characters after it',
      'the token, extended at its end',
      (token, issued) => token.startsWith(issued),
    ],
    'token-cut': [
      'accepts the beginning of a token, if it is half as long',
      'the token, cut at its end',
      (token, issued) => issued.startsWith(token) && token.length >= issued.length / 2,
    ],
    'token-without-first': [
      'accepts a token without its first character',
      'the token without its first character',
      (token, issued) => issued.slice(1) === token,
    ],
    'token-with-prefix': [
      'accepts a token with characters before it',
      'the token and one character before it',
      (token, issued) => token.endsWith(issued),
    ],
    'token-case-insensitive': [
      'ignores the case of a token',
      'the token in the other case',
      (token, issued) => token.toLowerCase() === issued.toLowerCase(),
    ],
    'token-first-half-only': [
      'compares only the first half of a token, and its length',
      'the token, one character altered',
      (token, issued) =>
        token.length === issued.length && token.slice(0, 16) === issued.slice(0, issued.length / 2),
    ],
    'token-last-half-only': [
      'compares only the last half of a token, and its length',
      'a random token that ends like the real one',
      (token, issued) =>
        token.length === issued.length && token.slice(-16) === issued.slice(-issued.length / 2),
    ],
  }),
  defect('token-any-of-form', 'accepts any 32 letters, digits, hyphens and underscores', {
    fails: { 'MRS-5.5a': NEVER_ISSUED, 'MRS-5.5b': ALTERED },
    does: [serveRecords, nearest((token) => /^[\w-]{32}$/.test(token))],
  }),
  ...anyOfForm({
    'token-any-uuid': [
      'issues UUIDs, and accepts any UUID',
      { 'MRS-5.5a': LIKE, 'MRS-5.5b': ALTERED },
      /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i,
      () => randomUUID(),
    ],
    'token-any-number': [
      'issues numbers of ten digits, and accepts any of them',
      { 'MRS-5.5a': LIKE, 'MRS-5.5b': ALTERED },
      /^\d{10}$/,
      (nth) => String(4_075_220_287 + nth * 90_001),
    ],
    'token-client-part-only': [
      'issues tokens that begin with the client, and compares only that',
      { 'MRS-5.5b': ALTERED },
      /^client-demo-of-the-service\./,
      (nth) => `client-demo-of-the-service.${7_209_083 + nth * 917}`,
    ],
  }),
  near(
    'token-jwt-alg-none',
    'accepts a JWT with the algorithm none and no signature',
    'the token, unsigned by its own header',
    acceptsUnsigned,
  ),
  ...bySignature({
    'token-jwt-stripped': [
      'checks the signature of a JWT only if there is one',
      'the token without its signature',
      (sent) => isSigned(sent) || (isHs256(sent) && sent.signature.length === 0),
    ],
    'token-jwt-signature-length': [
      'checks only the length of the signature of a JWT',
      'the token, one character altered',
      (sent) => isHs256(sent) && sent.signature.length === sent.expected.length,
    ],
    'token-jwt-signature-start': [
      'compares only the first bytes of the signature of a JWT',
      'the token, (one character altered|cut at its end)',
      (sent) => isHs256(sent) && sent.signature.subarray(0, 8).equals(sent.expected.subarray(0, 8)),
    ],
  }),
  defect('token-jwt-fails-open', 'accepts a token that it cannot read as a JWT', {
    // A cut signature can still be read, in one of sixteen cases.
    fails: {
      'MRS-5.5a': NEVER_ISSUED,
      'MRS-5.5b': 'the data with the token(, cut at its end| without its first character): 200',
    },
    does: [
      serveRecords,
      signed(isSigned),
      tokens((own) => ({ find: (token) => (readJwt(token) ? own.find(token) : { status: 'valid' }) })),
    ],
  }),
  ...sometimes({
    'first-missing-token': [
      'gives the data to the first request without a token',
      { 'MRS-1.3': MISSING },
      { to: 'missingToken', nth: 1 },
    ],
    'first-unknown-token': [
      'gives the data to the first request with a token that it never issued',
      { 'MRS-5.5a': 'the data with a token.*?: 200' },
      { to: 'unknownToken', nth: 1 },
    ],
    ...Object.fromEntries(
      ORDINALS.map((ordinal, nth) => [
        `every-${ordinal}-missing-token`,
        [
          `gives the data to every ${ordinal} request without a token`,
          { 'MRS-1.3': MISSING },
          { to: 'missingToken', every: nth + 2 },
        ],
      ]),
    ),
    ...Object.fromEntries(
      ORDINALS.slice(0, 2).map((ordinal, nth) => [
        `every-${ordinal}-unknown-token`,
        [
          `gives the data to every ${ordinal} request with a token that it never issued`,
          { 'MRS-5.5a': ANY, 'MRS-5.5b': EITHER },
          { to: 'unknownToken', every: nth + 2 },
        ],
      ]),
    ),
    'opens-after-eight-refusals': [
      'gives the data for any token, or none, once it has refused eight requests for it',
      { 'MRS-1.3': MISSING, 'MRS-5.5a': ANY, 'MRS-5.5b': 'the data with the token.*?: 200' },
      { to: REFUSED, from: 9 },
    ],
    'cached-for-the-next': [
      'gives the data to a request without a token if the one before it was given the data',
      { 'MRS-1.3': MISSING },
      { to: 'missingToken', if: ({ previous }) => previous === 'served' },
    ],
  }),
  ...['undefined', 'null'].flatMap(bearer),
  ...open({
    'to-credentials': [
      'to the credentials of a client by HTTP Basic',
      'MRS-1.3',
      'with the client credentials by HTTP Basic',
      ({ request, client }) => {
        const basic = Buffer.from(`${client?.id}:${client?.secret}`).toString('base64');
        return request.headers.authorization === `Basic ${basic}`;
      },
    ],
    'by-query': [
      'without a token if the request has a query',
      'MRS-1.3',
      'without a token, with a query',
      (known) => isAnonymous(known) && /^\/ods_data\/\?/.test(known.request.url ?? ''),
    ],
    'without-slash': [
      'without a token at the path without its slash',
      'MRS-1.3',
      'without a token, at its path without the slash',
      (known) => isAnonymous(known) && known.request.url === '/ods_data',
    ],
  }),
  defect(
    'resets-from-40-accepts-unsigned',
    'accepts a JWT with the algorithm none, and resets each connection from request 40 on',
    {
      fails: { 'MRS-5.5b': UNSIGNED },
      mayNotRun: true,
      does: [serveRecords, acceptsUnsigned, outage(40, Number.POSITIVE_INFINITY, reset)],
    },
  ),
  ...OUTAGES.flatMap((from) =>
    ([6, Number.POSITIVE_INFINITY] as const).map((seconds) => {
      const [name, period] = seconds === 6 ? ['outage', 'for six seconds, '] : ['down', ''];
      return defect(
        `${name}-from-${from}-accepts-unsigned`,
        `accepts a JWT with the algorithm none, and answers everything with 503 ${period}from request ${from} on`,
        {
          fails: { 'MRS-5.5b': UNSIGNED },
          ...((seconds !== 6 || from < 20) && { mayNotRun: true }),
          does: [serveRecords, acceptsUnsigned, outage(from, seconds)],
        },
      );
    }),
  ),
];
