/** Sends the requests of a run, in order, and returns what they brought. Each refusal has its acceptance next to it. */
import { lastMomentOf } from '../../support/duration.ts';
import {
  type DataRow,
  earlyRows,
  expiredRow,
  feedRows,
  firstRows,
  type ProbeRow,
  renewalForm,
  renewalRows,
  rowsAfterRenewal,
  type TokenName,
  type TokenRow,
} from '../requests.ts';
import { refusesCredentials } from '../support/cause.ts';
import { offersTokens } from '../support/declared.ts';
import {
  type Exchange,
  groupsOf,
  type HealthProbes,
  type NotSent,
  type Observed,
  type Probe,
} from '../support/evidence.ts';
import { decided, settled } from '../support/judgement.ts';
import { observeExpiry } from './expiry.ts';
import { observeHealth } from './health.ts';
import type { Run } from './run.ts';
import { createRunTokens } from './run-tokens.ts';
import { createSender, hasStatus, isRefused, isServed, notSent } from './sender.ts';

const NO_TOKEN = 'No token was obtained (see MRS-4.1a and MRS-2a).';

const REFUSED = 'The credentials were refused. They are not sent again: that may lock the client.';

/** Why a row is not sent where there is no token of this name. */
const MISSING: Record<TokenName, string> = {
  first: NO_TOKEN,
  expired: 'There is no expired token, or the deployment issued it again.',
  renewed: NO_TOKEN,
  another: NO_TOKEN,
  newest: NO_TOKEN,
};

/** How long a run waits for a deployment that gives no decisions, between one request and the next. */
const PAUSES_SECONDS = [1, 2, 4, 8];

/** Between two requests that are sent again. */
const PACE_SECONDS = 0.2;

/** Those whose answers a verdict needs, after the beginning of a run. */
const neededRows: readonly ProbeRow[] = [
  ...earlyRows,
  expiredRow,
  ...renewalRows,
  ...rowsAfterRenewal,
].filter(({ key }) => !key.startsWith('open.'));

/** The rows that issue the tokens which are sent again: an older one may have expired, or lost its place to a newer one. */
const ISSUING: Partial<Record<TokenName, TokenRow>> = Object.fromEntries(
  neededRows.flatMap((row) => ('post' in row && row.issues ? [[row.issues, row]] : [])),
);

export async function observe(run: Run): Promise<Observed> {
  const { target, api, secrets, clock, advanceClock, profile, progress } = run;
  const { clientId: client_id, clientSecret: client_secret } = target;
  const validForm = { grant_type: 'client_credentials', client_id, client_secret };
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const send = createSender(clock, progress);
  const probes = new Map<string, Probe>();
  const tokens = createRunTokens(clock, target.tokenLifetimeSeconds);

  if (!offersTokens(profile)) {
    await sendAll(feedRows);
    return observed({ health: [], expiry: { kind: 'none' }, refusedTokens: [], repeated: [] });
  }

  let isRenewable = true;
  let areRefused = false;
  const repeated: Probe[] = [];
  const refusedTokens: Probe[] = [];
  await sendAll(firstRows);
  await settleBeginning();
  await repeatBeginning();
  discardWhatIsNotAToken();
  areRefused = refusesCredentials({
    valid: probeOf('token.valid'),
    withAuthorization: probeOf('token.withAuthorization'),
  });
  await sendAll(earlyRows);

  const first = tokens.get('first');
  const health: HealthProbes[] = [];
  for (const check of target.healthPaths)
    health.push(await observeHealth(check, { api, send, token: first }));

  const live =
    first === undefined
      ? undefined
      : { token: first, obtainedAtMs: tokens.obtainedAtMs(), firstCall: probeOf('data.first') };
  const read = (what: string, token: string) => send(what, () => api.readData(what, token));
  const {
    token,
    late,
    expiredToken,
    watched = [],
    expiry,
  } = await observeExpiry({
    target,
    clock,
    send,
    live,
    advanceClock,
    read,
    progress,
  });
  probes.set('data.late', late);
  probes.set('data.expiredToken', expiredToken);
  repeated.push(...watched);
  if (token !== undefined) tokens.expire(token);

  await sendAll(renewalRows);
  const renewed = tokens.get('renewed');
  await sendAll(rowsAfterRenewal);
  const another = tokens.get('another');
  await sendAgain();
  return {
    ...observed({ health, expiry, refusedTokens, repeated }),
    ...(renewed && another && { tokenRepeats: renewed === another }),
    ...(token !== undefined &&
      tokens.get('renewed') !== undefined && { renewalRepeats: token === tokens.get('renewed') }),
  };

  function probeOf(key: string): Probe {
    const probe = probes.get(key);
    if (probe) return probe;
    if (offersTokens(profile)) throw new Error(`The request ${key} was left out of the run.`);
    return notSent('a request with a token', OFFERS_NO_TOKENS);
  }

  function observed({
    health,
    expiry,
    refusedTokens,
    repeated,
  }: Pick<Observed, 'health' | 'expiry'> & Pick<Observed['open'], 'refusedTokens' | 'repeated'>): Observed {
    return { ...groupsOf(probeOf, { refusedTokens, repeated }), health, expiry };
  }

  async function sendAll(rows: readonly ProbeRow[]): Promise<void> {
    for (const row of rows) probes.set(row.key, await sendRow(row));
  }

  /**
   * A deployment may hand out one token until it expires, and then the token of this run may be nearly over. A client
   * renews it on a 403 (clause 7) and so does a run, once.
   */
  async function repeatBeginning(): Promise<void> {
    if (!firstRows.some((row) => 'by' in row && hasStatus(probeOf(row.key), 403))) return;
    if (tokens.get('first') === undefined) return;
    repeated.push(...firstRows.map(({ key }) => probeOf(key)).filter((probe) => 'id' in probe));
    await sendAll(firstRows);
  }

  /** Reads of the beginning that had no decision: at the end of a run, their token has expired. */
  async function settleBeginning(): Promise<void> {
    const reads = () => firstRows.filter((row) => 'by' in row && hasNoDecision(row));
    for (const seconds of PAUSES_SECONDS.slice(0, 3)) {
      if (tokens.get('first') === undefined || reads().length === 0) return;
      await pause(seconds);
      for (const row of reads()) if (!(await repeat(row))) break;
    }
  }

  /** What had no decision is sent again once, where the deployment is well by now. */
  async function sendAgain(): Promise<void> {
    const isOpen =
      neededRows.some(hasNoDecision) ||
      refusedTokens.some(isUnsettled) ||
      health.some(({ plain }) => isFault(plain));
    if (!isOpen || !isServed(probeOf('data.first')) || !(await isWell())) return;
    const rows = neededRows.filter((row) => hasNoDecision(row) || 'notSent' in probeOf(row.key));
    const isWrongSecret = (row: ProbeRow) => Number('wrongSecret' in row);
    const reissued = new Set<TokenName>();
    for (const row of rows.toSorted((a, b) => isWrongSecret(a) - isWrongSecret(b))) {
      const name = 'by' in row && isTokenName(row.by) ? row.by : undefined;
      const issuing = name && !reissued.has(name) && ISSUING[name];
      if (issuing && !(await repeatIssuing(issuing, reissued))) continue;
      if (name === 'expired') await outliveToken();
      if (!('post' in row && row.issues)) await repeat(row);
      else if (!reissued.has(row.issues)) await repeatIssuing(row, reissued);
    }
    for (const [nth, check] of target.healthPaths.entries())
      if (isFault(health[nth]?.plain)) {
        repeated.push(...Object.values(health[nth] ?? {}));
        health[nth] = await observeHealth(check, { api, send, token: tokens.newest() });
      }
    await readLive('the data with the newest token, after other requests were sent again');
  }

  /** A token that a run waited for may still be accepted for a moment. */
  async function outliveToken(): Promise<void> {
    if (expiry.kind !== 'waited') return;
    const endsAtMs = tokens.obtainedAtMs() + lastMomentOf(expiry.lifetimeSeconds) * 1000;
    if (endsAtMs > clock.now()) await clock.sleep(endsAtMs - clock.now());
  }

  /** Whether the answer has a decision now. */
  async function repeat(row: ProbeRow): Promise<boolean> {
    const before = probeOf(row.key);
    if ('id' in before) await clock.sleep(PACE_SECONDS * 1000);
    const probe = await sendRow(row);
    if (!('id' in probe)) return false;
    if ('id' in before) repeated.push(before);
    probes.set(row.key, 'id' in before ? { ...probe, again: true } : probe);
    return !hasNoDecision(row);
  }

  async function repeatIssuing(row: TokenRow, reissued: Set<TokenName>): Promise<boolean> {
    const isIssued = (await repeat(row)) && isServed(probeOf(row.key));
    const token = row.issues && tokens.get(row.issues);
    if (!isIssued || !row.issues || token === undefined) return false;
    tokens.add('newest', token);
    reissued.add(row.issues);
    return true;
  }

  /** Waits for a deployment that is out of order or limits requests, until it serves the data with a valid token. */
  async function isWell(): Promise<boolean> {
    let isRenewed = false;
    for (const seconds of [0, ...PAUSES_SECONDS]) {
      if (seconds > 0) await pause(seconds);
      send.resume();
      isRenewable = true;
      const answer = await readLive('the data with the newest token, before other requests are sent again');
      if (isServed(answer)) return true;
      if ('notSent' in answer) return false;
      // The token may have ended with the client's bad ones.
      if (!isRefused(answer) || isRenewed) continue;
      isRenewed = true;
      const { probe } = await post({ ...renewalForm, issues: 'newest' });
      repeated.push(probe);
      if (isServed(await readLive(answer.what))) return true;
    }
    return false;
  }

  async function readLive(what: string): Promise<Probe> {
    const answer = await sendRow({ key: 'data.control', what, by: 'live' });
    repeated.push(answer);
    return answer;
  }

  async function pause(seconds: number): Promise<void> {
    progress(`waiting ${seconds} s for the deployment to recover`);
    await clock.sleep(seconds * 1000);
  }

  /** A request that must be refused has a decision by other statuses than one that must be served. */
  function hasNoDecision({ key, refusedBy }: ProbeRow): boolean {
    const probe = probeOf(key);
    return 'id' in probe && 'verdict' in (refusedBy ? decided : settled)(probe);
  }

  /** What was taken for a token, in another place than the field `token`, is one only if it opens the data. */
  function discardWhatIsNotAToken(): void {
    const valid = probeOf('token.valid');
    if (!isTaken(valid) || isServed(probeOf('data.first'))) return;
    probes.set('token.valid', withToken(valid, false));
    tokens.remove('first');
    const reads = firstRows.filter((row) => 'by' in row);
    refusedTokens.push(...reads.map(({ key }) => probeOf(key)).filter((probe) => 'id' in probe));
    for (const { key, what } of reads) probes.set(key, notSent(what, NO_TOKEN));
  }

  async function sendRow(row: ProbeRow): Promise<Probe> {
    if ('post' in row) return row.refusedBy ? postRefused(row) : (await post(row)).probe;
    if ('path' in row) {
      const { what, method, path, withoutToken } = row;
      const bearer = withoutToken ? undefined : tokens.newest();
      return send(what, () => api.askData(what, method, path(api.dataPath), bearer));
    }
    const { what, by } = row;
    if (by === 'nothing') return send(what, () => api.readData(what));
    if (by === 'credentials')
      return areRefused ? notSent(what, REFUSED) : send(what, () => api.readData(what, basic, 'Basic'));
    if (typeof by === 'object') {
      if ('forged' in by) return readForged(what, by.forged, by.alias);
      if ('bearer' in by) return send(what, () => api.readData(what, by.bearer()));
      return send(what, () => api.readData(what, by.basic(), 'Basic'));
    }
    if (by === 'live') await replaceOldToken();
    const bearer = by === 'live' ? tokens.newest() : tokens.get(by);
    if (bearer === undefined) return notSent(what, by === 'live' ? NO_TOKEN : MISSING[by]);
    const probe = await send(what, () => api.readData(what, bearer));
    if (by !== 'live' || !isRefused(probe)) return probe;
    // A refusal that was cached is over by then; a ban is not.
    repeated.push(probe);
    send.extend(REST_MS / 1000);
    await clock.sleep(REST_MS);
    return send(what, () => api.readData(what, bearer));
  }

  /** A token that is close to its end would be refused for that, and not for having been altered. */
  async function replaceOldToken(): Promise<void> {
    if (!isRenewable || tokens.newest() === undefined || tokens.age() < 0.5) return;
    const { probe, token } = await post({ ...renewalForm, issues: 'newest' });
    repeated.push(probe);
    isRenewable = token !== undefined;
  }

  async function readForged(
    what: string,
    forge: (token: string) => string | undefined,
    alias: string,
  ): Promise<Probe> {
    await replaceOldToken();
    const token = tokens.newest();
    if (token === undefined) return notSent(what, NO_TOKEN);
    if (tokens.age() >= 1) return notSent(what, 'The token has expired, and a new one was not obtained.');
    const forged = forge(token);
    if (forged === undefined || tokens.has(forged))
      return { ...notSent(what, 'A token of this form gives no occasion for it.'), isOptional: true };
    secrets.register(forged, alias);
    return send(what, () => api.readData(what, forged));
  }

  /** The answer to a form, and the token that it issued. */
  async function post(row: TokenRow): Promise<{ probe: Probe; token?: string | undefined }> {
    const { what, issues, withHeader, wrongSecret } = row;
    if (withHeader && (tokens.get('first') !== undefined || !isRefused(probeOf('token.valid'))))
      return { probe: notSent(what, `${NO_TOKEN.slice(0, -1)}, and the form was not refused.`) };
    if (wrongSecret && target.safe)
      return {
        probe: notSent(what, 'Left out by choice (--safe): some deployments lock a client for it.'),
      };
    const form = row.post(validForm);
    if (form === undefined)
      return { probe: { ...notSent(what, 'The credentials give no occasion for it.'), isOptional: true } };
    if (areRefused) return { probe: notSent(what, REFUSED) };
    if (wrongSecret && form.client_secret) secrets.register(form.client_secret, wrongSecret);
    let token: string | undefined;
    const probe = await send(what, async () => {
      const answer = await api.obtainToken(what, form, withHeader && `Basic ${basic}`);
      token = answer.token;
      return answer.exchange;
    });
    if (issues && token !== undefined) tokens.add(issues, token);
    return { probe, token };
  }

  /** A form that must not obtain a token. An error may have a field of this name too: whether that is one shows in use. */
  async function postRefused(row: TokenRow): Promise<Probe> {
    const { what } = row;
    const { probe, token: given } = await post(row);
    // With success, the field of a token response holds a token.
    if (given === undefined || !('id' in probe) || (isServed(probe) && isIssuedBy(probe))) return probe;
    const tried = await read(`the data with what was in the place of a token, for ${what}`, given);
    refusedTokens.push(tried);
    if (isServed(tried)) return withToken(probe, true);
    return isRefused(tried) ? withToken(probe, false) : unclear(what);
  }
}

const isTokenName = (by: DataRow['by']): by is TokenName => typeof by === 'string' && by in MISSING;

/** After which a valid token that was refused is sent once more. */
const REST_MS = 1000;

const OFFERS_NO_TOKENS = 'The profile says that the deployment offers no tokens.';

const unclear = (what: string): NotSent =>
  notSent(what, 'The refusal held what may be a token, and whether it opens the data was not answered.');

/** A health check may say by 503 that the service is not well. */
const isFault = (probe: Probe | undefined) =>
  probe !== undefined && !hasStatus(probe, 503) && 'id' in probe && 'verdict' in decided(probe);

const isUnsettled = (probe: Probe) => 'id' in probe && 'verdict' in settled(probe);

const isIssuedBy = ({ response }: Exchange) => response?.tokenResponse?.issued === true;

const isTaken = (probe: Probe): probe is Exchange =>
  'id' in probe && probe.response?.tokenResponse?.takenFrom !== undefined;

/** The probe, whose answer has turned out to hold a token or not. */
function withToken(probe: Exchange, issued: boolean): Exchange {
  const { response } = probe;
  if (!response?.tokenResponse) return probe;
  const { takenFrom: _, ...tokenResponse } = response.tokenResponse;
  return { ...probe, response: { ...response, tokenResponse: { ...tokenResponse, issued, unclear: false } } };
}
