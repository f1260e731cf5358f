/** The plan of a run, told without a request: it is carried out against a deployment that answers as it should. */

import { createVirtualClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { type Profile, pathOf } from '../support/declared.ts';
import type { Exchange } from '../support/evidence.ts';
import type { Api, TokenForm } from './api.ts';
import { observe } from './plan.ts';
import type { Target } from './target.ts';
import { openVault } from './vault.ts';

interface Planned {
  method: string;
  path: string;
  what: string;
}

/** Lines in 80 columns: each request, then how many there are. Nothing is sent. */
export async function tellPlan(target: Target, profile?: Profile): Promise<string> {
  const planned: Planned[] = [];
  const clock = createVirtualClock();
  let valid = 0;
  let wrongSecret = 0;
  let expiresAtMs = 0;

  const plan = (method: string, path: string, what: string, status: number): Exchange => {
    planned.push({ method, path, what });
    return {
      ...{ id: `x${planned.length}`, what, request: { method, path, headers: [] } },
      ...{ sentAtMs: clock.now(), durationMs: 0 },
      response: { ...{ status, headers: [], bodyBytes: 0, digest: '', excerpt: '' }, json: NO_JSON },
    };
  };
  const isValid = (form: TokenForm) =>
    form.grant_type === 'client_credentials' &&
    form.client_id === target.clientId &&
    form.client_secret === target.clientSecret;

  const dataPath = (profile && pathOf(profile, 'readData')) ?? '/ods_data/';
  const api: Api = {
    async obtainToken(what, form) {
      if (!isValid(form)) {
        if (
          form.client_id === target.clientId &&
          form.client_secret !== undefined &&
          form.client_secret !== target.clientSecret
        )
          wrongSecret++;
        return { exchange: plan('POST', '/token/', what, 400) };
      }
      valid++;
      expiresAtMs = clock.now() + (target.tokenLifetimeSeconds ?? 0) * 1000;
      return { exchange: plan('POST', '/token/', what, 200), token: `planned-${valid}` };
    },
    dataPath,
    async readData(what, token) {
      const isLive = token?.startsWith('planned-') && clock.now() <= expiresAtMs;
      return plan('GET', dataPath, what, isLive ? 200 : 403);
    },
    upload: async (what, path) => plan('POST', path, what, 403),
    askData: async (what, method, path) => plan(method, path, what, 405),
    checkHealth: async (what, path, method = 'GET') => plan(method, path, what, 200),
  };
  const vault = target.tokenVault === undefined ? undefined : openVault(target.tokenVault, target);
  const kept = vault && { read: vault.read, write: () => {} };
  await observe({
    ...{ target, api, secrets: createSecrets(), clock, progress: () => {} },
    ...(kept && { vault: kept }),
    ...(profile && { profile }),
    ...(target.mockControlKey !== undefined && { advanceClock: async () => undefined }),
  });

  return [
    `${target.baseUrl}, client ${target.clientId}. Nothing was sent. A run would send:`,
    '',
    ...planned.map(({ method, path, what }) => `${method.padEnd(7)} ${path.padEnd(11)} ${what}`),
    '',
    `${planned.length} requests, ${valid} of them token requests with valid credentials, ${wrongSecret} with a wrong`,
    'secret for this client. A few more where an answer asks for it; 60 at the most.',
  ].join('\n');
}

const NO_JSON = { wellFormed: false, error: 'nothing was sent' } as const;
