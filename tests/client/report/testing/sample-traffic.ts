/** What the clients of the sample certificates did, call by call. */

import type { ScenarioResult } from '../../certificate.ts';
import type { Call, Life } from '../../traffic.ts';

/** What each call has unless a sample says otherwise. */
type Told = Partial<Call> & { at: number };

function call(kind: Call['kind'], { at, ...told }: Told): Omit<Call, 'id'> {
  return {
    kind,
    ...{ startMs: at, endMs: at + 12, atMs: at + 1, query: [], misplaced: [] },
    ...(kind === 'token'
      ? {
          ...{ method: 'POST', path: '/token/', target: 'POST /token/', status: 200, reason: 'issued' },
          ...{ accept: 'application/json', contentType: 'application/x-www-form-urlencoded' },
          fields: ['grant_type', 'client_id', 'client_secret'],
        }
      : {
          ...{ method: 'GET', path: '/ods_data/', target: 'GET /ods_data/', status: 200, reason: 'served' },
          ...{ accept: 'application/json', authorization: 'bearer', standing: 'valid' },
        }),
    ...told,
  };
}

/** A token request; it was answered with the token `token`, or not at all where that is left out. */
export const asks = (at: number, told: Partial<Call> = {}) => call('token', { at, ...told });
/** The data, read with the token `token`. */
export const reads = (at: number, token: number, told: Partial<Call> = {}) =>
  call('data', { at, token, ...told });
/** The same, refused since the token is over. */
export const refused = (at: number, token: number, told: Partial<Call> = {}) =>
  reads(at, token, { status: 403, reason: 'expired', standing: 'expired', ...told });

/** Of one scenario. Calls get their numbers in the order of time. */
export function scenario(
  [name, summary]: readonly [name: string, summary: string],
  [agreed, lifetime]: readonly [agreed: number, lifetime: number],
  calls: readonly Omit<Call, 'id'>[],
  told: Partial<ScenarioResult> & { needed?: number; endedAt?: Record<number, number> } = {},
): ScenarioResult {
  const { needed = 1, endedAt = {}, ...rest } = told;
  const sorted = [...calls].sort((a, b) => a.startMs - b.startMs).map((one, at) => ({ id: at + 1, ...one }));
  const issued = sorted.filter(({ kind, status }) => kind === 'token' && status === 200);
  const lives = issued.flatMap(({ token, atMs }): Life[] => {
    if (token === undefined) return [];
    const ended = endedAt[token];
    const life = { number: token, issuedMs: atMs, expiresMs: atMs + lifetime * 1000 };
    return [ended === undefined ? life : { ...life, endedMs: ended }];
  });
  return {
    ...{ name, summary, state: 'seen', callCount: sorted.length, calls: sorted, lives },
    ...{ agreedLifetimeSeconds: agreed, tokenLifetimeSeconds: lifetime },
    durationMs: (sorted.at(-1)?.endMs ?? 0) + 400,
    tokens: { asked: sorted.filter(({ kind }) => kind === 'token').length, needed },
    ...rest,
  };
}

/** Reads every `every` milliseconds, from `from` until before `until`. */
export const readsEvery = (every: number, from: number, until: number, token: number) =>
  Array.from({ length: Math.ceil((until - from) / every) }, (_, nth) => reads(from + nth * every, token));

/** `count` calls of a client that asks for a token on each 403, and is refused with each. */
export const loop = (count: number, from: number, firstToken: number) =>
  Array.from({ length: count }, (_, nth) => {
    const at = from + nth * 24;
    const token = firstToken + Math.floor(nth / 2);
    return nth % 2 === 0
      ? refused(at, token, { reason: 'script', standing: 'valid' })
      : asks(at, { token: token + 1 });
  });
