/** How the operations of the contract are asked for. Nothing here judges: a 403 is an answer, not an error. */
import type { Secrets } from '../../support/secrets.ts';
import { ACCEPT_ENCODING } from '../../traffic/content-coding.ts';
import type { TokenForm } from '../forge.ts';
import type { Compare } from '../profile.ts';
import type { Path } from '../support/contract.ts';
import type { Exchange, Observed } from '../support/evidence.ts';
import { type ReadAnswer, recordOf } from './answer-record.ts';
import { createDataValues } from './data-values.ts';
import { aliasOf, fieldsOf, type GatewayHeader } from './gateway-headers.ts';
import { type Http, type HttpRequest, isHangUp } from './http.ts';
import { redactExchange } from './redacted-exchange.ts';
import { createTokenReader } from './token-answer.ts';

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
}

/** Far above any token that a header can carry. */
const TOKEN_ANSWER_BYTES = 256 * 1024;
/** In each request, and no secret of a deployment. */
const OPEN_WORDS = ['application/json', 'application/x-www-form-urlencoded', 'client_credentials'];
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
  const given = new Set([baseUrl, new URL(baseUrl).origin, dataPath, TOKEN, userAgent, ...OPEN_WORDS]);
  const readToken = createTokenReader(secrets, () => [...given]);
  const dataValues = createDataValues();
  /** What is recorded of the headers of a gateway. */
  const aliases = Object.fromEntries(gatewayHeaders.map((one) => [one.name, `‹${aliasOf(one)}›`]));
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
      if (form.client_id) given.add(form.client_id);
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        ...(authorization && { authorization }),
      };
      const body = new URLSearchParams(form).toString();
      const request = { method: 'POST' as const, headers, body, bodyBytes: TOKEN_ANSWER_BYTES, form };
      const exchange = await send(what, TOKEN, request, (answer, parsed) => {
        const read = readToken(answer, parsed);
        token = read.token;
        return read.record;
      });
      return { exchange, ...(token !== undefined && { token }) };
    },
    askData: (what, method, path, token) => send(what, path, { method, headers: bearer(token) }),
    dataPath,
    countValues: dataValues.count,
    readData: (what, token, scheme) =>
      send(what, dataPath, { method: 'GET', headers: bearer(token, scheme) }),
    checkHealth: (what, path, method = 'GET', token) => send(what, path, { method, headers: bearer(token) }),
  };
}

const bearer = (token?: string, scheme = 'Bearer'): Record<string, string> =>
  token === undefined ? {} : { authorization: `${scheme} ${token}`.trimEnd() };
