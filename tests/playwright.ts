/**
 * For tests of your own deployment in your own repository: Playwright's `test` with the fixture `mrs`, and `expect` with
 * matchers that judge as the suite does. The deployment is named by the variables of `mrs verify`: MRS_BASE_URL,
 * MRS_CLIENT_ID, MRS_CLIENT_SECRET, MRS_TOKEN_LIFETIME and so on.
 */
import { test as base, expect as baseExpect } from '@playwright/test';
import { alter, unguessable } from './server/forge.ts';
import { openApi } from './server/probe/api.ts';
import { expiryWay } from './server/probe/expiry.ts';
import type { HttpResponse } from './server/probe/http.ts';
import { targetIn } from './server/probe/target.ts';
import { type Given, givesData } from './server/support/data.ts';
import { type Answered, type Exchange, inWords, isAnswered, isSuccess } from './server/support/evidence.ts';
import { lastMomentOf, realClock } from './support/clock.ts';
import { createSecrets } from './support/secrets.ts';
import { UsageError } from './support/usage-error.ts';

/** Which token a read is sent with: one in each of these conditions, none, or the text of another one. */
export type Token = 'valid' | 'expired' | 'altered' | 'unknown' | 'none' | { text: string };

export interface Answer {
  status: number;
  /** By name in lower case; the values of a field that came several times are joined by a comma and a space. */
  headers: Readonly<Record<string, string>>;
  /** As UTF-8. */
  body: string;
  /** The body as JSON. Throws SyntaxError if it is none. */
  json(): unknown;
}

/** Of `requestToken`. */
export interface TokenAnswer extends Answer {
  /** From the field `token` of the answer; undefined if it issued none. It is a secret: do not print it. */
  token?: string;
}

/** Requests go out one after another. Each throws an Error if no answer comes. */
export interface Mrs {
  /** `GET /ods_data/`. A valid token is used again until it is old; an expired one takes as long as MRS_TOKEN_LIFETIME. */
  readData(options?: { token?: Token }): Promise<Answer>;
  /** `POST /token/` with the credentials of the client. A member of `form` replaces one, and undefined leaves it out. */
  requestToken(options?: { form?: Record<string, string | undefined> }): Promise<TokenAnswer>;
  /** `GET` of a path below the base URL, without a token. The specification does not show the path. */
  checkHealth(path: string): Promise<Answer>;
}

/** What the matchers know of an answer: in words, and of a read whether it holds the data that a valid token opens. */
const judged = new WeakMap<object, { seen: string; given: Given | undefined }>();

export const test = base.extend<object, { mrs: Mrs }>({
  mrs: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
    async ({}, use) => {
      using mrs = openMrs(process.env);
      await use(mrs);
    },
    { scope: 'worker' },
  ],
});

export const expect = baseExpect.extend({
  /** The answer has this status. */
  toHaveStatus(answer: Answer, status: number) {
    return matcher(answer.status === status, `status ${status}`, knownOf(answer).seen, this.isNot);
  },
  /** The answer to a read holds the data, as the answer to a valid token does. One that may hold it passes neither way. */
  toGiveData(answer: Answer) {
    return dataMatcher(answer, true, this.isNot);
  },
  /** The answer to a read holds nothing of the data. An answer that may hold it in another form does not pass. */
  toGiveNoData(answer: Answer) {
    return dataMatcher(answer, false, this.isNot);
  },
});

function matcher(pass: boolean, expected: string, seen: string, isNot: boolean) {
  return { pass, message: () => `Expected: ${isNot ? 'not ' : ''}${expected}\nSeen:     ${seen}` };
}

function dataMatcher(answer: Answer, wanted: boolean, isNot: boolean) {
  const { given, seen } = knownOf(answer);
  if (given === undefined)
    throw new Error(`${wanted ? 'toGiveData' : 'toGiveNoData'} takes an answer of mrs.readData().`);
  const isMet = isNot ? given !== !wanted : given === wanted;
  return matcher(isMet, `an answer ${wanted ? 'with' : 'without'} the data`, seen, isNot);
}

function knownOf(answer: object) {
  const known = judged.get(answer);
  if (!known) throw new Error('Give the matcher an answer of the fixture mrs.');
  return known;
}

/** Throws UsageError for a mistake in `env`. */
function openMrs(env: NodeJS.ProcessEnv): Mrs & Disposable {
  const target = targetIn(env);
  const { baseUrl, clientId, clientSecret, tokenLifetimeSeconds } = target;
  if (env.MRS_PROFILE)
    throw new UsageError(
      'MRS_PROFILE is set, and the fixture mrs knows no profiles. Unset it for these tests.',
    );
  const secrets = createSecrets();
  let latest: HttpResponse | undefined;
  const { api, clock, close } = openApi(target, secrets, realClock, {
    onAnswer: (answer) => {
      latest = 'failure' in answer ? undefined : answer;
    },
  });
  const credentials = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  let valid: { token: string; obtainedAtMs: number } | undefined;
  let expired = target.expiredToken;
  /** The read with a valid token that others are compared with. */
  let served: Answered | undefined;
  let last: Promise<unknown> = Promise.resolve();

  return {
    readData: ({ token = 'valid' } = {}) =>
      inTurn(async () => {
        served ??= await readServed();
        const what = typeof token === 'object' ? 'the given token' : `the token "${token}"`;
        const exchange = await api.ask(`a read with ${what}`, { token: await textOf(token) });
        return answerOf(exchange, dataIn(exchange, served));
      }),
    requestToken: ({ form = {} } = {}) =>
      inTurn(async () => {
        const sent = JSON.parse(JSON.stringify({ ...credentials, ...form })); // Leaves out what is undefined.
        const { exchange, token } = await api.obtainToken('a form', sent);
        return Object.assign(answerOf(exchange), token !== undefined && { token });
      }),
    checkHealth: (path) => inTurn(async () => answerOf(await api.ask('the health check', { path }))),
    [Symbol.dispose]: close,
  };

  /** One after another: `latest` is of the request that was sent last. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = last.then(work, work);
    last = own.catch(() => {});
    return own;
  }

  async function readServed(): Promise<Answered> {
    const exchange = await api.ask('the data with a valid token', { token: await validToken() });
    if (isAnswered(exchange) && isSuccess(exchange)) return exchange;
    throw new Error(`A valid token did not open the data: ${outcomeOf(exchange)}.`);
  }

  async function textOf(token: Token): Promise<string | undefined> {
    if (token === 'none') return undefined;
    if (token === 'unknown') return unguessable();
    if (token === 'expired') return expiredToken();
    if (typeof token === 'object') return token.text;
    return token === 'altered' ? alter(await validToken()) : validToken();
  }

  async function validToken(): Promise<string> {
    const ageSeconds = valid ? (clock.now() - valid.obtainedAtMs) / 1000 : 0;
    if (valid && ageSeconds < (tokenLifetimeSeconds ?? Number.POSITIVE_INFINITY) / 2) return valid.token;
    const { token, exchange } = await api.obtainToken('a form with valid credentials', credentials);
    if (token === undefined)
      throw new Error(
        `${baseUrl} issued no token: ${outcomeOf(exchange)}. Check MRS_CLIENT_ID and MRS_CLIENT_SECRET.`,
      );
    valid = { token, obtainedAtMs: clock.now() };
    return token;
  }

  async function expiredToken(): Promise<string> {
    if (expired !== undefined) return expired;
    const way = expiryWay(target);
    if (!('lifetimeSeconds' in way))
      throw new UsageError(way.kind === 'none' ? way.reason : 'No expired token is at hand.');
    const seconds = lastMomentOf(way.lifetimeSeconds);
    const token = await validToken();
    valid = undefined; // It expires too.
    const info = base.info();
    if (info.timeout > 0) info.setTimeout(info.timeout + seconds * 1000);
    await clock.sleep(seconds * 1000);
    expired = token;
    return token;
  }

  /** Whether an answer holds the data; undefined for an exchange without one. */
  function dataIn(exchange: Exchange, reference: Answered): Given | undefined {
    if (!isAnswered(exchange)) return undefined;
    const count = api.counter({ data: [reference] });
    return givesData(count(exchange) as Answered, count(reference) as Answered);
  }

  function answerOf(exchange: Exchange, given?: Given): Answer {
    if (!isAnswered(exchange) || !latest)
      throw new Error(`For ${exchange.what}, ${baseUrl} ${exchange.failure}.`);
    const { status, headers, body } = latest;
    const fields: Record<string, string> = {};
    for (const [name, value] of headers) fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
    const text = body.toString('utf8');
    const answer: Answer = { status, headers: fields, body: text, json: () => JSON.parse(text) };
    judged.set(answer, { seen: inWords(exchange), given });
    return answer;
  }
}

const outcomeOf = (exchange: Exchange): string =>
  isAnswered(exchange) ? inWords(exchange) : `${exchange.what}: ${exchange.failure}`;
