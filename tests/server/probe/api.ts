/** How the operations of the contract are asked for. Nothing here judges: a 403 is an answer, not an error. */
import { createHash, randomUUID } from 'node:crypto';
import type { Secrets } from '../../support/secrets.ts';
import type { TokenForm } from '../requests/row.ts';
import { type Path, tokenResponseMismatches } from '../support/contract.ts';
import { type Exchange, isSuccessStatus, type Observed, type Response } from '../support/evidence.ts';
import { describeJson, mediaTypeOf, type Parsed, parseJson } from '../support/json.ts';
import { shapeOf } from './body-shape.ts';
import { createDataValues } from './data-values.ts';
import type { Compare } from './declared-answers.ts';
import { aliasOf, fieldsOf, type GatewayHeader } from './gateway-headers.ts';
import { ACCEPT_ENCODING } from './http/content-coding.ts';
import { isHangUp } from './http/failure.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { redactExchange } from './redacted-exchange.ts';
import { multipart, type SampleFile } from './sample-uploads.ts';
import { misplacedToken, TOKEN_BYTES, tokenIn } from './token-answer.ts';

/** Which one health checks are asked by, the specification does not show either. */
export type HealthMethod = 'GET' | 'HEAD' | 'POST';

export interface Api {
  /**
   * The exchange, and the token if one was issued: one that is not in the field `token` too, since one mistake must not
   * keep the rest of a run from being judged. `authorization` is the header's value.
   */
  obtainToken(
    what: string,
    form: TokenForm,
    authorization?: string,
  ): Promise<{ exchange: Exchange; token?: string }>;
  readData(what: string, token?: string, scheme?: 'Bearer' | 'Basic'): Promise<Exchange>;
  /** The path of the data: that of the specification, or of a profile without tokens. */
  readonly dataPath: string;
  /** The data endpoint in a way that the contract does not have: what comes of it is open. */
  askData(what: string, method: 'GET' | 'HEAD' | 'OPTIONS', path: string, token?: string): Promise<Exchange>;
  /** `path` is below {base_url}: where health checks are, the specification does not show. */
  checkHealth(what: string, path: string, method?: HealthMethod, token?: string): Promise<Exchange>;
  /** With how many values of the data each answer holds; to be called when the last answer is there. */
  countValues(observed: Observed): Observed;
  /** Posts a file as a form of several parts (RFC 7578). */
  upload(what: string, path: string, field: string, file: SampleFile, token?: string): Promise<Exchange>;
}

type ReadAnswer = (answer: HttpResponse, parsed: Parsed) => Partial<Response>;

const EXCERPT_CHARACTERS = 2000;
/** Of one text in a body. */
const TEXT_CHARACTERS = 200;
const EXCERPT_BYTES = 1024 * 1024;
/** Far above any token that a header can carry. */
const TOKEN_ANSWER_BYTES = 256 * 1024;
const TOKEN: Path = '/token/';
const DATA: Path = '/ods_data/';

/** What a profile has to do with it: where the data is, and how answers are compared with what is declared. */
export interface Declared {
  dataPath?: string | undefined;
  compare?: Compare;
}

export function createApi(
  baseUrl: string,
  http: Http,
  secrets: Secrets,
  userAgent: string,
  { dataPath = DATA, compare = () => ({}) }: Declared = {},
  gatewayHeaders: readonly GatewayHeader[] = [],
): Api {
  const began = performance.now();
  let sent = 0;
  let issued = 0;
  let hiddenCharacters = 0;
  const dataValues = createDataValues();
  /** What is recorded of the headers of a gateway. */
  const aliases = Object.fromEntries(gatewayHeaders.map((one) => [one.name, `‹${aliasOf(one)}›`]));
  /** Of the tokens that were issued. */
  const lengths = new Set<number>();

  /** Sends one request and records it; `read` adds what only one operation knows of its answer. */
  async function send(
    what: string,
    path: string,
    request: Omit<HttpRequest, 'url'> & { form?: TokenForm },
    read: ReadAnswer = () => ({}),
  ): Promise<Exchange> {
    const { form, method, ...rest } = request;
    const headers = {
      accept: 'application/json',
      'accept-encoding': ACCEPT_ENCODING,
      'user-agent': userAgent,
      ...fieldsOf(gatewayHeaders),
      ...rest.headers,
    };
    const id = `x${++sent}`;
    const compared: ReadAnswer = (received, parsed) => {
      dataValues.note(id, received, parsed);
      return { ...read(received, parsed), ...compare({ method, path }, received, parsed) };
    };
    const sentAt = performance.now();
    const answer = await http.exchange({ ...rest, method, url: baseUrl + path, headers });
    const record: Exchange = {
      id,
      what,
      request: { method, path, headers: Object.entries({ ...headers, ...aliases }), ...(form && { form }) },
      sentAtMs: Math.round(sentAt - began),
      durationMs: Math.round(performance.now() - sentAt),
      ...(answer.waitedSeconds !== undefined && { waitedSeconds: answer.waitedSeconds }),
      ...('failure' in answer
        ? { failure: answer.failure, ...(isHangUp(answer.failure) && { hangsUp: true as const }) }
        : { response: recordOf(answer, compared, secrets) }),
    };
    return redactExchange(record, secrets);
  }

  return {
    async obtainToken(what, form, authorization) {
      let token: string | undefined;
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization && { authorization }),
      };
      const body = new URLSearchParams(form).toString();
      const request = { method: 'POST' as const, headers, body, bodyBytes: TOKEN_ANSWER_BYTES, form };
      const exchange = await send(what, TOKEN, request, (answer, parsed) => {
        // A byte order mark makes the JSON malformed, and does not hide a token.
        const lenient = parsed.wellFormed || parsed.refused ? parsed : parseJson(withoutMark(answer.body));
        const inPlace = tokenIn(lenient);
        const taken = inPlace === undefined ? misplacedToken(lenient, answer, lengths) : undefined;
        token = inPlace ?? taken?.token;
        if (inPlace !== undefined && isSuccessStatus(answer.status)) lengths.add(inPlace.length);
        if (token !== undefined) secrets.register(token, `token ${++issued}`);
        const hidden = hiddenIn(lenient, isSuccessStatus(answer.status));
        hiddenCharacters += hidden.reduce((sum, { value }) => sum + value.length, 0);
        const isKnown = hidden.length < HIDDEN_VALUES && hiddenCharacters <= HIDDEN_CHARACTERS;
        if (isKnown) for (const { value } of hidden) secrets.register(value, 'hidden', { whole: true });
        return {
          // A body that is no JSON may be a token as a whole, and one of many values hides too many: none is kept.
          ...((!parsed.wellFormed || !isKnown) && { excerpt: '' }),
          ...((!isKnown || token !== undefined) && { shape: undefined }),
          tokenResponse: {
            issued: inPlace !== undefined,
            ...(taken && { takenFrom: taken.pointer }),
            unclear:
              taken === undefined &&
              ((parsed.wellFormed === false && parsed.refused === true) ||
                hidden.some(({ named }) => named) ||
                mayBeToken(answer.body, parsed, hidden)),
            mismatches: parsed.wellFormed ? tokenResponseMismatches(parsed.value) : [],
          },
        };
      });
      return { exchange, ...(token !== undefined && { token }) };
    },
    askData: (what, method, path, token) => send(what, path, { method, headers: bearer(token) }),
    dataPath,
    countValues: dataValues.count,
    readData: (what, token, scheme) =>
      send(what, dataPath, { method: 'GET', headers: bearer(token, scheme) }),
    checkHealth: (what, path, method = 'GET', token) => send(what, path, { method, headers: bearer(token) }),
    upload(what, path, field, file, token) {
      const boundary = `mrs-${randomUUID()}`;
      const headers = { ...bearer(token), 'content-type': `multipart/form-data; boundary=${boundary}` };
      return send(what, path, { method: 'POST', headers, body: multipart(field, file, boundary) });
    },
  };
}

const bearer = (token?: string, scheme = 'Bearer'): Record<string, string> =>
  token === undefined ? {} : { authorization: `${scheme} ${token}`.trimEnd() };

function recordOf(answer: HttpResponse, read: ReadAnswer, secrets: Secrets): Response {
  const parsed = parseJson(answer.body);
  const extra = read(answer, parsed); // First, since it registers the secrets that the body holds.
  const mediaType = mediaTypeOf(answer.headers.find(([name]) => name === 'content-type')?.[1]);
  return {
    status: answer.status,
    ...(mediaType !== undefined && { mediaType }),
    headers: answer.headers,
    bodyBytes: answer.body.length,
    digest: createHash('sha256').update(answer.body).digest('hex'),
    excerpt: secrets.excerpt(answer.body.toString('utf8', 0, EXCERPT_BYTES), EXCERPT_CHARACTERS),
    json: describeJson(parsed),
    ...(parsed.wellFormed && {
      shape: shapeOf(parsed.value, (text) => secrets.excerpt(text, TEXT_CHARACTERS)),
    }),
    ...extra,
  };
}

/** Of a success: one word that is not JSON, or a long word in an answer without an error. */
function mayBeToken(body: Buffer, parsed: Parsed, hidden: { value: string }[]): boolean {
  if (!parsed.wellFormed)
    return body.length < TOKEN_BYTES && /^[^\s<>]{8,}$/.test(body.toString('latin1').trim());
  const names = Object.keys(Object(parsed.value));
  return (
    hidden.some(({ value }) => !/\s/.test(value)) &&
    !names.some((name) => /^(error|message|detail)/i.test(name))
  );
}

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/**
 * Whatever else in a token answer may be a credential: the value of a member with such a name, and of a success every
 * long string too.
 */
function hiddenIn(parsed: Parsed, success: boolean): { value: string; named: boolean }[] {
  const found: { value: string; named: boolean }[] = [];
  const visit = (value: unknown, named: boolean, depth: number) => {
    if (found.length === HIDDEN_VALUES || depth > HIDDEN_DEPTH) return;
    if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value))
        visit(member, isTokenName(name) || (named && name !== 'token_type'), depth + 1);
    else if (
      typeof value === 'string' &&
      (success ? named || value.length >= 20 : named && isTelling(value))
    ) {
      if (value !== '') found.push({ value, named });
    } else if (typeof value === 'number' && named) found.push({ value: String(value), named });
  };
  if (parsed.wellFormed) visit(parsed.value, false, 0);
  return found;
}

/** Of a refusal: no word of a sentence, which the reports would lack then. */
const isTelling = (value: string) => value.length >= 8 && !/^[a-z]{1,15}$|\s/i.test(value);

const HIDDEN_VALUES = 50;
/** In a whole run: each is looked for, in every encoding, in all that a deployment sends. */
const HIDDEN_CHARACTERS = 16_384;
const HIDDEN_DEPTH = 16;

const isTokenName = (name: string) => /token|secret/i.test(name) && name !== 'token_type';
