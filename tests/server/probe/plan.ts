/** Sends the requests of a run, in order, and returns what they brought. Each refusal has its acceptance next to it. */
import { offersTokens } from '../support/declared.ts';
import type { Exchange, HealthProbes, NotSent, Observed, Probe } from '../support/evidence.ts';
import type { HealthMethod } from './api.ts';
import { observeExpiry } from './expiry.ts';
import { alter, alterClaims } from './forged-token.ts';
import {
  firstProbes,
  openFeedProbes,
  openProbes,
  type ProbeKey,
  type ProbeRow,
  probeKeys,
  refusedForms,
  renewalProbes,
  type TokenName,
  type TokenRow,
} from './probes.ts';
import type { Run } from './run.ts';
import { createSender, hasStatus, isRefused, isServed, notSent } from './sender.ts';
import { observeUploads } from './uploads.ts';

const NO_TOKEN = 'No token was obtained (see MRS-4.1a and MRS-2a).';

/** Why a row is not sent where there is no token of this name. */
const MISSING: Record<TokenName, string> = {
  first: NO_TOKEN,
  altered: NO_TOKEN,
  'altered claims': 'The token has no parts with dots between them.',
  expired: 'There is none, or it was issued again.',
  renewed: NO_TOKEN,
  another: NO_TOKEN,
};

export async function observe(run: Run): Promise<Observed> {
  const { target, api, secrets, clock, vault, advanceClock, profile, progress } = run;
  const { clientId: client_id, clientSecret: client_secret } = target;
  const validForm = { grant_type: 'client_credentials', client_id, client_secret };
  const send = createSender(clock, progress);
  const probes = new Map<ProbeKey, Probe>();
  const tokens: Partial<Record<TokenName, string>> = {};

  if (!offersTokens(profile)) {
    await sendAll(openFeedProbes);
    return observed({ health: [], expiry: { kind: 'none' }, refusedTokens: [] });
  }

  const kept = vault?.read();
  if (kept) secrets.register(kept.token, 'kept token');
  let obtainedAtMs = Number.NaN;
  await sendAll(firstProbes);

  const health: HealthProbes[] = [];
  for (const path of target.healthPaths) health.push(await observeHealth(path));

  const live =
    tokens.first === undefined
      ? undefined
      : { token: tokens.first, obtainedAtMs, firstCall: probeOf('data.first') };
  const read = (what: string, token: string) => send(what, () => api.readData(what, token));
  const { token, late, expiredToken, expiry } = await observeExpiry({
    target,
    clock,
    send,
    live,
    kept,
    advanceClock,
    read,
    progress,
  });
  probes.set('data.late', late);
  probes.set('data.expiredToken', expiredToken);
  if (token !== undefined) tokens.expired = token;

  await sendAll(renewalProbes);
  keepToken();
  const uploads = await observeUploads({ api, send, profile, target, token: tokens.renewed });
  await sendAll(openProbes);
  const refusedTokens = await sendRefusedForms();
  const { renewed, another } = tokens;
  return {
    ...observed({ health, expiry, refusedTokens }),
    ...(uploads.length > 0 && { uploads }),
    ...(renewed && another && { tokenRepeats: renewed === another }),
    ...(token !== undefined && renewed !== undefined && { renewalRepeats: token === renewed }),
  };

  function probeOf(key: ProbeKey): Probe {
    return probes.get(key) ?? notSent('a request with a token', OFFERS_NO_TOKENS);
  }

  function observed({
    health,
    expiry,
    refusedTokens,
  }: Pick<Observed, 'health' | 'expiry'> & Pick<Observed['open'], 'refusedTokens'>): Observed {
    const groups = { token: {}, data: {}, open: { refusedTokens } } as Record<string, object>;
    for (const key of probeKeys) {
      const [group = '', name = ''] = key.split('.');
      Object.assign(groups[group] as object, { [name]: probeOf(key) });
    }
    return { ...(groups as unknown as Pick<Observed, 'token' | 'data' | 'open'>), health, expiry };
  }

  async function sendAll(rows: readonly ProbeRow[]): Promise<void> {
    for (const row of rows) probes.set(row.key, await sendRow(row));
  }

  async function sendRow(row: ProbeRow): Promise<Probe> {
    if ('post' in row) return (await post(row)).probe;
    if ('path' in row) {
      const { what, method, path } = row;
      return send(what, () => api.askData(what, method, path(api.dataPath), tokens.renewed));
    }
    const { what, read: by } = row;
    if ('anonymous' in by) return send(what, () => api.readData(what));
    if ('bearer' in by) return send(what, () => api.readData(what, by.bearer()));
    if ('basic' in by) return send(what, () => api.readData(what, by.basic(), 'Basic'));
    const bearer = tokenFor(by.token);
    if (bearer === undefined) return notSent(what, MISSING[by.token]);
    return send(what, () => api.readData(what, bearer));
  }

  function tokenFor(name: TokenName): string | undefined {
    const { first, expired, renewed } = tokens;
    if (name === 'expired') return expired === renewed ? undefined : expired;
    if (name === 'altered') return forged(first && alter(first), 'token 1, altered');
    if (name === 'altered claims')
      return forged(first && alterClaims(first), 'token 1, altered in its claims');
    return tokens[name];
  }

  function forged(token: string | undefined, alias: string): string | undefined {
    if (token !== undefined) secrets.register(token, alias);
    return token;
  }

  /** The answer to a form, and the token that it issued. */
  async function post(row: TokenRow): Promise<{ probe: Probe; token?: string | undefined }> {
    const { what, issues, withHeader, wrongSecret } = row;
    if (withHeader && (tokens.first !== undefined || !isRefused(probeOf('token.valid'))))
      return { probe: notSent(what, `${NO_TOKEN.slice(0, -1)}, and the form was not refused.`) };
    if (wrongSecret && target.safe)
      return {
        probe: notSent(what, 'Left out by choice (--safe): some deployments lock a client for it.'),
      };
    const form = row.post(validForm);
    if (wrongSecret && form.client_secret) secrets.register(form.client_secret, 'client secret, altered');
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    let token: string | undefined;
    const probe = await send(what, async () => {
      const answer = await api.obtainToken(what, form, withHeader && `Basic ${basic}`);
      token = answer.token;
      return answer.exchange;
    });
    if (issues && token !== undefined) tokens[issues] = token;
    if (issues === 'first') obtainedAtMs = clock.now();
    return { probe, token };
  }

  async function sendRefusedForms(): Promise<Probe[]> {
    const refusedTokens: Probe[] = [];
    for (const row of refusedForms) {
      const { what } = row;
      const { probe, token: given } = await post(row);
      probes.set(row.key, probe);
      if (given === undefined || !('id' in probe) || isServed(probe)) continue;
      // An error may have a field of this name too. Whether that is a token shows where it is used.
      const tried = await read(`the data with what stood in the place of a token, for ${what}`, given);
      refusedTokens.push(tried);
      if (isServed(tried)) continue;
      probes.set(row.key, isRefused(tried) ? withoutToken(probe) : unclear(what));
    }
    return refusedTokens;
  }

  /** Leaves a token that was seen to be accepted to a later run, unless one is still on its way to expiry. */
  function keepToken() {
    const { tokenLifetimeSeconds: lifetimeSeconds } = target;
    const { renewed } = tokens;
    if (!vault || lifetimeSeconds === undefined || renewed === undefined) return;
    if (!isServed(probeOf('data.freshToken'))) return;
    if (!kept || expiry.kind === 'kept')
      vault.write({ token: renewed, obtainedAt: Date.now(), lifetimeSeconds });
  }

  /** Without a token, and with one, so that a refusal can be recognized. `check` is a path, with a method before it or GET. */
  async function observeHealth(check: string): Promise<HealthProbes> {
    const [path = '', method = 'GET'] = check.split(' ').toReversed();
    const what = `the health check ${check} without a token`;
    const ask = (how: string, by: string, withToken?: string) =>
      send(how, () => api.checkHealth(how, path, by as HealthMethod, withToken));
    const plain = await ask(what, method);
    if (method === 'GET' && hasStatus(plain, 405)) return { plain: await ask(`${what}, by HEAD`, 'HEAD') };
    if (tokens.first === undefined) return { plain };
    return { plain, withToken: await ask(`the health check ${check} with the token`, method, tokens.first) };
  }
}

const OFFERS_NO_TOKENS = 'The profile says that the deployment offers no tokens.';

const unclear = (what: string): NotSent =>
  notSent(what, 'The refusal held what may be a token, and whether it opens the data was not answered.');

/** The probe, whose answer has turned out to hold no token. */
function withoutToken(probe: Exchange): Exchange {
  const { response } = probe;
  if (!response?.tokenResponse) return probe;
  return { ...probe, response: { ...response, tokenResponse: { ...response.tokenResponse, issued: false } } };
}
