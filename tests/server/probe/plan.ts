/** The requests of a run, in order. Each refusal stands beside an acceptance. */

import type { Clock } from '../../support/clock.ts';
import type { Secrets } from '../../support/secrets.ts';
import type { Profile } from '../support/declared.ts';
import type { Exchange, HealthProbes, Observed, Probe } from '../support/evidence.ts';
import type { Api, HealthMethod, TokenForm } from './api.ts';
import { observeExpiry } from './expiry.ts';
import { alter, alterClaims, unguessable } from './forged-token.ts';
import type { AdvanceClock } from './mock-clock.ts';
import { observeOpenFeed } from './open-feed.ts';
import { createSender, hasStatus, isRefused, isServed, notSent } from './sender.ts';
import type { Target } from './target.ts';
import { observeUploads } from './uploads.ts';
import type { Vault } from './vault.ts';

export interface Run {
  target: Target;
  api: Api;
  secrets: Secrets;
  clock: Clock;
  /** Where tokens of earlier runs are, and one of this run is left. */
  vault?: Vault;
  /** Only where the deployment is this package's own mock. */
  advanceClock?: AdvanceClock;
  /** What the deployment declares about the open points. */
  profile?: Profile;
  /** Is told what is being asked or waited for. */
  progress(text: string): void;
}

/** Carries out the plan. */
export async function observe({
  target,
  api,
  secrets,
  clock,
  vault,
  advanceClock,
  profile,
  progress,
}: Run): Promise<Observed> {
  if (profile?.notOffered.includes('MRS-4.1a')) return observeOpenFeed({ api, clock, progress });
  const { clientId: client_id, clientSecret: client_secret } = target;
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const send = createSender(clock, progress);
  const kept = vault?.read();
  if (kept) secrets.register(kept.token, 'kept token');

  const { probe: valid, token } = await obtain('a form with valid credentials');
  const obtainedAtMs = clock.now();
  const withAuthorization = await observeAuthorization();

  const altered = token === undefined ? undefined : alter(token);
  if (altered !== undefined) secrets.register(altered, 'token 1, altered');
  const calls = {
    first: await readWith('the data with the token', token),
    second: await readWith('the data with the same token again', token),
    third: await readWith('the data with the same token once more', token),
    withoutToken: await read('the data without a token'),
    malformedToken: await read('the data with a bearer header without a token', ''),
    otherScheme: await read('the data with Basic credentials that nobody has', unguessable(), 'Basic'),
    unknownToken: await read('the data with a token that was never issued', unguessable()),
    alteredToken: await readWith('the data with the token, one character altered', altered),
    alteredClaims: await readAlteredClaims(),
  };

  const health: HealthProbes[] = [];
  for (const path of target.healthPaths) health.push(await observeHealth(path));

  const live = token === undefined ? undefined : { token, obtainedAtMs, firstCall: calls.first };
  const {
    token: expired,
    late,
    expiredToken,
    expiry,
  } = await observeExpiry({
    ...{ target, clock, send, live, kept, advanceClock, read, progress },
  });

  // Only now: a deployment may keep no token alive but the newest.
  const again = await obtain('the form with the same credentials again');
  const freshToken = await readWith('the data with the new token', again.token);
  const expiredAgain =
    expired === undefined || expired === again.token
      ? notSent('the data with the expired token again', 'There is none, or it was issued again.')
      : await read('the data with the expired token again', expired);

  keep();
  const uploads = await observeUploads({ ...{ api, send, profile, target }, token: again.token });
  const { open, tokenRepeats } = await observeOpenPoints();
  const { refusals, refusedTokens } = await observeRefusals();

  return {
    token: { ...refusals, valid, withAuthorization, again: again.probe },
    data: { ...calls, late, expiredToken, expiredAgain, freshToken },
    health,
    ...(uploads.length > 0 && { uploads }),
    open: { ...open, refusedTokens },
    ...(tokenRepeats !== undefined && { tokenRepeats }),
    ...(expired !== undefined && again.token !== undefined && { renewalRepeats: expired === again.token }),
    expiry,
  };

  /** Forms that must not obtain a token. Last of all, since a deployment may lock a client for them. */
  async function observeRefusals() {
    const refusedTokens: Probe[] = [];
    // Only at its end is it another one, so that a deployment that looks at a part of it is found out.
    const almost = client_secret.slice(0, -1) + (client_secret.endsWith('x') ? 'y' : 'x');
    secrets.register(almost, 'client secret, altered');
    const post = async (what: string, fields: TokenForm) => {
      const { probe, token: given } = await obtain(what, fields);
      if (given === undefined || !('id' in probe) || isServed(probe)) return probe;
      // An error may have a field of this name too. Whether that is a token shows where it is used.
      const tried = await read(`the data with what stood in the place of a token, for ${what}`, given);
      refusedTokens.push(tried);
      if (isServed(tried)) return probe;
      if (isRefused(tried)) return withoutToken(probe);
      return notSent(
        what,
        'The refusal held what may be a token, and whether it opens the data was not answered.',
      );
    };
    const refusals = {
      withoutGrantType: await post('a form without grant_type', omit('grant_type')),
      otherGrantType: await post('a form with another grant_type', { ...form, grant_type: unguessable() }),
      withoutClientId: await post('a form without client_id', omit('client_id')),
      unknownClientId: await post('a form with an unknown client_id', { ...form, client_id: unguessable() }),
      withoutClientSecret: await post('a form without client_secret', omit('client_secret')),
      emptyClientSecret: await postWrongSecret('a form with an empty client_secret', ''),
      wrongClientSecret: await postWrongSecret('a form with a wrong client_secret', almost),
    };
    return { refusals, refusedTokens };

    async function postWrongSecret(what: string, secret: string): Promise<Probe> {
      if (target.safe)
        return notSent(what, 'Left out by choice (--safe): some deployments lock a client for it.');
      return post(what, { ...form, client_secret: secret });
    }
  }

  /** Late, since a deployment is free to end a token for any of it. */
  async function observeOpenPoints() {
    const ask = (what: string, method: 'GET' | 'HEAD' | 'OPTIONS', path: string) =>
      send(what, () => api.askData(what, method, path, again.token));
    const { dataPath } = api;
    const head = await ask('the data by HEAD', 'HEAD', dataPath);
    const options = await ask('the data by OPTIONS', 'OPTIONS', dataPath);
    const withoutSlash = await ask(
      'the data without the slash at the end of its path',
      'GET',
      dataPath.replace(/\/$/, ''),
    );
    const another = await obtain('the form with the same credentials once more');
    const tokenBefore = await readWith('the data with the token before that', again.token);
    return {
      open: { head, options, withoutSlash, another: another.probe, tokenBefore },
      tokenRepeats: again.token && another.token ? again.token === another.token : undefined,
    };
  }

  /** Leaves a token that was seen to be accepted to a later run, unless one is still on its way to expiry. */
  function keep() {
    const { tokenLifetimeSeconds: lifetimeSeconds } = target;
    if (!vault || lifetimeSeconds === undefined || again.token === undefined || !isServed(freshToken)) return;
    if (!kept || expiry.kind === 'kept')
      vault.write({ token: again.token, obtainedAt: Date.now(), lifetimeSeconds });
  }

  function omit(field: keyof typeof form): TokenForm {
    return Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));
  }

  async function obtain(what: string, fields: TokenForm = form, authorization?: string) {
    let issued: string | undefined;
    const probe = await send(what, async () => {
      const answer = await api.obtainToken(what, fields, authorization);
      issued = answer.token;
      return answer.exchange;
    });
    return { probe, token: issued };
  }

  function read(what: string, withToken?: string, scheme?: 'Basic'): Promise<Probe> {
    return send(what, () => api.readData(what, withToken, scheme));
  }

  async function readAlteredClaims(): Promise<Probe> {
    const what = 'the data with the token, one character of its claims altered';
    const claims = token === undefined ? undefined : alterClaims(token);
    if (claims === undefined) return notSent(what, 'The token has no parts with dots between them.');
    secrets.register(claims, 'token 1, altered in its claims');
    return read(what, claims);
  }

  async function readWith(what: string, withToken: string | undefined): Promise<Probe> {
    return withToken === undefined
      ? notSent(what, 'No token was obtained (see MRS-4.1a and MRS-2a).')
      : read(what, withToken);
  }

  /** Where the form alone is refused: whether the deployment wants the credentials in a header (RFC 7617). */
  async function observeAuthorization(): Promise<Probe> {
    const what = 'the same form with an Authorization header';
    if (token !== undefined || !isRefused(valid))
      return notSent(what, 'No token was obtained (see MRS-4.1a and MRS-2a), and the form was not refused.');
    const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
    return (await obtain(what, form, `Basic ${basic}`)).probe;
  }

  /** Without a token, and with one, so that a refusal can be told. `check` is a path, with a method before it or GET. */
  async function observeHealth(check: string): Promise<HealthProbes> {
    const [path = '', method = 'GET'] = check.split(' ').toReversed();
    const what = `the health check ${check} without a token`;
    const ask = (how: string, by: string, withToken?: string) =>
      send(how, () => api.checkHealth(how, path, by as HealthMethod, withToken));
    const plain = await ask(what, method);
    if (method === 'GET' && hasStatus(plain, 405)) return { plain: await ask(`${what}, by HEAD`, 'HEAD') };
    if (token === undefined) return { plain };
    return { plain, withToken: await ask(`the health check ${check} with the token`, method, token) };
  }
}

/** The probe, of whose answer it has turned out that it holds no token. */
function withoutToken(probe: Exchange): Exchange {
  const { response } = probe;
  if (!response?.tokenResponse) return probe;
  return { ...probe, response: { ...response, tokenResponse: { ...response.tokenResponse, issued: false } } };
}
