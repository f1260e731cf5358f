/** What a test tells the mock, below /__mock: described in control.openapi.yaml. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import ms, { type StringValue } from 'ms';
import { readBearer } from './bearer.ts';
import { readBody } from './body.ts';
import type { Clock } from './clock.ts';
import { loadControlContract, type Move } from './control-contract.ts';
import { failure, json, type Reply } from './reply.ts';
import type { Tokens } from './tokens.ts';

export interface ControlParts {
  clock: Clock;
  tokens: Pick<Tokens, 'nextExpiry'>;
  key: string;
  /** The address that the mock listens on. */
  host: string;
}

/** Answers a request below /__mock. */
export type Control = (request: IncomingMessage) => Promise<Reply>;

export const isControl = (target = ''): boolean => target === '/__mock' || target.startsWith('/__mock/');

const BODY_BYTES = 64 * 1024;

export function createControl({ clock, tokens, key, host }: ControlParts): Control {
  const { version, faultsOf } = loadControlContract();
  const digest = sha256(key);

  const operations: Record<string, Record<string, (request: IncomingMessage) => Reply | Promise<Reply>>> = {
    '/__mock/health': { GET: () => json(200, { status: 'ok', version }, JSON_TYPE) },
    '/__mock/clock': { GET: tellClock, PUT: moveClock },
  };

  return async (request) => {
    const foreign = whyForeign(request.headers, host);
    if (foreign) return failure(403, 'forbidden', foreign);
    const path = (request.url ?? '').replace(/\?.*/, '');
    const methods = operations[path];
    if (path !== '/__mock/health' && !isAuthorized(request)) return keyMissing();
    if (!methods) return failure(404, 'not_found', `The mock has no control at ${path.slice(0, 100)}.`);
    const operation = methods[request.method ?? ''];
    const allow = Object.keys(methods).join(', ');
    return (
      (await operation?.(request)) ??
      failure(405, 'method_not_allowed', `${path} does not answer ${request.method}, but ${allow}.`, {
        allow,
      })
    );
  };

  function isAuthorized({ headers }: IncomingMessage): boolean {
    const bearer = readBearer(headers.authorization);
    return bearer.kind === 'token' && timingSafeEqual(sha256(bearer.token), digest);
  }

  function tellClock(): Reply {
    const next = tokens.nextExpiry();
    const state = {
      mode: clock.mode,
      now: new Date(clock.now()).toISOString(),
      scale: clock.scale,
      ...(next !== undefined && { nextExpiry: new Date(next).toISOString() }),
    };
    return json(200, state, JSON_TYPE);
  }

  async function moveClock(request: IncomingMessage): Promise<Reply> {
    const move = parse(await readBody(request, BODY_BYTES));
    const fault = faultsOf(move);
    if (fault) return failure(400, 'invalid_request', `The clock was not moved: ${fault}.`);
    try {
      if (!carryOut(move as Move))
        return failure(409, 'conflict', 'The clock was not moved: no token is alive that could expire next.');
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return failure(400, 'invalid_request', `The clock was not moved: ${error.message}`);
    }
    return tellClock();
  }

  /** False where there is nothing to move to. */
  function carryOut({ action, by = 0, until, delta = 0, to = '', factor = 1 }: Move): boolean {
    if (action === 'freeze') clock.freeze();
    else if (action === 'resume') clock.resume();
    else if (action === 'reset') clock.reset();
    else if (action === 'scale') clock.setScale(factor);
    else if (action === 'set') clock.set(Date.parse(to));
    else if (until === undefined) clock.advance(secondsIn(by));
    else {
      const next = tokens.nextExpiry();
      if (next === undefined) return false;
      clock.set(next + secondsIn(delta) * 1000);
    }
    return true;
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };

const keyMissing = () =>
  failure(
    401,
    'unauthorized',
    'The control asks for its key as a bearer token. The mock prints it at its start; MRS_MOCK_CONTROL_KEY sets it.',
    { 'www-authenticate': 'Bearer' },
  );

/** A page of another site must not reach the control, not even by a name that it makes point here. */
function whyForeign(headers: IncomingMessage['headers'], listening: string): string | undefined {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  const name = host.replace(/:\d+$/, '');
  const isOpen = listening === '0.0.0.0' || listening === '::';
  const isOwn = name === listening || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name);
  if (!isOpen && !isOwn)
    return `The control is not at the host ${name.slice(0, 100)}. Ask for it at ${listening}.`;
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`))
    return 'The control answers no page of another site.';
  return undefined;
}

function parse(text = ''): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Of a duration as control.openapi.yaml has it. */
function secondsIn(duration: number | string): number {
  if (typeof duration === 'number') return duration;
  return /\d$/.test(duration) ? Number(duration) : ms(duration as StringValue) / 1000;
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
