/** Requests that the mock serves, to be spoilt: every operation of the contract, and those of its control. */

export interface Sent {
  method: string;
  target: string;
  headers: [name: string, value: string][];
  body: string;
}

export const LIVE = 'a-token-that-lives-0123456789_-x';
export const EXPIRED = 'a-token-that-is-past-0123456789_';
export const KEY = 'a-key-of-the-control';

const host: Sent['headers'][number] = ['host', '127.0.0.1'];
const json: Sent['headers'][number] = ['accept', 'application/json'];

const form = (body: string): Sent => ({
  method: 'POST',
  target: '/token/',
  headers: [host, json, ['content-type', 'application/x-www-form-urlencoded']],
  body,
});
const get = (target: string, token?: string): Sent => ({
  method: 'GET',
  target,
  headers: [host, json, ...(token ? [['authorization', `Bearer ${token}`] as [string, string]] : [])],
  body: '',
});
const order = (method: string, target: string, body?: unknown): Sent => ({
  ...get(target, KEY),
  method,
  body: body === undefined ? '' : JSON.stringify(body),
});

/** Makes the mock as it was at its start. */
export const reset = order('POST', '/__mock/reset');

export const service: readonly Sent[] = [
  form('grant_type=client_credentials&client_id=demo&client_secret=demo-secret'),
  form('client_id=demo&client_secret=demo%2Dsecret&grant_type=client_credentials&scope=x'),
  form('grant_type=client_credentials&client_id=scripted&client_secret=demo-secret'),
  get('/ods_data/', LIVE),
  get('/ods_data/', LIVE),
  get('/ods_data/', EXPIRED),
  get('/health/'),
  get('/health/'),
];

/** The events are left out: their answer has no end. */
const control: readonly Sent[] = [
  get('/__mock/health'),
  get('/__mock/clock', KEY),
  order('PUT', '/__mock/clock', { action: 'advance', by: '15m' }),
  order('PUT', '/__mock/clock', { action: 'advance', until: 'next-expiry', client: 'demo', delta: -1 }),
  order('PUT', '/__mock/clock', { action: 'set', to: '2031-02-03T04:05:06Z' }),
  order('PUT', '/__mock/clock', { action: 'scale', factor: 60 }),
  get('/__mock/clients', KEY),
  get('/__mock/clients/demo', KEY),
  order('PUT', '/__mock/clients/demo', { tokenLifetime: ['15m', 10], jitter: 0.1, skew: '-5s' }),
  order('PUT', '/__mock/clients/scripted', { secret: 'demo-secret' }),
  order('PUT', '/__mock/clients/scripted/script', [
    { on: 'obtainToken', nth: 2, do: { answer: { status: 401 } } },
  ]),
  order('PUT', '/__mock/clients/scripted/script', [
    { on: 'obtainToken', every: 2, do: { advance: '1h', expire: 'client' } },
  ]),
  order('DELETE', '/__mock/clients/scripted/script'),
  order('DELETE', '/__mock/clients/scripted'),
  order('POST', '/__mock/expire', { client: 'demo', revoke: true }),
  order('POST', '/__mock/expire', { token: 'demo#1' }),
  get('/__mock/journal?since=3&limit=2', KEY),
  get('/__mock/journal?format=har&limit=3', KEY),
  order('DELETE', '/__mock/journal'),
  order('POST', '/__mock/verify', { client: 'demo', operation: 'obtainToken', times: 1 }),
  reset,
  reset,
  get('/__mock/contract', KEY),
];

/** The service is asked more often than its control. */
export const goodRequests: readonly Sent[] = [
  ...control,
  ...Array.from({ length: 10 }, () => service).flat(),
];

/** As it goes over the wire, one character for each byte. */
export function wire({ method, target, headers, body }: Sent): string {
  const isFramed = headers.some(([name]) => name === 'transfer-encoding');
  const length = body && !isFramed ? [`content-length: ${body.length}`] : [];
  const fields = [...headers.map(([name, value]) => `${name}: ${value}`), ...length];
  return `${method} ${target} HTTP/1.1\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n${body}`;
}
