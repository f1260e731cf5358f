/**
 * A deployment for tests to judge: small, correct, and by its traits wrong in one way, or different where the
 * specification is open. It shares no code with the mock, so that no mistake of the mock can hide in it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, type Readable } from 'node:stream';

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Instead of a body. */
  stream?: Readable;
}

/** A request as it came in, its path below the base path. */
export interface Call {
  /** By the clock of the deployment. */
  nowMs: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  form: URLSearchParams;
  /** What stands after Bearer in the header Authorization. */
  token?: string;
}

/** What the deployment knows of a token that came with a call. */
export interface Standing {
  kind: 'missing' | 'unknown' | 'expired' | 'valid';
  /** How often the data was asked for with it, this time included. */
  uses: number;
  /** Whether none was issued after it. */
  newest: boolean;
}

export interface Traits {
  clientId: string;
  clientSecret: string;
  /** Without a slash at the end. */
  basePath: string;
  healthPaths: string[];
  tokenLifetimeMs: number;
  /** One that has expired, of which the suite is told. */
  expiredToken?: string;
  /** The token to issue; `serial` counts from 1, `current` is the token issued last if it has not expired. */
  mint(serial: number, current: string | undefined): string;
  /** Whether a token is issued; `valid` says whether the form of the call is the one that clause 4.1 asks for. */
  issuesFor(call: Call, valid: boolean): boolean;
  /** Whether a token of this standing opens the data. */
  opens(standing: Standing): boolean;
  issued(token: string): Answer;
  refusedForm(call: Call): Answer;
  data(): Answer;
  refusedToken(standing: Standing): Answer;
  health(call: Call): Answer;
  /** The last word on every answer. */
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
  /** The variables by which the suite finds it. */
  env: Record<string, string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const json = (status: number, value: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export const html = (status: number, body = '<!doctype html><title>Log in</title><form></form>'): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body,
});

/** The client that a correct deployment knows; its secret has a character for every way of writing it otherwise. */
export const client = { id: 'power-station-7', secret: 'k9!Zq+/w= "&<é>\'~' };

/** For a run that need not wait until a token expires. */
export const untimed: Partial<Traits> = { tokenLifetimeMs: 3_600_000, expiredToken: 'tok-of-1999-7c1e90d2' };

const correct: Traits = {
  clientId: client.id,
  clientSecret: client.secret,
  basePath: '',
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

/** Starts it on a free port of 127.0.0.1; `traits` replace those of a correct deployment. */
export async function startDeployment(
  overrides: Partial<Traits> = {},
  now: () => number = () => performance.now(),
): Promise<Deployment> {
  const traits: Traits = { ...correct, ...overrides };
  const issuedAt = new Map<string, number>();
  const uses = new Map<string, number>();
  const tokens: string[] = [];
  const calls: Call[] = [];

  const server = createServer(async (request, response) => {
    const call = { ...(await readCall(request, traits.basePath)), nowMs: now() };
    calls.push(call);
    reply(response, traits.send(answer(call), call));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${traits.basePath}`;

  return {
    url,
    traits,
    tokens,
    calls,
    env: {
      MRS_BASE_URL: url,
      MRS_CLIENT_ID: traits.clientId,
      MRS_CLIENT_SECRET: traits.clientSecret,
      MRS_TOKEN_LIFETIME: `${traits.tokenLifetimeMs}ms`,
      MRS_HEALTH_PATHS: traits.healthPaths.join(','),
      ...(traits.expiredToken && { MRS_EXPIRED_TOKEN: traits.expiredToken }),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function answer(call: Call): Answer {
    const route = `${call.method} ${call.path}`;
    if (route === 'POST /token/') return obtainToken(call);
    if (route === 'GET /ods_data/') return readData(call);
    if (call.method === 'GET' && traits.healthPaths.includes(call.path)) return traits.health(call);
    return json(404, { error: 'no such endpoint' });
  }

  function obtainToken(call: Call): Answer {
    const owed = {
      grant_type: 'client_credentials',
      client_id: traits.clientId,
      client_secret: traits.clientSecret,
    };
    const valid = Object.entries(owed).every(([name, value]) => call.form.get(name) === value);
    return traits.issuesFor(call, valid) ? issue() : traits.refusedForm(call);
  }

  function issue(): Answer {
    const last = tokens.at(-1);
    const token = traits.mint(tokens.length + 1, last !== undefined && isAlive(last) ? last : undefined);
    if (token !== last) issuedAt.set(token, now());
    tokens.push(token);
    return traits.issued(token);
  }

  function readData({ token }: Call): Answer {
    const standing = standingOf(token);
    return traits.opens(standing) ? traits.data() : traits.refusedToken(standing);
  }

  function standingOf(token: string | undefined): Standing {
    if (token === undefined) return { kind: 'missing', uses: 0, newest: false };
    uses.set(token, (uses.get(token) ?? 0) + 1);
    const rest = { uses: uses.get(token) ?? 0, newest: token === tokens.at(-1) };
    if (token === traits.expiredToken) return { kind: 'expired', ...rest };
    if (!issuedAt.has(token)) return { kind: 'unknown', ...rest };
    return { kind: isAlive(token) ? 'valid' : 'expired', ...rest };
  }

  function isAlive(token: string): boolean {
    return now() - (issuedAt.get(token) ?? 0) < traits.tokenLifetimeMs;
  }
}

async function readCall(request: IncomingMessage, basePath: string): Promise<Omit<Call, 'nowMs'>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url = '', headers } = request;
  const token = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
  return {
    method,
    path: url.startsWith(basePath) ? url.slice(basePath.length) : `outside ${url}`,
    headers,
    form: new URLSearchParams(Buffer.concat(chunks).toString()),
    ...(token !== undefined && { token }),
  };
}

function reply(response: ServerResponse, { status, headers = {}, body = '', stream }: Answer): void {
  response.writeHead(status, headers);
  if (stream) pipeline(stream, response, () => {});
  else response.end(body);
}
