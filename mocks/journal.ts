/** The forms in which a journal is read: entries, calls for a judge of clients, counts for a test. */
import type { Call, Secrets, Traffic } from './api.ts';
import { timeText } from './clock.ts';
import type { Entry, Expectation, Verified } from './contract/control-contract.ts';
import type { Exchange, Journal } from './exchange.ts';
import { nameOf, type Tokens } from './tokens.ts';

/** Its members, but for those that are undefined. */
type Defined<Of> = { [Name in keyof Of as undefined extends Of[Name] ? never : Name]: Of[Name] } & {
  [Name in keyof Of as undefined extends Of[Name] ? Name : never]?: Exclude<Of[Name], undefined>;
};

export const defined = <Of extends object>(given: Of): Defined<Of> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Defined<Of>;

/** An exchange as the control API, the page and a test in the same process see it. */
export function entryOf(exchange: Exchange): Entry {
  const { seq, at, client, operation, method, path, query, status, reason, script, ended } = exchange;
  const { issued, tokenStatus, accept, contentType, authorization, fields, nearest, bytes } = exchange;
  const token = issued &&
    tokenStatus && {
      name: nameOf(issued),
      status: tokenStatus,
      ageSeconds: (at - issued.issuedAt) / 1000,
      remainingSeconds: (issued.expiresAt - at) / 1000,
    };
  return defined({
    ...{ seq, at: timeText(at), wallAt: timeText(exchange.wallAt) },
    durationMs: Math.round(exchange.duration * 1000) / 1000,
    ...{ client, operation, method, path, query, status, reason, nearest, script, ended, token },
    request: defined({ accept, contentType, authorization, fields }),
    response: defined({ bytes, contentType: exchange.answerType }),
  });
}

/**
 * The client's exchanges, with the lives of the tokens in them and of those that were valid when it began. A request that
 * identifies no client, such as one without a token, counts as the client's own if no other client called.
 */
export function trafficOf(
  { journal, tokens }: { journal: Journal; tokens: Tokens },
  client: string,
): Traffic {
  const found = journal.list();
  const isOnlyClient = found.every((one) => one.client === undefined || one.client === client);
  const own = found
    .filter((one) => one.client === client || (isOnlyClient && one.client === undefined))
    .sort((a, b) => a.started - b.started);
  const [first] = own;
  if (!first) return { calls: [], lives: [], durationMs: 0, lost: journal.lost() };
  const seen = own.flatMap(({ issued }) => issued ?? []);
  const owner = seen[0]?.client;
  const held = (owner ? tokens.listOf(owner) : []).filter(
    ({ issuedAt, expiresAt, endedAt = expiresAt }) =>
      issuedAt < first.at && Math.min(expiresAt, endedAt) > first.at,
  );
  const issued = new Map([...held, ...seen].map((one) => [one.number, one]));
  return {
    calls: own.map((one, index) => callOf(one, index + 1, first)),
    lives: [...issued.values()]
      .map(({ number, issuedAt, expiresAt, endedAt }) => ({
        number,
        issuedMs: issuedAt - first.at,
        expiresMs: expiresAt - first.at,
        ...(endedAt !== undefined && { endedMs: endedAt - first.at }),
      }))
      .sort((a, b) => a.number - b.number),
    durationMs: performance.now() - first.started,
    lost: journal.lost(),
  };
}

const KINDS = { obtainToken: 'token', readData: 'data', checkHealth: 'health' } as const;

/** Read again whenever an examination looks, so it is one plain object. */
function callOf(exchange: Exchange, id: number, first: Exchange): Call {
  const { started, operation, issued } = exchange;
  const retryAfter = Number(exchange.retryAfter);
  return {
    id,
    kind: operation ? KINDS[operation] : 'other',
    startMs: started - first.started,
    endMs: started + exchange.duration - first.started,
    atMs: exchange.at - first.at,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    target: exchange.target,
    status: exchange.status,
    reason: exchange.reason,
    ended: exchange.ended,
    token: issued?.number,
    standing: issued && exchange.tokenStatus,
    isConditional: exchange.isConditional || undefined,
    accept: exchange.accept,
    contentType: exchange.contentType,
    authorization: exchange.authorization,
    fields: exchange.fields,
    misplaced: exchange.misplaced,
    retryAfterSeconds: retryAfter >= 0 ? retryAfter : undefined,
  };
}

/** Whether the number of calls is as a test expects. */
export function verify(journal: Journal, { exactly, atLeast, atMost, ...filter }: Expectation): Verified {
  const found = journal.list(filter);
  const lost = journal.lost(filter.since);
  const least = exactly ?? atLeast ?? (atMost === undefined ? 1 : 0);
  const most = exactly ?? atMost ?? Number.POSITIVE_INFINITY;
  const count = found.length;
  // Calls that the journal no longer holds may have counted, so an upper bound cannot be confirmed.
  const passed = count >= least && count <= most && (lost === 0 || most === Number.POSITIVE_INFINITY);
  const range =
    least === most
      ? `exactly ${least}`
      : most === Number.POSITIVE_INFINITY
        ? `${least} or more`
        : `${least} to ${most}`;
  const named = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  const latest = found
    .slice(-SHOWN)
    .map(({ seq, method, path, status, reason }) => `number ${seq}: ${method} ${path} ${status} ${reason}`);
  const shown = `${count > SHOWN ? `the latest are ` : ''}${latest.join(', ')}`;
  return {
    passed,
    count,
    message:
      `Expected ${range} calls${named.length > 0 ? ` with ${named.join(', ')}` : ''}; seen: ${count}` +
      `${count > 0 ? ` (${shown})` : ''}.${lost > 0 ? ` The journal has lost ${lost}.` : ''}`,
    entries: found.slice(-100).map(({ seq }) => seq),
  };
}

/** Of the calls that a message of a failed expectation names. */
const SHOWN = 5;

/** In the place of a value that is secret, or may be. */
export const HIDDEN = '‹not kept›';

/** In the place of a path, as a whole. */
export const HIDDEN_PATH = '/‹…›';

/** Nothing is searched, so nothing is shown that could hold a secret. */
export const UNSEARCHED: Secrets = {
  register: () => {},
  redact: (text) => (text.startsWith('/') ? HIDDEN_PATH : '‹…›'),
  leaks: () => [],
};
