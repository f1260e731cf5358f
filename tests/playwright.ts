/**
 * For tests of your own deployment in your own repository: Playwright's `test` with the fixture `mrs`, and `expect` with
 * matchers that judge as the suite does. The deployment is named by the variables of `mrs verify`: MRS_BASE_URL,
 * MRS_CLIENT_ID, MRS_CLIENT_SECRET, MRS_TOKEN_LIFETIME and so on.
 */
import { test as base, expect as baseExpect, type TestInfo } from '@playwright/test';
import { alter, unguessable } from './server/forge.ts';
import { openApi } from './server/probe/api.ts';
import { expiryWay } from './server/probe/expiry.ts';
import type { HttpResponse } from './server/probe/http.ts';
import { targetIn } from './server/probe/target.ts';
import { curlFor } from './server/report/curl.ts';
import { type Given, givesData } from './server/support/data.ts';
import {
  type Answered,
  bodyInWords,
  type Exchange,
  inWords,
  isAnswered,
  isIssued,
  isSuccess,
} from './server/support/evidence.ts';
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

/**
 * Requests go out one after another. Each is a step of the test, to which the request, the answer and a line of curl are attached,
 * without secrets. Each throws an Error if no answer comes.
 */
export interface Mrs {
  /** `GET /ods_data/`. A valid token is used again until it is old; an expired one takes as long as MRS_TOKEN_LIFETIME. */
  readData(options?: { token?: Token }): Promise<Answer>;
  /** `POST /token/` with the credentials of the client. A member of `form` replaces one, and undefined leaves it out. */
  requestToken(options?: { form?: Record<string, string | undefined> }): Promise<TokenAnswer>;
  /** `GET` of a path below the base URL, without a token. The specification does not show the path. */
  checkHealth(path: string): Promise<Answer>;
}

/** What an answer gives: the data that a valid token opens, or a token. */
type What = 'data' | 'token';

/** What the matchers know of an answer: in words, and whether it gives what it was asked for; a health check gives nothing. */
const judged = new WeakMap<object, { seen: string; what?: What; given?: Given }>();

export const test = base.extend<object, { mrs: Mrs }>({
  mrs: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
    async ({}, use) => {
      using mrs = open();
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
    return givingMatcher(answer, 'data', true, this.isNot);
  },
  /** The answer to a read holds nothing of the data. An answer that may hold it in another form does not pass. */
  toGiveNoData(answer: Answer) {
    return givingMatcher(answer, 'data', false, this.isNot);
  },
  /** The answer to a form has status 200 and a token in the field `token`. */
  toGiveToken(answer: TokenAnswer) {
    return givingMatcher(answer, 'token', true, this.isNot);
  },
  /** The answer to a form has no token, in no field. An answer that may hold a token in another place does not pass. */
  toGiveNoToken(answer: TokenAnswer) {
    return givingMatcher(answer, 'token', false, this.isNot);
  },
});

/** The calls and the nouns of the matchers of each. */
const GIVING = {
  data: { call: 'readData', matcher: 'Data', with: 'with the data', without: 'without the data' },
  token: {
    ...{ call: 'requestToken', matcher: 'Token' },
    ...{ with: 'with status 200 and the field token', without: 'without a token' },
  },
} as const satisfies Record<What, object>;

function matcher(pass: boolean, expected: string, seen: string, isNot: boolean) {
  return { pass, message: () => `Expected: ${isNot ? 'not ' : ''}${expected}\nSeen:     ${seen}` };
}

function givingMatcher(answer: Answer, what: What, wanted: boolean, isNot: boolean) {
  const known = knownOf(answer);
  const words = GIVING[what];
  if (known.what !== what)
    throw new Error(
      `${wanted ? 'toGive' : 'toGiveNo'}${words.matcher} takes an answer of mrs.${words.call}().`,
    );
  const isMet = isNot ? known.given !== !wanted : known.given === wanted;
  return matcher(isMet, `an answer ${wanted ? words.with : words.without}`, known.seen, isNot);
}

function knownOf(answer: object) {
  const known = judged.get(answer);
  if (!known) throw new Error('Give the matcher an answer of the fixture mrs.');
  return known;
}

/** Throws without a stack, which would point at this program: the sentence says which variable to set. */
function open(): Mrs & Disposable {
  try {
    return openMrs(process.env);
  } catch (error) {
    if (error instanceof UsageError) error.stack = error.message;
    throw error;
  }
}

/** The test that runs; undefined while a fixture of a worker ends, which is a step of no test. */
function currentTest(): TestInfo | undefined {
  try {
    return base.info();
  } catch {
    return undefined;
  }
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
        const text = await textOf(token);
        if (text !== undefined) secrets.register(text, 'the token of the test');
        const exchange = await ask(`a read with ${what}`, { token: text });
        return answerOf(exchange, 'data', dataIn(exchange, served));
      }),
    requestToken: ({ form = {} } = {}) =>
      inTurn(async () => {
        const sent = JSON.parse(JSON.stringify({ ...credentials, ...form })); // Leaves out what is undefined.
        if (sent.client_secret) secrets.register(sent.client_secret, 'the secret of the test');
        const { exchange, token } = await obtainToken('a form', sent);
        return Object.assign(
          answerOf(exchange, 'token', tokenIn(exchange)),
          token !== undefined && { token },
        );
      }),
    checkHealth: (path) => inTurn(async () => answerOf(await ask('the health check', { path }))),
    [Symbol.dispose]: close,
  };

  /** One after another: `latest` is of the request that was sent last. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const own = last.then(work, work);
    last = own.catch(() => {});
    return own;
  }

  async function ask(what: string, request: Parameters<typeof api.ask>[1]): Promise<Exchange> {
    const send = async () => ({ exchange: await api.ask(what, request) });
    return (await inStep(what, send)).exchange;
  }

  function obtainToken(what: string, form: Parameters<typeof api.obtainToken>[1]) {
    return inStep(what, () => api.obtainToken(what, form));
  }

  /** As a step of the test that runs, with what was sent and came back. */
  async function inStep<T extends { exchange: Exchange }>(what: string, send: () => Promise<T>): Promise<T> {
    const test = currentTest();
    if (!test) return send();
    return base.step(what, async () => {
      const at = new Date().toISOString();
      const sent = await send();
      const seen = JSON.stringify({ at, ...sent.exchange }, null, 2);
      await test.attach(`${what}: request and answer`, { body: seen, contentType: 'application/json' });
      const ofTarget = { ...target, ...(target.authorities && { hasOwnAuthorities: true as const }) };
      const curl = curlFor(sent.exchange, ofTarget);
      await test.attach(`${what}: curl`, { body: curl, contentType: 'text/plain' });
      return sent;
    });
  }

  async function readServed(): Promise<Answered> {
    const exchange = await ask('the data with a valid token', { token: await validToken() });
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
    const { token, exchange } = await obtainToken('a form with valid credentials', credentials);
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
    await base.step(`a wait of ${seconds} s, until the token has expired`, () => clock.sleep(seconds * 1000));
    expired = token;
    return token;
  }

  /** Whether an answer holds the data; undefined for an exchange without one. */
  function dataIn(exchange: Exchange, reference: Answered): Given | undefined {
    if (!isAnswered(exchange)) return undefined;
    const count = api.counter({ data: [reference] });
    return givesData(count(exchange) as Answered, count(reference) as Answered);
  }

  /** Whether an answer holds a token in its place; `unclear`: it has another status, or the token may be in another place. */
  function tokenIn(exchange: Exchange): Given | undefined {
    if (!isAnswered(exchange)) return undefined;
    const { status, tokenResponse } = exchange.response;
    if (status === 200 && tokenResponse?.issued) return true;
    return isIssued(exchange) || (isSuccess(exchange) && tokenResponse?.unclear) ? 'unclear' : false;
  }

  function answerOf(exchange: Exchange, what?: What, given?: Given): Answer {
    if (!isAnswered(exchange) || !latest)
      throw new Error(`For ${exchange.what}, ${baseUrl} ${exchange.failure}.`);
    const { status, headers, body } = latest;
    const fields: Record<string, string> = {};
    for (const [name, value] of headers) fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
    const text = body.toString('utf8');
    const answer: Answer = { status, headers: fields, body: text, json: () => JSON.parse(text) };
    const holds = what === 'token' ? `, ${bodyInWords(exchange.response)}` : '';
    judged.set(answer, {
      ...{ seen: inWords(exchange) + holds },
      ...(what && { what }),
      ...(given !== undefined && { given }),
    });
    return answer;
  }
}

const outcomeOf = (exchange: Exchange): string =>
  isAnswered(exchange) ? inWords(exchange) : `${exchange.what}: ${exchange.failure}`;
