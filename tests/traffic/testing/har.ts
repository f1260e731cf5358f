/** Traffic made call by call, as a recorder would write it. */

/** One call: what is not given is as a right client and a right service have it. */
export interface MadeCall {
  /** Seconds since the start of the recording, and how long it took in milliseconds. */
  at: number;
  tookMs?: number;
  method?: string;
  /** Below the base URL. */
  path?: string;
  /** A whole address, for another service. */
  url?: string;
  headers?: Record<string, string>;
  /** The body of the request, as text. */
  sent?: string;
  status?: number;
  type?: string;
  answerHeaders?: Record<string, string>;
  /** The body of the answer: text, or what JSON.stringify makes of it. */
  body?: unknown;
  /** Further members of the entry. */
  more?: object;
}

export const BASE_URL = 'https://mrs.example/api';
export const CLIENT_ID = 'acme-station-7';
export const CLIENT_SECRET = 's3cret/of+acme&station';
/** The recording begins at this moment. */
export const BEGAN = Date.parse('2030-01-31T12:00:00.000Z');

export const RECORDS = {
  ods_data: [
    { id: 'obs-4711', site: 'dish-44', freq_lower_hz: 1_420_405_751, start: '2030-01-31T12:15:00' },
    { id: 'obs-4712', site: 'dish-45', freq_lower_hz: 1_665_401_800, start: '2030-01-31T12:45:00' },
  ],
};

/** Long enough for a part of it to be recognised. */
export const tokenNamed = (name: string | number): string => `tok-${name}-Zm9vYmFyYmF6cXV4-${name}-end`;

export const FORM = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };

/** A token request that brings this token. */
export const asks = (
  at: number,
  token: string | number,
  more: Partial<MadeCall> & { form?: Record<string, string> } = {},
): MadeCall => {
  const { form = FORM, headers, ...rest } = more;
  return {
    at,
    method: 'POST',
    path: '/token/',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded', ...headers },
    sent: new URLSearchParams(form).toString(),
    body: { token: tokenNamed(token) },
    ...rest,
  };
};

/** A read that is served. */
export const reads = (at: number, token: string | number, more: Partial<MadeCall> = {}): MadeCall => {
  const { headers, ...rest } = more;
  return {
    at,
    path: '/ods_data/',
    headers: { accept: 'application/json', authorization: `Bearer ${tokenNamed(token)}`, ...headers },
    body: RECORDS,
    ...rest,
  };
};

/** A read that is refused. */
export const refused = (
  at: number,
  token: string | number,
  status = 403,
  more: Partial<MadeCall> = {},
): MadeCall => reads(at, token, { status, body: { detail: 'The token has expired.' }, ...more });

/** One read each `seconds`, from `from` until before `until`. */
export const readsEvery = (
  seconds: number,
  from: number,
  until: number,
  token: string | number,
): MadeCall[] =>
  Array.from({ length: Math.ceil((until - from) / seconds) }, (_, nth) => reads(from + nth * seconds, token));

const namesAndValues = (fields: Record<string, string>) =>
  Object.entries(fields).map(([name, value]) => ({ name, value }));

export type MadeEntry = ReturnType<typeof entryOf>;

export function entryOf(call: MadeCall) {
  const { at, tookMs = 20, method = 'GET', path = '/', url = BASE_URL + path, headers = {}, sent } = call;
  const { status = 200, type = 'application/json', answerHeaders = {}, body = '', more } = call;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const framing = sent === undefined ? undefined : { 'content-length': String(Buffer.byteLength(sent)) };
  return {
    startedDateTime: new Date(BEGAN + at * 1000).toISOString(),
    time: tookMs,
    request: {
      method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: namesAndValues({ ...headers, host: 'mrs.example', ...framing }),
      queryString: [],
      headersSize: -1,
      bodySize: sent?.length ?? 0,
      ...(sent !== undefined && { postData: { mimeType: headers['content-type'] ?? '', text: sent } }),
    },
    response: {
      status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: namesAndValues({ 'Content-Type': type, ...answerHeaders }),
      content: { size: Buffer.byteLength(text), mimeType: type, text },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(text),
    },
    cache: {},
    timings: { send: 0, wait: tookMs, receive: 0 },
    ...more,
  };
}

export const harOf = (entries: readonly object[], creator = 'made by hand'): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: creator, version: '1' }, entries } });

export const harOfCalls = (...calls: readonly MadeCall[]): string => harOf(calls.map(entryOf));

/** A client that renews its token after a 403, three times: tokens live for a minute. */
export const reactiveTraffic = (): MadeCall[] =>
  [1, 2, 3].flatMap((token) => {
    const from = (token - 1) * 62;
    return [
      asks(from, token),
      ...readsEvery(5, from + 0.1, from + 60, token),
      ...(token < 3 ? [refused(from + 61.9, token)] : []),
    ];
  });

export const bytesOf = (text: string): Buffer => Buffer.from(text);
