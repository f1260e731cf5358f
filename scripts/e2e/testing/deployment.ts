/**
 * A deployment for tests to judge: small, correct, and by its traits wrong in one way, or different where the
 * specification is open. It shares no code with the mock, so that no mistake of the mock can hide in it.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, type Readable } from 'node:stream';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  /** Instead of a body. */
  stream?: Readable;
}

interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  form: URLSearchParams;
  /** Of the header Authorization. */
  token?: string;
}

/** What the deployment knows of the token of a call. */
interface Standing {
  kind: 'missing' | 'unknown' | 'expired' | 'valid';
  /** Whether none was issued after it. */
  newest: boolean;
}

export interface Traits {
  clientId: string;
  clientSecret: string;
  healthPaths: string[];
  tokenLifetimeMs: number;
  /** One that has expired, which the suite is given. */
  expiredToken?: string;
  /** The token to issue; `serial` counts from 1. */
  mint(serial: number): string;
  /** Whether a token is issued; `valid` says whether the form of the call is the one of clause 4.1. */
  issuesFor(call: Call, valid: boolean): boolean;
  /** Whether a token of this standing is answered with the data. */
  opens(standing: Standing): boolean;
  issued(token: string): Answer;
  refusedForm(): Answer;
  data(): Answer;
  refusedToken(standing: Standing): Answer;
  health(call: Call): Answer;
  /** Replaces any answer. */
  send(answer: Answer, call: Call): Answer;
}

export interface Deployment {
  /** The base address. */
  url: string;
  traits: Traits;
  /** Every token issued, in order. */
  tokens: string[];
  /** Every request, in order. */
  calls: Call[];
  /** The variables of `mrs verify` for it. */
  env: Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const json = (status: number, value: unknown): Answer => ({
  ...{ status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) },
});

/** For a run that need not wait until a token expires. */
export const untimed: Partial<Traits> = { tokenLifetimeMs: 3_600_000, expiredToken: 'tok-of-1999-7c1e90d2' };

const correct: Traits = {
  clientId: 'power-station-7',
  clientSecret: 'k9!Zq+/w= "&<é>\'~', // a character for every way of writing it otherwise
  healthPaths: ['/health/'],
  tokenLifetimeMs: 1000,
  mint: (serial) => `tok-${serial}-${'abcdefghij'.repeat(2)}`,
  issuesFor: (_, valid) => valid,
  opens: ({ kind }) => kind === 'valid',
  issued: (token) => json(200, { token }),
  refusedForm: () => json(400, { error: 'refused' }),
  data: () => json(200, { requests: [{ number: 1 }] }),
  refusedToken: ({ kind }) => json(kind === 'expired' ? 403 : 401, { error: kind }),
  health: () => json(200, { up: true }),
  send: (answer) => answer,
};

/** Starts it on a free port of 127.0.0.1; `overrides` replace traits of a correct deployment. */
export async function startDeployment(
  overrides: Partial<Traits> = {},
  now: () => number = () => performance.now(),
): Promise<Deployment> {
  const traits: Traits = { ...correct, ...overrides };
  const { clientId, clientSecret, expiredToken, healthPaths, tokenLifetimeMs } = traits;
  const issuedAt = new Map<string, number>();
  const tokens: string[] = [];
  const calls: Call[] = [];

  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    const { status, headers = {}, body = '', stream } = traits.send(answer(call), call);
    response.writeHead(status, headers);
    if (stream) pipeline(stream, response, () => {});
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = {
    MRS_BASE_URL: url,
    MRS_CLIENT_ID: clientId,
    MRS_CLIENT_SECRET: clientSecret,
    MRS_TOKEN_LIFETIME: `${tokenLifetimeMs}ms`,
    MRS_HEALTH_PATHS: healthPaths.join(','),
    ...(expiredToken && { MRS_EXPIRED_TOKEN: expiredToken }),
  };
  const close = () => new Promise<unknown>((resolve) => server.close(resolve).closeAllConnections());
  return {
    ...{ url, traits, tokens, calls, env },
    [Symbol.asyncDispose]: async () => void (await close()),
  };

  function answer(call: Call): Answer {
    const route = `${call.method} ${call.path}`;
    if (route === 'POST /token/') return obtainToken(call);
    if (route === 'GET /ods_data/') {
      const standing = standingOf(call.token);
      return traits.opens(standing) ? traits.data() : traits.refusedToken(standing);
    }
    if (call.method === 'GET' && healthPaths.includes(call.path)) return traits.health(call);
    return json(404, { error: 'no such endpoint' });
  }

  function obtainToken(call: Call): Answer {
    const expected = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const valid = Object.entries(expected).every(([name, value]) => call.form.get(name) === value);
    if (!traits.issuesFor(call, valid)) return traits.refusedForm();
    const token = traits.mint(tokens.length + 1);
    tokens.push(token);
    issuedAt.set(token, now());
    return traits.issued(token);
  }

  function standingOf(token: string | undefined): Standing {
    const newest = token === tokens.at(-1);
    if (token === undefined) return { kind: 'missing', newest };
    if (token === expiredToken) return { kind: 'expired', newest };
    const at = issuedAt.get(token);
    if (at === undefined) return { kind: 'unknown', newest };
    return { kind: now() - at < tokenLifetimeMs ? 'valid' : 'expired', newest };
  }
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url: path = '', headers } = request;
  const token = /^Bearer (.*)$/i.exec(headers.authorization ?? '')?.[1];
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  return { method, path, headers, form, ...(token !== undefined && { token }) };
}
