/** By what each wrong client is known on the wire, and where. */
import type { Entry } from '../../mocks/index.ts';
import type { Circumstance, Seen } from './client-run.ts';

export interface Sign {
  meets: Circumstance;
  /** Stays true once it is. */
  shows(seen: Seen): boolean;
}

const renewing = (shows: Sign['shows']): Sign => ({ meets: 'renewing', shows });
const askingForToken = (isWrong: (request: Entry) => boolean) =>
  renewing(({ tokens }) => tokens.some(isWrong));
const readingData = (isWrong: (request: Entry) => boolean) => renewing(({ data }) => data.some(isWrong));

const moment = (entry?: Entry): number => Date.parse(entry?.wallAt ?? '');
const namesOf = (entries: readonly Entry[]) => new Set(entries.map(({ token }) => token?.name)).size;
const refusedIn = (entries: readonly Entry[]) => entries.filter(({ status }) => status === 403);
/** Of the calls after the first new token. */
const withFirstToken = ({ tokens, data }: Seen): Entry[] =>
  data.filter(({ token, wallAt }) => token?.name === 'acme#1' && wallAt > (tokens[1]?.wallAt ?? '~'));
/** What was refused, and never asked for again. */
const leavesOut = ({ sent }: Seen): boolean => {
  const at = sent.findIndex(({ status }) => status === 403);
  const refused = sent[at]?.url;
  const after = sent.slice(at + 1).filter(({ method }) => method === 'GET');
  return refused !== undefined && after.length > 5 && !after.some(({ url }) => url === refused);
};

export const signs: Record<string, Sign> = {
  'json-body': askingForToken(({ request }) => request.contentType === 'application/json'),
  'no-content-type': askingForToken(({ request }) => request.contentType === undefined),
  'no-accept-on-token': askingForToken(({ request }) => request.accept === undefined),
  'no-grant-type': askingForToken(({ request }) => request.fields?.includes('grant_type') === false),
  'secret-in-query': askingForToken(({ query }) => query.includes('client_secret')),
  'secret-in-header': askingForToken(({ request }) => request.authorization === 'malformed'),
  'bearer-on-token-request': askingForToken(({ request }) => request.authorization === 'bearer'),
  'other-secret-on-renewal': renewing(({ tokens }) => tokens.length > 1 && tokens[1]?.status !== 200),

  'no-accept-on-data': readingData(({ request }) => request.accept === undefined),
  'token-in-query': readingData(({ query }) => query.includes('access_token')),
  'token-in-body': renewing(({ sent }) => sent.some(({ body }) => body?.startsWith('access_token='))),
  'secret-in-data-body': renewing(({ sent }) =>
    sent.some(({ method, body }) => method === 'GET' && body?.includes('client_secret=s3cret')),
  ),
  'secret-in-data-query': readingData(({ query }) => query.includes('client_secret')),
  'no-bearer-word': readingData(({ request }) => request.authorization === 'malformed'),
  'first-call-without-token': renewing(
    ({ entries: [first] }) => first?.operation === 'readData' && !first.request.authorization,
  ),
  'every-fifth-call-without-token': readingData(({ request }) => request.authorization === undefined),
  'token-on-health-check': renewing(({ entries }) =>
    entries.some(({ operation, request }) => operation === 'checkHealth' && request.authorization),
  ),

  'token-per-call': renewing(({ data }) => namesOf(data) > 3 && refusedIn(data).length < 2),
  'new-token-every-third-call': renewing(({ data }) => namesOf(data) > 3 && refusedIn(data).length < 2),
  'throws-a-token-away': renewing(
    ({ tokens, data }) => tokens.length > 1 && data[0]?.token?.name === 'acme#2',
  ),
  'retries-with-old-token': renewing((seen) => withFirstToken(seen).length > 1),
  'keeps-old-token-now-and-then': renewing((seen) => withFirstToken(seen).length > 1),

  'never-renews': renewing(({ tokens, data }) => tokens.length === 1 && refusedIn(data).length > 3),
  'three-strikes': renewing(({ tokens, data }) => moment(tokens[1]) - moment(refusedIn(data)[0]) > 250),
  'renews-too-late': {
    meets: 'short-lived',
    shows: ({ tokens }) => moment(tokens[1]) - moment(tokens[0]) > 1400,
  },
  'no-retry': renewing(leavesOut),
  'retries-other-request': renewing(leavesOut),
  'parses-403-body': { meets: 'refused-by-page', shows: ({ ended }) => ended === 1 },

  'loops-on-403': { meets: 'refused', shows: ({ tokens }) => tokens.length > 20 },
  'hammers-data': {
    meets: 'refused',
    shows: ({ tokens, data }) => tokens.length === 1 && refusedIn(data).length > 20,
  },
  'three-tokens-per-refusal': {
    meets: 'refused',
    shows: ({ tokens }) => moment(tokens[3]) - moment(tokens[1]) < 45,
  },
  stampede: { meets: 'renewing-slowly', shows: ({ tokens }) => tokens.length > 5 },
  'hammers-token-endpoint': { meets: 'token-down', shows: ({ tokens }) => tokens.length > 20 },
  'ignores-retry-after': {
    meets: 'token-limited',
    shows: ({ tokens }) => moment(tokens[2]) - moment(tokens[1]) < 900,
  },
  'dies-on-reset': { meets: 'reset', shows: ({ ended }) => ended === 1 },
  'dies-without-token': { meets: 'token-down', shows: ({ ended }) => ended === 1 },
};
