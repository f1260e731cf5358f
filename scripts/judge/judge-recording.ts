/** Judges a recording by both judges: the answers by the requirements, the requests of each client by the rules. */

import { createHash } from 'node:crypto';
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal.ts';
import { judgeClient } from '../../tests/client/recorded.ts';
import { inSeconds } from '../../tests/report/text.ts';
import { ageOf, GAPS } from '../../tests/server/classify.ts';
import { evidenceOf, type Recorded } from '../../tests/server/recorded.ts';
import { judgeTraffic } from '../../tests/server/traffic.ts';
import { groupBy } from '../../tests/support/collections.ts';
import {
  authorizationOf,
  bearerOf,
  credentialsIn,
  findSecrets,
  formOf,
} from '../../tests/traffic/credentials.ts';
import {
  acceptIn,
  createPool,
  type Field,
  FORM_FIELDS,
  fieldNamed,
  isRefusal,
  isServed,
  jsonAcceptance,
  type Part,
  type RecordedCall,
  type RecordedExchange,
  requestHeader,
  type Timed,
} from '../../tests/traffic/exchange.ts';
import { timesOf } from '../../tests/traffic/times.ts';
import { clientLifetimes, isUnset, type TokenLife, tokenHistoryOf } from '../../tests/traffic/tokens.ts';
import type { Recording } from './read-recording.ts';

export type JudgedRecording = ReturnType<typeof judgeRecording>;
/** What is known of a call by itself, with what was read of its answer. */
export type JudgedCall = RecordedCall & Recorded;
export type JudgedClient = JudgedRecording['clients'][number];

/** Whose calls they are where no token request has an id. */
const UNNAMED = 'client without an id';
/** Each more would take its place in the report, and show nothing new. */
const MOST_CLIENTS = 100;

/** What the calls of a recording hold, and how each part is judged. */
export function judgeRecording(
  recording: Recording,
  { lifetimeSeconds, processes }: { lifetimeSeconds?: number | undefined; processes: number },
) {
  const { recorder, hasAllHeaders: isWhole } = recording;
  const calls = callsOf(recording, isWhole);
  const ofService = calls.filter(({ proxyAnswer }) => proxyAnswer === undefined);
  const lifetimes = clientLifetimes(lifetimeSeconds, tokenHistoryOf(ofService).seenLifetimes);
  const history = tokenHistoryOf(calls, lifetimes.agreed);
  const lacksAuthorization = !isWhole && lacksTokens(calls);
  const { secrets } = findSecrets(calls, history, recorder.hidden);
  for (const call of calls) call.isIdentified ||= call.misplaced.length > 0;
  /** What comes from outside is redacted before a sentence quotes it: a secret may be one of our words. */
  const show = createPool((text: string) => secrets.excerpt(text, 200));
  const exchanges = new Map(
    calls.map((call) => {
      const exchange = evidenceOf(call, whatOf(call, history.lifeOf(call), show), show);
      return [exchange.id, exchange];
    }),
  );
  const facts = { history, lifetimes, lacksAuthorization, exchanges };
  const ids = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  const [only = UNNAMED, ...more] = ids;
  // By its id in token requests, and by the tokens that these brought; of the only client there is, everything.
  const byId = groupBy(
    calls,
    (call) => call.clientId ?? history.lifeOf(call)?.clientId ?? (more.length === 0 ? only : undefined),
  );
  const named = [...byId].flatMap(([id, own]) => (id === undefined ? [] : [{ id, own }]));
  const clients = named.slice(0, MOST_CLIENTS).map(({ id, own }) => {
    const clientId = ids.has(id) ? id : undefined;
    const name = secrets.redact(id);
    return {
      id: name,
      /** How long its tokens live: as agreed in seconds, and as the answers of the service show. */
      lifetime: { agreedSeconds: lifetimeSeconds, seen: history.seenLifetimes.get(clientId) },
      /** Its calls are numbered by their entries in the file. */
      certificate: judgeClient({
        ...{ name, clientId, calls: own, history, lifetimes, processes, show },
        lacksTokens: lacksAuthorization ? GAPS['lacks-authorization'] : undefined,
        leftOut: isWhole ? leftOutOf(own) : new Set(),
      }),
      /** When its first call was sent, in milliseconds since the first request of the recording. */
      startMs: own[0]?.startMs ?? 0,
    };
  });
  return {
    ...{ server: judgeTraffic({ calls: ofService, ...facts }), clients, lifetimes, secrets },
    /** Every exchange as evidence, by its id; only its request line and its media type are redacted. */
    exchanges,
    /** In the order of time, with what is misplaced in each. */
    calls: calls as readonly JudgedCall[],
    /** The number of calls that no client could be named for, and of those of clients that are not judged. */
    unattributed: byId.get(undefined)?.length ?? 0,
    callsLeft: named.slice(MOST_CLIENTS).reduce((sum, { own }) => sum + own.length, 0),
    /** When the first request was sent, since 1970, and until when the recording goes on. */
    startMs: calls[0]?.sentMs ?? 0,
    durationMs: calls.reduce((last, { endMs }) => Math.max(last, endMs), 0),
  };
}

function callsOf({ exchanges }: Recording, isWhole: boolean): JudgedCall[] {
  const times = timesOf(exchanges);
  const calls = exchanges.map((exchange, at): JudgedCall => {
    const { kind, answer, headers, query, token } = exchange;
    const isToken = kind === 'token';
    // A proxy leaves out only forms that are too large.
    const lacks = exchange.lacks.filter((part) => !isWhole || part === 'form');
    const authorization = authorizationOf(exchange) ?? (lacks.includes('headers') ? 'masked' : undefined);
    const bearer = isToken || authorization === 'masked' ? undefined : bearerOf(exchange);
    const isKey = ([name]: Field) => /token|secret|client_id|key|^‹/i.test(name);
    return {
      ...{ ...exchange, ...(times[at] as Timed), lacks, authorization },
      token: bearer ?? token,
      isIdentified: requestHeader(exchange, 'cookie') !== undefined || query.some(isKey),
      queryDigest:
        query.length === 0 ? '' : createHash('sha256').update(JSON.stringify(query)).digest('base64'),
      status: answer?.status,
      ...(isToken && credentialsIn(exchange)),
      form: isToken ? seenForm(exchange, lacks) : undefined,
      accepts: jsonAcceptance(acceptIn(headers)),
    };
  });
  // Where no token request has a secret, and tokens were issued, the secrets were removed.
  const requests = calls.filter(({ kind }) => kind === 'token');
  const lackSecrets = requests.every(({ clientSecret }) => clientSecret === undefined);
  if (!isWhole && lackSecrets && requests.some(({ token }) => token !== undefined))
    for (const call of requests) call.form &&= [...call.form, ['client_secret', '‹not kept›']];
  return calls;
}

/** The form of a token request; of one that was cut, only if no field is missing. */
function seenForm(exchange: RecordedExchange, lacks: readonly Part[]): readonly Field[] | undefined {
  const form = formOf(exchange);
  const isWhole = FORM_FIELDS.every((name) => fieldNamed(form ?? [], name) !== undefined);
  return lacks.includes('form') && !isWhole ? undefined : form;
}

function whatOf(call: RecordedCall, life: TokenLife | undefined, show: (text: string) => string) {
  const { kind, method, path } = call;
  const number = life?.number;
  if (kind === 'token') return number === undefined ? 'a token request' : `the request for token ${number}`;
  if (kind === 'other') return `${show(method)} ${show(path)}`;
  const age = life && isRefusal(call) ? ageOf(call, life) : undefined;
  if (number !== undefined)
    return `the data with token ${number}${age ? ` at the age of ${inSeconds(age.least * 1000)}` : ''}`;
  return requestHeader(call, 'authorization') === undefined
    ? 'the data without a token'
    : 'the data with an unknown token';
}

// What a recorder has left out of all entries of a file, or replaced in all: no single entry shows that.

/** Whether Authorization headers are missing, or replaced in all reads, or have only the word Bearer where reads were served. */
function lacksTokens(calls: readonly RecordedCall[]): boolean {
  const own = calls.filter(({ authorization }) => authorization !== undefined);
  const reads = own.filter(({ kind }) => kind === 'data');
  const isReplaced = ({ authorization }: RecordedCall) => authorization === 'masked';
  const areEmpty = reads.some(isServed) && reads.every((one) => one.token === '' || isReplaced(one));
  return (reads.length > 0 ? reads : own).every(isReplaced) || areEmpty || areOthers(calls);
}

/**
 * Whether reads were served with tokens that were not issued, while none that was issued was sent: they were replaced. The
 * text of an unset variable is what a faulty client sends; where some of its reads were refused, others had a token.
 */
function areOthers(calls: readonly RecordedCall[]): boolean {
  const issues = calls.filter((call) => call.kind === 'token' && call.token !== undefined && isServed(call));
  const [first] = issues;
  if (!first) return false;
  const issued = new Set(issues.map(({ token }) => token));
  const sent = calls.filter(({ kind, token }) => kind === 'data' && token !== undefined);
  const someRefused = sent.some(isRefusal);
  const reads = sent.filter(({ token = '' }) => someRefused || !isUnset(token));
  return (
    !reads.some(({ token }) => issued.has(token)) &&
    reads.some((call) => isServed(call) && call.startMs > first.startMs)
  );
}

/** The rules that take parts of requests which a file of mrs mock or mrs proxy leaves out, by their ids. */
function leftOutOf(calls: readonly RecordedCall[]): ReadonlySet<string> {
  const hasHiddenPath = calls.some(
    ({ kind, path }) => kind === 'other' && path.endsWith(encodeURI(HIDDEN_PATH)),
  );
  const hasHiddenField = calls.some(
    ({ status = 0, form = [] }) =>
      status >= 400 && form.some(([name, value]) => FORM_FIELDS.includes(name) && value === HIDDEN),
  );
  return new Set([
    ...(hasHiddenPath ? ['token-path', 'data-path'] : []),
    ...(hasHiddenField ? ['form-fields'] : []),
  ]);
}
