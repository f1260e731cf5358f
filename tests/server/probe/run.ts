/** A run: sends its requests, in order, and returns what they brought, with every secret taken out. */
import type { Clock } from '../../support/clock.ts';
import { lastMomentOf } from '../../support/clock.ts';
import { partsOf } from '../../support/options.ts';
import type { Secrets } from '../../support/secrets.ts';
import { createCompare } from '../compare.ts';
import type { TokenForm } from '../forge.ts';
import { offersTokens, type Profile, pathOf } from '../profile.ts';
import {
  type DataRow,
  earlyRows,
  expiryRows,
  feedRows,
  firstRows,
  type ProbeRow,
  renewalForm,
  renewalRows,
  requests,
  rowsAfterRenewal,
  type TokenName,
  type TokenRow,
} from '../requests.ts';
import { refusesCredentials } from '../support/cause.ts';
import { decided, ifSent, settled } from '../support/condition.ts';
import {
  type Evidence,
  type Exchange,
  type HealthProbes,
  hasStatus,
  isAnswered,
  isIssued,
  isRefused,
  isServed,
  mapExchanges,
  type NotSent,
  notSent,
  type Observed,
  type Probe,
  type Probes,
} from '../support/evidence.ts';
import { type Api, type Ask, createSender, openApi, redactExchange } from './api.ts';
import { verifiesCertificates } from './connection.ts';
import { type AdvanceClock, observeExpiry } from './expiry.ts';
import type { Target } from './target.ts';

/** What the requests of a run are sent with. */
export interface Run {
  target: Target;
  api: Api;
  secrets: Secrets;
  clock: Clock;
  /** Only where the deployment is this package's own mock. */
  advanceClock?: AdvanceClock | undefined;
  /** What the deployment declares about the open points. */
  profile?: Profile;
  /** Reports what is being asked or waited for. */
  progress(text: string): void;
}

/** Gathers the evidence of one deployment over HTTP. `secrets` learns the target's and all that come up on the way. */
export async function gather(
  target: Target,
  run: Pick<Run, 'secrets' | 'clock' | 'progress' | 'profile'> & {
    /** Ends the run: what is under way is aborted, and nothing more is sent. */
    signal?: AbortSignal;
  },
): Promise<Evidence> {
  const { secrets, clock, progress, profile } = run;
  const { baseUrl, clientId, tokenLifetimeSeconds, healthPaths, gatewayHeaders, userAgent } = target;
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { api, advanceClock, sent, close } = openApi(target, secrets, clock, {
    // Where the specification states the path, no profile has a say in it.
    ...(profile && !offersTokens(profile) && { dataPath: pathOf(profile, 'readData') }),
    ...(profile && { compare: createCompare(profile) }),
  });
  run.signal?.addEventListener('abort', () => void close(), { once: true });
  try {
    const observed = await observe({ target, api, advanceClock, ...run });
    return {
      ...(profile && {
        profile: { name: profile.name, title: profile.title, notOffered: profile.notOffered },
      }),
      target: secrets.redact({
        ...{ baseUrl, clientId, healthPaths },
        ...(tokenLifetimeSeconds && { tokenLifetimeSeconds }),
        ...(gatewayHeaders && {
          headers: gatewayHeaders.map(({ name, variable }) => ({ name, variable })),
        }),
        ...(userAgent !== undefined && { userAgent }),
        ...(target.authorities && { hasOwnAuthorities: true as const }),
      }),
      ...(!verifiesCertificates(process.env) && { certificatesVerified: false as const }),
      startedAt,
      durationMs: Math.round(performance.now() - began),
      requests: sent(),
      // Once more, now that the last secret is known: an early answer may have held a later token.
      ...mapExchanges(api.countValues(observed), (exchange) => redactExchange(exchange, secrets)),
    };
  } finally {
    progress('');
    await close();
  }
}

const NO_TOKEN = 'No token was obtained (see MRS-4.1a and MRS-2a).';
const NO_EXPIRED_TOKEN = 'There is no expired token, or the deployment issued it again.';
const OFFERS_NO_TOKENS = 'The profile says that the deployment offers no tokens.';
const REFUSED = 'The credentials were refused. They are not sent again: that may lock the client.';

/** How long a run waits for a deployment that gives no decisions, between one request and the next. */
const PAUSES_SECONDS = [1, 2, 4, 8];
/** Between two requests that are sent again. */
const PACE_SECONDS = 0.2;
/** After which a valid token that was refused is sent once more. */
const REST_SECONDS = 1;

/** Those whose answers a verdict needs, after the beginning of a run. */
const neededRows: readonly PlannedRow[] = [
  ...earlyRows,
  ...expiryRows.filter(({ key }) => key !== 'data.late'),
  ...renewalRows,
  ...rowsAfterRenewal,
].filter(({ key }) => !key.startsWith('open.'));
const firstReads = firstRows.filter((row) => 'by' in row);

/** Sends the requests of the table. Each refusal has its acceptance next to it. */
export async function observe(run: Run): Promise<Observed> {
  const { target, api, secrets, clock, advanceClock, profile, progress } = run;
  const { clientId: client_id, clientSecret: client_secret } = target;
  const validForm = { grant_type: 'client_credentials', client_id, client_secret };
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const send = createSender(clock, progress);
  const ask = (what: string, request?: Ask) => send(what, () => api.ask(what, request));
  const probes: Probes = {};
  const repeated: Probe[] = [];
  const refusedTokens: Probe[] = [];
  const health: HealthProbes[] = [];
  const tokens: Partial<Record<TokenName, string>> = {};
  let firstAtMs = Number.NaN;
  let newestAtMs = Number.NaN;
  let isRenewable = true;
  let areRefused = false;
  const reissued = new Set<string>();

  if (!offersTokens(profile)) {
    await sendAll(feedRows);
    for (const { key } of requests) probes[key] ??= notSent('a request with a token', OFFERS_NO_TOKENS);
    return { probes, health, refusedTokens, repeated, expiry: { kind: 'none' } };
  }
  await sendAll(firstRows);
  await settleBeginning();
  await repeatBeginning();
  discardWhatIsNotAToken();
  areRefused = refusesCredentials({ probes });
  await sendAll(earlyRows);
  for (const check of target.healthPaths) health.push(await checkHealth(check, tokens.first));

  const { token, late, expiredToken, watched, expiry } = await observeExpiry({
    ...{ target, clock, advanceClock, progress, extend: send.extend },
    read: (what, one) => ask(what, { token: one }),
    live:
      tokens.first === undefined
        ? undefined
        : { token: tokens.first, obtainedAtMs: firstAtMs, firstCall: probes['data.first'] },
  });
  Object.assign(probes, { 'data.late': late, 'data.expiredToken': expiredToken });
  repeated.push(...watched);
  if (token !== undefined) tokens.expired = token;

  await sendAll(renewalRows);
  const { renewed } = tokens;
  await sendAll(rowsAfterRenewal);
  const { another } = tokens;
  await sendAgain();
  return {
    ...{ probes, health, refusedTokens, repeated, expiry },
    ...(renewed && another && { tokenRepeats: renewed === another }),
    ...(token !== undefined && tokens.renewed !== undefined && { renewalRepeats: token === tokens.renewed }),
  };

  async function sendAll(rows: readonly PlannedRow[]): Promise<void> {
    for (const row of rows) probes[row.key] = await sendRow(row);
  }

  /** Sends the request of a row, or says why it is not sent. */
  async function sendRow(row: ProbeRow): Promise<Probe> {
    const { what } = row;
    if ('by' in row) {
      if (row.by === 'live') return readLive(what);
      const { method, path } = row.aside ?? {};
      const given = await credentialsOf(row.by);
      if ('notSent' in given) return { what, ...given };
      return ask(what, { ...given, ...(method && path && { method, path: path(api.dataPath) }) });
    }
    const form = formOf(row);
    if ('notSent' in form) return { what, ...form };
    let token: string | undefined;
    const probe = await send(what, async () => {
      const answer = await api.obtainToken(what, form, row.withHeader && `Basic ${basic}`);
      token = answer.token;
      return answer.exchange;
    });
    if (token === undefined || !('id' in probe)) return probe;
    if (row.issues) keep(row.issues, token);
    return row.refusedBy ? tryToken(probe, token) : probe;
  }

  /** What a form holds, or why it is not sent. */
  function formOf({ post, withHeader, wrongSecret }: TokenRow): TokenForm | Unsent {
    const form = post(validForm);
    if (withHeader && (tokens.first !== undefined || !isRefused(probes['token.valid'])))
      return { notSent: `${NO_TOKEN.slice(0, -1)}, and the form was not refused.` };
    if (wrongSecret && target.safe)
      return { notSent: 'Left out by choice (--safe): some deployments lock a client for it.' };
    if (form === undefined) return { notSent: 'The credentials give no occasion for it.', isOptional: true };
    if (areRefused) return { notSent: REFUSED };
    if (wrongSecret && form.client_secret) secrets.register(form.client_secret, wrongSecret);
    return form;
  }

  /** Of a form that must not obtain a token. An error may have a field of this name too: whether that is one shows in use. */
  async function tryToken(probe: Exchange, token: string): Promise<Probe> {
    const { what } = probe;
    // With success, the field of a token response holds a token.
    if (isServed(probe) && probe.response?.tokenResponse?.issued) return probe;
    const tried = await ask(`the data with what was in the place of a token, for ${what}`, { token });
    refusedTokens.push(tried);
    if (isServed(tried) || isRefused(tried)) return withToken(probe, isServed(tried));
    const why = 'The refusal held what may be a token, and whether it opens the data was not answered.';
    return notSent(what, why);
  }

  /** What a request carries, or why it has nothing to carry. */
  async function credentialsOf(by: Exclude<DataRow['by'], 'live'>): Promise<Ask | Unsent> {
    if (by === 'nothing') return {};
    if (by === 'newest') return { token: newestToken() };
    if (by === 'credentials') return areRefused ? { notSent: REFUSED } : { authorization: `Basic ${basic}` };
    if (typeof by === 'object') return 'header' in by ? { authorization: by.header() } : forge(by);
    // An expired token is one only if no later form returned it again.
    const token = by === 'expired' && tokens.expired === tokens.renewed ? undefined : tokens[by];
    return token === undefined ? { notSent: by === 'expired' ? NO_EXPIRED_TOKEN : NO_TOKEN } : { token };
  }

  // Tokens.

  /** The one that was obtained last: a deployment may keep only that one alive. */
  function newestToken(): string | undefined {
    return tokens.newest ?? tokens.another ?? tokens.renewed ?? tokens.first;
  }

  /** Of the newest token, in lifetimes: at 1 it has expired. 0 where the lifetime is not known. */
  function age(): number {
    const { tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = target;
    return (clock.now() - newestAtMs) / (tokenLifetimeSeconds * 1000);
  }

  function keep(name: TokenName, token: string): void {
    tokens[name] = token;
    newestAtMs = clock.now();
    if (name === 'first') firstAtMs = newestAtMs;
  }

  /** A token that is close to its end would be refused for that, and not for having been altered. */
  async function replaceOldToken(): Promise<void> {
    if (isRenewable && newestToken() !== undefined && age() >= 0.5) isRenewable = await renew();
  }

  async function renew(): Promise<boolean> {
    const probe = await sendRow({ ...renewalForm, issues: 'newest' });
    repeated.push(probe);
    return isAnswered(probe) && isIssued(probe);
  }

  async function readLive(what: string): Promise<Probe> {
    await replaceOldToken();
    const token = newestToken();
    if (token === undefined) return notSent(what, NO_TOKEN);
    const probe = await ask(what, { token });
    if (!isRefused(probe)) return probe;
    // A refusal that was cached is over by then; a ban is not.
    repeated.push(probe);
    send.extend(REST_SECONDS);
    await clock.sleep(REST_SECONDS * 1000);
    return ask(what, { token });
  }

  async function forge({ forged, alias }: Forged): Promise<Ask | Unsent> {
    await replaceOldToken();
    const token = newestToken();
    if (token === undefined) return { notSent: NO_TOKEN };
    if (age() >= 1) return { notSent: 'The token has expired, and a new one was not obtained.' };
    const value = forged(token);
    if (value === undefined || Object.values(tokens).includes(value))
      return { notSent: 'A token of this form gives no occasion for it.', isOptional: true };
    secrets.register(value, alias);
    return { token: value };
  }

  /** Sent without a token, and with one, so that a refusal can be recognized. `check` is a path, or a method and a path. */
  async function checkHealth(check: string, token: string | undefined): Promise<HealthProbes> {
    const [method, path] = partsOf(check) as [NonNullable<Ask['method']>, string];
    const what = `the health check ${check} without a token`;
    const plain = await ask(what, { method, path });
    if (method === 'GET' && hasStatus(plain, 405))
      return { plain: await ask(`${what}, by HEAD`, { method: 'HEAD', path }) };
    if (token === undefined) return { plain };
    const withToken = await ask(`the health check ${check} with the token`, { method, path, token });
    return { plain, withToken };
  }

  // The beginning of a run.

  /** Reads of the beginning that had no decision: at the end of a run, their token has expired. */
  async function settleBeginning(): Promise<void> {
    for (const seconds of PAUSES_SECONDS.slice(0, 3)) {
      const undecided = firstReads.filter(hasNoDecision);
      if (tokens.first === undefined || undecided.length === 0) return;
      await pause(seconds);
      for (const row of undecided) if (!(await repeat(row))) break;
    }
  }

  /**
   * A deployment may hand out one token until it expires, and then the token of this run may be nearly over. A client
   * renews it on a 403 (clause 7) and so does a run, once.
   */
  async function repeatBeginning(): Promise<void> {
    if (tokens.first === undefined || !firstReads.some(({ key }) => hasStatus(probes[key], 403))) return;
    repeated.push(...ifSent(...firstRows.map(({ key }) => probes[key])));
    await sendAll(firstRows);
  }

  /** What was taken for a token, in another place than the field `token`, is one only if it opens the data. */
  function discardWhatIsNotAToken(): void {
    const valid = probes['token.valid'];
    const isTaken = isAnswered(valid) && valid.response.tokenResponse?.takenFrom !== undefined;
    if (!isTaken || isServed(probes['data.first'])) return;
    probes['token.valid'] = withToken(valid, false);
    delete tokens.first;
    for (const { key, what } of firstReads) {
      refusedTokens.push(...ifSent(probes[key]));
      probes[key] = notSent(what, NO_TOKEN);
    }
  }

  // The end of a run: what had no decision is sent again.

  /** A request that must be refused has a decision by other statuses than one that must be served. */
  function hasNoDecision({ key, refusedBy }: PlannedRow): boolean {
    return isUndecided(probes[key], refusedBy ? decided : settled);
  }

  /** Once, where the deployment is well by now. */
  async function sendAgain(): Promise<void> {
    const isOpen =
      neededRows.some(hasNoDecision) ||
      refusedTokens.some((probe) => isUndecided(probe, settled)) ||
      health.some(({ plain }) => isFault(plain));
    if (!isOpen || !isServed(probes['data.first']) || !(await isWell())) return;
    const rows = neededRows.filter((row) => hasNoDecision(row) || ifSent(probes[row.key]).length === 0);
    const isWrongSecret = (row: ProbeRow) => Number('wrongSecret' in row);
    for (const row of rows.toSorted((a, b) => isWrongSecret(a) - isWrongSecret(b))) {
      // An older token may have expired, or lost its place to a newer one.
      const by = 'by' in row ? row.by : undefined;
      const issuing =
        by && neededRows.find((one): one is PlannedRow & TokenRow => 'post' in one && one.issues === by);
      if (issuing && !(await repeatIssuing(issuing))) continue;
      // A token that a run waited for may still be accepted for a moment.
      if (by === 'expired' && expiry.kind === 'waited')
        await clock.sleep(Math.max(0, firstAtMs + lastMomentOf(expiry.lifetimeSeconds) * 1000 - clock.now()));
      if ('post' in row && row.issues) await repeatIssuing(row);
      else await repeat(row);
    }
    for (const [nth, check] of target.healthPaths.entries())
      if (isFault(health[nth]?.plain)) {
        repeated.push(...Object.values(health[nth] ?? {}));
        health[nth] = await checkHealth(check, newestToken());
      }
    await watchLive('the data with the newest token, after other requests were sent again');
  }

  /** Whether the answer has a decision now. */
  async function repeat(row: PlannedRow): Promise<boolean> {
    const before = ifSent(probes[row.key]);
    if (before.length > 0) await clock.sleep(PACE_SECONDS * 1000);
    const probe = await sendRow(row);
    if (!('id' in probe)) return false;
    repeated.push(...before);
    probes[row.key] = before.length > 0 ? { ...probe, again: true } : probe;
    return !hasNoDecision(row);
  }

  /** Whether the row has issued its token once more, now or before. */
  async function repeatIssuing(row: PlannedRow & TokenRow): Promise<boolean> {
    if (reissued.has(row.key)) return true;
    const isIssued = (await repeat(row)) && isServed(probes[row.key]);
    const token = row.issues && tokens[row.issues];
    if (!isIssued || token === undefined) return false;
    keep('newest', token);
    reissued.add(row.key);
    return true;
  }

  /** Waits for a deployment that is out of order or limits requests, until it serves the data with a valid token. */
  async function isWell(): Promise<boolean> {
    let isRenewed = false;
    for (const seconds of [0, ...PAUSES_SECONDS]) {
      if (seconds > 0) await pause(seconds);
      send.resume();
      isRenewable = true;
      const answer = await watchLive('the data with the newest token, before other requests are sent again');
      if (isServed(answer)) return true;
      if ('notSent' in answer) return false;
      // The token may have ended with the client's bad ones.
      if (!isRefused(answer) || isRenewed) continue;
      isRenewed = true;
      await renew();
      if (isServed(await watchLive(answer.what))) return true;
    }
    return false;
  }

  async function watchLive(what: string): Promise<Probe> {
    repeated.push(await readLive(what));
    return repeated.at(-1) as Probe;
  }

  async function pause(seconds: number): Promise<void> {
    progress(`waiting ${seconds} s for the deployment to recover`);
    await clock.sleep(seconds * 1000);
  }
}

type Forged = Extract<DataRow['by'], { alias: string }>;
type Unsent = Omit<NotSent, 'what'>;
type PlannedRow = (typeof requests)[number];

const isUndecided = (probe: Probe | undefined, by: typeof decided): boolean =>
  ifSent(probe).some((one) => 'verdict' in by(one));

/** A health check may say by 503 that the service is not well. */
const isFault = (probe: Probe | undefined): boolean => !hasStatus(probe, 503) && isUndecided(probe, decided);

/** The probe, whose answer has turned out to hold a token or not. */
function withToken(probe: Exchange, issued: boolean): Exchange {
  const { response } = probe;
  if (!response?.tokenResponse) return probe;
  const { takenFrom: _, ...tokenResponse } = response.tokenResponse;
  return { ...probe, response: { ...response, tokenResponse: { ...tokenResponse, issued, unclear: false } } };
}
