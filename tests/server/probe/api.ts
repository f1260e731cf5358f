/**
 * The requests of a run. Each returns a record of what was sent and came back, never a body, with every secret taken out:
 * an answer that never came is a record too, not an error.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type Clock, endingWith } from '../../support/clock.ts';
import type { Secrets } from '../../support/secrets.ts';
import { UsageError } from '../../support/usage-error.ts';
import { version } from '../../support/version.ts';
import { ACCEPT_ENCODING } from '../../traffic/content-coding.ts';
import type { Compare } from '../compare.ts';
import type { TokenForm } from '../forge.ts';
import { mustBeAccepted } from '../requests.ts';
import type { Path } from '../support/contract.ts';
import { createDataValues } from '../support/data.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import { describeJson, mediaTypeOf, type Parsed, parseJson } from '../support/json.ts';
import {
  createHttp,
  createThrottledHttp,
  defaultLimits,
  type Http,
  type HttpFailure,
  type HttpRequest,
  type HttpResponse,
} from './http.ts';
import { aliasOf, fieldsOf, registerSecrets, type Target } from './target.ts';
import { createTokenReader } from './token-answer.ts';

/** A request without a form: for the data by GET without a token, unless it says otherwise. */
export interface Ask {
  method?: HttpRequest['method'];
  /** Below {base_url}. */
  path?: string;
  token?: string | undefined;
  /** Otherwise JSON is asked for. */
  accept?: string | undefined;
  /** The header, where it is not that of a token. */
  authorization?: string;
  cookie?: string;
  headers?: Record<string, string>;
}

export type Api = ReturnType<typeof createApi>;

interface ApiOptions {
  /** Where a profile has the data. */
  dataPath?: string | undefined;
  /** Compares answers with what a profile declares. */
  compare?: Compare;
  /** Sees each answer as it came. */
  onAnswer?(answer: HttpResponse | HttpFailure): void;
  /** Ends each wait. */
  signal?: AbortSignal;
}

/** Far above any token that a header can carry. */
const TOKEN_ANSWER_BYTES = 256 * 1024;
/** In each request, and no secret of a deployment. */
const OPEN_WORDS = ['application/json', 'application/x-www-form-urlencoded', 'client_credentials'];
const TOKEN: Path = '/token/';
const DATA: Path = '/ods_data/';

export function createApi(
  target: Pick<Target, 'baseUrl' | 'userAgent' | 'gatewayHeaders'>,
  http: Pick<Http, 'exchange'>,
  secrets: Secrets,
  { dataPath = DATA, compare = () => ({}), onAnswer }: ApiOptions = {},
) {
  const { baseUrl, gatewayHeaders = [] } = target;
  const userAgent = target.userAgent ?? `mrs-contract/${version} (run ${randomUUID()})`;
  const began = performance.now();
  let sent = 0;
  const waited: Exchange[] = [];
  let cookies: string | undefined;
  const given = new Set([baseUrl, new URL(baseUrl).origin, dataPath, TOKEN, userAgent, ...OPEN_WORDS]);
  const readToken = createTokenReader(secrets, () => [...given]);
  const dataValues = createDataValues();
  /** What is recorded of the headers of a gateway. */
  const aliases = Object.fromEntries(gatewayHeaders.map((one) => [one.name, `‹${aliasOf(one)}›`]));

  /** Sends one request and records it. */
  async function send(
    what: string,
    path: string,
    { form, method, ...rest }: Omit<HttpRequest, 'url'> & { form?: TokenForm },
  ): Promise<{ exchange: Exchange; token?: string }> {
    const headers: Record<string, string> = {
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      'user-agent': userAgent,
      ...fieldsOf(gatewayHeaders),
      ...rest.headers,
    };
    const isValid = mustBeAccepted(what);
    const sentAt = performance.now();
    const { before = [], ...last } = await http.exchange({
      ...{ ...rest, method, url: baseUrl + path, headers },
      isValid,
    });
    onAnswer?.(last);
    const durationMs = Math.round(performance.now() - sentAt);
    const shown = { ...headers, ...aliases, ...(headers.cookie && { cookie: COOKIES }) };
    const record = (answer: HttpResponse | HttpFailure) => {
      const one: Exchange = {
        id: `x${++sent}`,
        what,
        request: { method, path, headers: Object.entries(shown), ...(form && { form }) },
        ...{ sentAtMs: Math.round(sentAt - began), durationMs },
        ...(answer.waitedSeconds !== undefined && { waitedSeconds: answer.waitedSeconds }),
      };
      if ('failure' in answer) {
        const { failure, failureCode = 'failure' } = answer;
        return { exchange: redactExchange({ ...one, failure, failureCode }, secrets) };
      }
      const parsed = parseJson(answer.body);
      dataValues.note(one.id, answer, parsed, !isValid);
      // Before anything is kept of the body: it registers the secrets that the body holds.
      const read = form && readToken(answer, parsed);
      const response = {
        ...recordOf(answer, parsed, secrets),
        ...read?.record,
        ...compare({ method, path }, answer, parsed),
      };
      const exchange = redactExchange({ ...one, response }, secrets);
      return { exchange, ...(read?.token !== undefined && { token: read.token }) };
    };
    // What they hold may have been given away, too.
    for (const answer of before) waited.push(record(answer).exchange);
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if ('status' in last && last.status === 200 && token !== undefined) keepCookies(last, token);
    return record(last);
  }

  /** Those of the data. One that holds the token is a token in another place. */
  function keepCookies({ headers }: HttpResponse, token: string): void {
    const pairs = headers
      .flatMap(([name, value]) => (name === 'set-cookie' ? (PAIR.exec(value)?.[0] ?? []) : []))
      .filter((pair) => !pair.includes(token) && !pair.includes(encodeURIComponent(token)));
    if (pairs.length > 0) cookies = pairs.slice(0, 20).join('; ');
    for (const pair of pairs) {
      const value = pair.slice(pair.indexOf('=') + 1);
      if (value.length >= 8) secrets.register(value, 'cookie');
    }
  }

  return {
    /** The path of the data: that of the specification, or of a profile without tokens. */
    dataPath,
    /** The answers that asked to wait, each of which a later one followed, since this was called last. */
    takeWaited: (): Exchange[] => waited.splice(0),
    /** The cookies that came with the data, as a client sends them back; undefined if there were none. */
    cookies: () => cookies,
    /** Counts values of the data in answers; to be called when the last answer is there. */
    counter: dataValues.counter,
    async ask(
      what: string,
      { method = 'GET', path = dataPath, token, accept, authorization, cookie, headers: own }: Ask = {},
    ): Promise<Exchange> {
      const header = authorization ?? (token === undefined ? undefined : `Bearer ${token}`.trimEnd());
      const headers = {
        ...(accept && { accept }),
        ...(header !== undefined && { authorization: header }),
        ...(cookie && { cookie }),
        ...own,
      };
      return (await send(what, path, { method, headers })).exchange;
    },
    /**
     * The exchange, and the token if one was issued: one that is not in the field `token` too, since one mistake must not
     * keep the rest of a run from being judged. `authorization` is the header's value.
     */
    obtainToken(what: string, form: TokenForm, authorization?: string) {
      if (form.client_id) given.add(form.client_id);
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization && { authorization }),
      };
      const body = new URLSearchParams(form).toString();
      return send(what, TOKEN, { method: 'POST', headers, body, bodyBytes: TOKEN_ANSWER_BYTES, form });
    },
  };
}

/** What is recorded of cookies. */
const COOKIES = '‹the cookies of the data›';

/** Set-Cookie without its attributes (RFC 6265 section 4.1). */
const PAIR = /^[\x21-\x3a\x3c-\x7e]{3,4096}/;

/** The API of a deployment over HTTP. `secrets` learns the target's and all that come up on the way. */
export function openApi(target: Target, secrets: Secrets, realClock: Clock, options: ApiOptions) {
  registerSecrets(target, secrets);
  const http = createHttp({ ...defaultLimits, deadlineSeconds: target.timeoutSeconds }, target.authorities);
  const ownClock = target.mockControlKey ? createMockClock(realClock, http, target) : realClock;
  const clock = endingWith(ownClock, options.signal);
  const { exchange, sent } = createThrottledHttp(http, clock);
  return { api: createApi(target, { exchange }, secrets, options), clock, sent, close: http.close };
}

/** A clock that passes by moving that of this package's own mock (mocks/control.openapi.yaml). Throws UsageError where that fails. */
export function createMockClock(
  clock: Clock,
  http: Pick<Http, 'exchange'>,
  {
    baseUrl,
    mockControlKey,
    gatewayHeaders = [],
  }: Pick<Target, 'baseUrl' | 'mockControlKey' | 'gatewayHeaders'>,
): Clock {
  const url = new URL('/__mock/clock', baseUrl).href;
  const own = { authorization: `Bearer ${mockControlKey}`, 'content-type': 'application/json' };
  let movedMs = 0;
  return {
    now: () => clock.now() + movedMs,
    async sleep(milliseconds) {
      if (milliseconds <= 0) return;
      const body = JSON.stringify({ action: 'advance', by: milliseconds / 1000 });
      const headers = { ...fieldsOf(gatewayHeaders), ...own };
      const answer = await http.exchange({ method: 'PUT', url, body, headers });
      movedMs += milliseconds;
      if ('status' in answer && answer.status === 200) return;
      const seen = 'failure' in answer ? answer.failure : `answered ${answer.status}`;
      throw new UsageError(
        `The clock of the mock was not moved: ${url} ${seen}. Give MRS_MOCK_CONTROL_KEY only for a mock that was started with this key.`,
      );
    },
  };
}

// What is kept of an answer.

const EXCERPT_CHARACTERS = 2000;
const EXCERPT_BYTES = 1024 * 1024;

/** Of any answer. What only one operation knows of its own is added to it. */
export function recordOf(
  { status, headers, body }: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
  parsed: Parsed,
  secrets: Pick<Secrets, 'excerpt'>,
): Response {
  const mediaType = mediaTypeOf(headers);
  return {
    status,
    ...(mediaType !== undefined && { mediaType }),
    headers,
    bodyBytes: body.length,
    digest: createHash('sha256').update(body).digest('hex'),
    excerpt: secrets.excerpt(body.toString('utf8', 0, EXCERPT_BYTES), EXCERPT_CHARACTERS),
    json: describeJson(parsed),
  };
}

/** Response headers that the reports have a use for. Any other may hold a credential, and its value is not kept. */
const KEPT_HEADERS =
  /^(allow|cache-control|connection|content-(encoding|length|type)|date|etag|expires|last-modified|location|retry-after|server|vary|www-authenticate|(x-)?rate-?limit\b.*)$/;
const MEDIA_TYPES = ['application/json', 'text/json', 'application/problem+json', 'text/html', 'text/plain'];
const HEADERS = 100;
/** The verdicts read these names: a token that is one of them must not change what an answer says. */
const READ_NAMES = /^(errors?|message|msg|detail|title|status|code|reason|fault|success|ok)$|^error[_-]/i;

/**
 * The exchange without secrets in what comes from outside, which is cut; the rest is kept. To be applied when it is
 * recorded, and again when the last secret of the run is known.
 */
export function redactExchange(exchange: Exchange, secrets: Secrets): Exchange {
  const { request, response, failure } = exchange;
  const upTo = (characters: number) => (text: string) => secrets.excerpt(text, characters);
  const whole = (text: string) => secrets.excerpt(text, text.length);
  const name = (text: string): string => {
    const kept = READ_NAMES.exec(text)?.[0] ?? '';
    return kept + upTo(100)(text.slice(kept.length));
  };
  const redactResponse = ({ tokenResponse, headers, digest, ...rest }: Response): Response => ({
    ...within(rest, {
      ...{ mediaType: (text) => (MEDIA_TYPES.includes(text) ? text : upTo(100)(text)), excerpt: whole },
      ...{ fields: name, recordFields: name, filled: name },
      // Of a profile's own schema, the pointer holds names that the deployment chose.
      ...{ pointer: upTo(240), expected: upTo(200), remarks: upTo(300), first: upTo(100), seen: upTo(240) },
    }),
    digest,
    headers: headers
      .slice(0, HEADERS)
      .map(([one, value]) =>
        KEPT_HEADERS.test(one) ? [one, upTo(500)(value)] : [upTo(100)(one), '(not kept)'],
      ),
    ...(tokenResponse && {
      tokenResponse: within(tokenResponse, { takenFrom: upTo(100), expected: upTo(200) }),
    }),
  });
  return {
    ...exchange,
    request: {
      ...request,
      headers: request.headers.map(([one, value]) => [
        one,
        one === 'authorization' ? secrets.redact(value) : value,
      ]),
      ...(request.form && { form: secrets.redact(request.form) }),
    },
    ...(response && { response: redactResponse(response) }),
    ...(failure !== undefined && { failure: upTo(200)(failure) }),
  };
}

/** `value` with each text in a member of these names, at any depth, as `edits` have it. */
function within<T>(value: T, edits: Readonly<Record<string, (text: string) => string>>): T {
  const edited = (one: unknown, own: string): unknown => {
    if (typeof one === 'string') return Object.hasOwn(edits, own) ? (edits[own]?.(one) ?? one) : one;
    if (Array.isArray(one)) return one.map((item) => edited(item, own));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([member, inner]) => [member, edited(inner, member)]));
  };
  return edited(value, '') as T;
}
