/** The requests of a run, in order: each is sent once, and each refusal stands beside an acceptance. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, TokenForm } from './api.ts';
import type {
  DataProbes,
  Exchange,
  ExpiryEvidence,
  HealthProbes,
  NotSent,
  Probe,
  TokenProbes,
} from './evidence.ts';
import type { Secrets } from './secrets.ts';
import type { Target } from './target.ts';

/** A lifetime above this is not waited for. */
export const MAX_WAIT_SECONDS = 120;
/** How late a token may expire before it counts as one that does not: a tenth of its lifetime and a second. */
const lastMomentOf = (lifetimeSeconds: number) => lifetimeSeconds * 1.1 + 1;
/** After so many requests in a row without an answer, the deployment counts as down. */
const FAILURES_BEFORE_GIVING_UP = 3;

export interface Observed {
  token: TokenProbes;
  data: DataProbes;
  health: HealthProbes[];
  expiry: ExpiryEvidence;
}

/** Carries out the plan. `progress` is told what is being waited for. */
export async function observe(
  target: Target,
  api: Api,
  secrets: Secrets,
  progress: (text: string) => void,
): Promise<Observed> {
  const { clientId: client_id, clientSecret: client_secret } = target;
  const form: TokenForm = { grant_type: 'client_credentials', client_id, client_secret };
  const send = circuitBreaker();

  // Forms that must not obtain a token go first: where one does after all, it cannot replace the token below.
  const post = (what: string, fields: TokenForm) =>
    send(what, async () => (await api.obtainToken(what, fields)).exchange);
  const refusals = {
    withoutGrantType: await post('a form without grant_type', without(form, 'grant_type')),
    otherGrantType: await post('a form with grant_type password', { ...form, grant_type: 'password' }),
    withoutClientId: await post('a form without client_id', without(form, 'client_id')),
    unknownClientId: await post('a form with an unknown client_id', { ...form, client_id: unguessable() }),
    withoutClientSecret: await post('a form without client_secret', without(form, 'client_secret')),
    wrongClientSecret: await post('a form with a wrong client_secret', {
      ...form,
      client_secret: unguessable(),
    }),
  };

  const first = await obtain('a form with valid credentials');
  const obtainedAt = performance.now();
  const withAuthorization =
    isRefusal(first.probe) && first.token === undefined
      ? (await obtain('the same form with an Authorization header', basic(target))).probe
      : notSent('the same form with an Authorization header', 'The form alone was not refused.');

  const read = (what: string, token?: string) => send(what, () => api.readData(what, token));
  const readWith = (what: string, token: string | undefined) =>
    token === undefined ? notSent(what, 'No token was obtained (see MRS-4.1a).') : read(what, token);
  const altered = first.token && alter(first.token);
  if (altered) secrets.register(altered, 'token 1, altered');
  const calls = {
    first: await readWith('the data with the token', first.token),
    second: await readWith('the data with the same token again', first.token),
    third: await readWith('the data with the same token once more', first.token),
    withoutToken: await read('the data without a token'),
    unknownToken: await read('the data with a token that was never issued', unguessable()),
    alteredToken: await readWith('the data with the token, one character altered', altered),
  };

  const health: HealthProbes[] = [];
  for (const path of target.healthPaths) health.push(await observeHealth(path));

  const { expiredToken, expiry } = await observeExpiry();
  const again = await obtain('the form with the same credentials again');
  const freshToken = await readWith('the data with the new token', again.token);

  return {
    token: { ...refusals, valid: first.probe, withAuthorization, again: again.probe },
    data: { ...calls, expiredToken, freshToken },
    health,
    expiry,
  };

  async function obtain(what: string, authorization?: string): Promise<{ probe: Probe; token?: string }> {
    let token: string | undefined;
    const probe = await send(what, async () => {
      const answer = await api.obtainToken(what, form, authorization);
      token = answer.token;
      return answer.exchange;
    });
    return { probe, ...(token !== undefined && { token }) };
  }

  /** Without a token; and where that is refused, with one, so that the reason of the refusal can be told. */
  async function observeHealth(path: string): Promise<HealthProbes> {
    const what = `the health check ${path} without a token`;
    const plain = await send(what, () => api.checkHealth(what, path));
    if (statusOf(plain) === 405) {
      const head = `the health check ${path} without a token, by HEAD`;
      return { plain: await send(head, () => api.checkHealth(head, path, 'HEAD')) };
    }
    if (!isRefusal(plain) || first.token === undefined) return { plain };
    const withToken = `the health check ${path} with the token`;
    return {
      plain,
      withToken: await send(withToken, () => api.checkHealth(withToken, path, 'GET', first.token)),
    };
  }

  async function observeExpiry(): Promise<{ expiredToken: Probe; expiry: ExpiryEvidence }> {
    const what = 'the data with the expired token';
    const lifetimeSeconds = target.tokenLifetimeSeconds;
    if (target.expiredToken !== undefined && !(lifetimeSeconds && lifetimeSeconds <= MAX_WAIT_SECONDS))
      return { expiredToken: await read(what, target.expiredToken), expiry: { kind: 'asserted' } };
    if (lifetimeSeconds === undefined)
      return none(
        what,
        'No expired token is at hand. Set MRS_TOKEN_LIFETIME to the agreed lifetime, in seconds.',
      );
    if (lifetimeSeconds > MAX_WAIT_SECONDS)
      return none(
        what,
        `A lifetime of ${lifetimeSeconds} s is longer than the ${MAX_WAIT_SECONDS} s that are waited. ` +
          'Set MRS_EXPIRED_TOKEN, or ask the operator for a client with a shorter lifetime.',
      );
    if (first.token === undefined || !isServed(calls.first))
      return none(what, 'No token was accepted that could expire (see MRS-4.1a and MRS-4.2a).');

    let pause = 50;
    let expiredToken: Probe;
    do {
      await waitUntil(Math.max(obtainedAt + lifetimeSeconds * 1000, performance.now()) + pause, progress);
      expiredToken = await read(what, first.token);
      pause *= 2;
    } while (
      !isRefusal(expiredToken) &&
      !('notSent' in expiredToken) &&
      ageSeconds() < lastMomentOf(lifetimeSeconds)
    );
    return { expiredToken, expiry: { kind: 'waited', lifetimeSeconds, ageSeconds: ageSeconds() } };
  }

  function ageSeconds() {
    return Math.round(performance.now() - obtainedAt) / 1000;
  }
}

function none(what: string, reason: string): { expiredToken: Probe; expiry: ExpiryEvidence } {
  return { expiredToken: notSent(what, reason), expiry: { kind: 'none' } };
}

/** Stops sending once the deployment has given no answer a few times in a row. */
function circuitBreaker() {
  let failures = 0;
  let last: string | undefined;
  return async (what: string, exchange: () => Promise<Exchange>): Promise<Probe> => {
    if (failures === FAILURES_BEFORE_GIVING_UP)
      return notSent(what, `Not sent: ${failures} requests in a row had no answer; the deployment ${last}.`);
    const done = await exchange();
    failures = done.failure === undefined ? 0 : failures + 1;
    last = done.failure;
    return done;
  };
}

async function waitUntil(moment: number, progress: (text: string) => void): Promise<void> {
  for (let left = moment - performance.now(); left > 0; left = moment - performance.now()) {
    progress(`waiting for the token to expire: ${Math.ceil(left / 1000)} s`);
    await sleep(Math.min(left, 1000));
  }
}

function without(form: TokenForm, field: keyof TokenForm): TokenForm {
  const { [field]: _, ...rest } = form;
  return rest;
}

const notSent = (what: string, reason: string): NotSent => ({ what, notSent: reason });
const statusOf = (probe: Probe) => ('id' in probe ? probe.response?.status : undefined);
const isServed = (probe: Probe) => /^2/.test(String(statusOf(probe)));
/** Answers that say nothing about the request itself: a client that waits may get another one. */
const isRefusal = (probe: Probe) => /^(3|4(?!08|29))/.test(String(statusOf(probe)));
const basic = ({ clientId, clientSecret }: Target) =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;

/** A value that no deployment has issued: 192 random bits, of characters that a token may hold (RFC 6750). */
const unguessable = () => randomBytes(24).toString('base64url');

/**
 * `token` with one character changed. It is in the middle of the last part between dots, since the last character
 * of a base64url signature may hold bits that decoders ignore.
 */
export function alter(token: string): string {
  const last = token.lastIndexOf('.') + 1;
  const at = last + Math.floor((token.length - last) / 2);
  const old = token[at] ?? '';
  const replacement = old === 'x' ? 'y' : /\d/.test(old) ? String((Number(old) + 1) % 10) : 'x';
  return token.slice(0, at) + replacement + token.slice(at + 1);
}
