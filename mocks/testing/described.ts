/** A client of a mock's control, for tests: it sees to it that every answer is one that control.openapi.yaml describes. */
import { request } from 'undici';
import { expect } from 'vitest';
import { type Mock, type MockOptions, startMock } from '../index.ts';
import { createJudge } from './documented.ts';

export const KEY = 'a-key-of-the-test';
export const START = Date.UTC(2030, 0, 1);

interface Asked {
  method?: string;
  headers?: Record<string, string>;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
}

const judge = createJudge();

export const startFrozen = (options: MockOptions = {}): Promise<Mock> =>
  startMock({ controlKey: KEY, clock: 'frozen', now: () => START, ...options });

/** Asks with the key, and returns what came. Fails where it is not described. */
export async function ask(mock: Mock, path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const answer = await request(`${new URL(mock.url).origin}${path}`, {
    method: method as 'GET',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const parsed: unknown = text === '' ? undefined : JSON.parse(text);
  if (path.startsWith('/__mock/')) {
    const given = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    const answered = { status: answer.statusCode, headers: Object.fromEntries(given), body: text };
    expect(judge({ ...answered, method, target: path }), `${method} ${path}: ${text}`).toBeUndefined();
  }
  return { status: answer.statusCode, headers: answer.headers, body: parsed };
}

/** Asks for a token for one of the mock's clients. */
export async function obtainToken(mock: Mock, id = 'demo', secret = 'demo-secret'): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
  const answer = await request(`${mock.url}/token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  });
  return ((await answer.body.json()) as { token: string }).token;
}

/** The status that the data is answered with. */
export async function statusOf(mock: Mock, token: string, path = '/ods_data/'): Promise<number> {
  const { statusCode, body } = await request(`${mock.url}${path}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
  });
  await body.dump();
  return statusCode;
}
