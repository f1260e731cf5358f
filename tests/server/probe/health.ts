/** The requests of a run for health. */
import { partsOf } from '../../support/health-paths.ts';
import type { HealthProbes } from '../support/evidence.ts';
import type { Api, HealthMethod } from './api.ts';
import { hasStatus, type Send } from './sender.ts';

/**
 * Sent without a token, and with one, so that a refusal can be recognized. `check` is a path, with a method before it or
 * GET.
 */
export async function observeHealth(
  check: string,
  { api, send, token }: { api: Api; send: Send; token: string | undefined },
): Promise<HealthProbes> {
  const [method, path] = partsOf(check);
  const what = `the health check ${check} without a token`;
  const ask = (how: string, by: string, withToken?: string) =>
    send(how, () => api.checkHealth(how, path, by as HealthMethod, withToken));
  const plain = await ask(what, method);
  if (method === 'GET' && hasStatus(plain, 405)) return { plain: await ask(`${what}, by HEAD`, 'HEAD') };
  if (token === undefined) return { plain };
  return { plain, withToken: await ask(`the health check ${check} with the token`, method, token) };
}
