/** A run: sends its requests, in order, and returns what they brought, with every secret taken out. */
import { earlyEnd } from '../../support/clock.ts';
import { createCompare } from '../compare.ts';
import { offersTokens, pathOf } from '../profile.ts';
import { earlyRows, feedRows, firstRows, renewalRows, requests, rowsAfterRenewal } from '../requests.ts';
import { refusesCredentials } from '../support/bans.ts';
import { dataAnswers, ifSent } from '../support/condition.ts';
import {
  type Evidence,
  hasStatus,
  isAnswered,
  mapExchanges,
  notSent,
  type Observed,
  type Probe,
} from '../support/evidence.ts';
import { awaitStart, sendAgain, settle } from './again.ts';
import { openApi, redactExchange } from './api.ts';
import { verifiesCertificates } from './connection.ts';
import { observeExpiry, observeSecondExpiry } from './expiry.ts';
import { NO_TOKEN, type Run, Session, withToken } from './session.ts';
import type { Target } from './target.ts';

/** Gathers the evidence of one deployment over HTTP. `secrets` learns the target's and all that come up on the way. */
export async function gather(
  target: Target,
  run: Pick<Run, 'secrets' | 'clock' | 'progress' | 'profile'> & {
    /**
     * Ends the run: what is under way is aborted, nothing more is sent, and the evidence is what was seen by then. The
     * message of its reason begins a sentence.
     */
    signal?: AbortSignal;
  },
): Promise<Evidence> {
  const { secrets, progress, profile, signal } = run;
  const { baseUrl, clientId, tokenLifetimeSeconds, healthPaths, gatewayHeaders, userAgent } = target;
  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { api, clock, sent, close } = openApi(target, secrets, run.clock, {
    // Where the specification states the path, no profile has a say in it.
    ...(profile && !offersTokens(profile) && { dataPath: pathOf(profile, 'readData') }),
    ...(profile && { compare: createCompare(profile) }),
    ...(signal && { signal }),
  });
  if (signal?.aborted) close();
  signal?.addEventListener('abort', close, { once: true });
  let interrupted: string | undefined;
  const endedEarly = () => {
    const end = earlyEnd(signal, began);
    interrupted ??= end && `${end}, at request ${sent()}.`;
    return interrupted;
  };
  try {
    const observed = await sendRequests({ ...run, target, api, clock, endedEarly });
    const count = api.counter({
      data: dataAnswers(observed),
      forms: requests.flatMap((row) => ('post' in row ? (observed.probes[row.key] ?? []) : [])),
      health: observed.health.flatMap((one): Probe[] => Object.values(one)),
    });
    return {
      ...(interrupted && { interrupted }),
      ...(profile && {
        profile: { name: profile.name, title: profile.title, notOffered: profile.notOffered },
      }),
      target: secrets.redact({
        ...{ baseUrl, clientId, healthPaths },
        ...(target.statesHealthPaths && { statesHealthPaths: true as const }),
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
      ...mapExchanges(observed, (exchange) => redactExchange(count(exchange), secrets)),
    };
  } finally {
    progress('');
    close();
  }
}

const OFFERS_NO_TOKENS = 'The profile says that the deployment offers no tokens.';

/** Sends the requests of the table. Each refusal has its acceptance next to it. */
export async function sendRequests(run: Run): Promise<Observed> {
  const session = new Session(run);
  const { probes, health, refusedTokens, repeated, tokens } = session;
  const observed = { probes, health, refusedTokens, repeated };
  await awaitStart(session);
  if (!offersTokens(run.profile)) {
    await session.sendAll(feedRows);
    await settle(
      session,
      feedRows.filter(({ key }) => key !== 'open.options'),
    );
    for (const { key } of requests) probes[key] ??= notSent('a request with a token', OFFERS_NO_TOKENS);
    return { ...observed, expiry: { kind: 'none' } };
  }
  await sendBeginning(session);
  await session.sendAll(earlyRows);
  for (const check of run.target.healthPaths) health.push(await session.checkHealth(check, tokens.first));
  const firstExpiry = await observeExpiry(session);
  await session.sendAll(renewalRows);
  const { renewed } = tokens;
  await session.sendAll(rowsAfterRenewal);
  const { another } = tokens;
  await sendAgain(session);
  const expiry = await observeSecondExpiry(session, firstExpiry);
  const { expired } = tokens;
  return {
    ...observed,
    expiry,
    ...(renewed && another && { tokenRepeats: renewed === another }),
    ...(expired && tokens.renewed && { renewalRepeats: expired === tokens.renewed }),
  };
}

async function sendBeginning(session: Session): Promise<void> {
  const { probes, repeated, refusedTokens, tokens } = session;
  const reads = firstRows.filter((row) => 'by' in row);
  await session.sendAll(firstRows);
  await settle(session, firstRows);
  // A deployment may hand out one token until it expires, and then the token of this run may be nearly over. A client
  // renews it on a 403 (clause 7) and so does a run, once; and where the answer took longer than the token lives.
  const { tokenLifetimeSeconds: lifetime = Number.POSITIVE_INFINITY } = session.run.target;
  const isOver =
    session.firstTookMs >= lifetime * 1000 || reads.some(({ key }) => hasStatus(probes[key], 403));
  if (tokens.first !== undefined && isOver) {
    repeated.push(...ifSent(...firstRows.map(({ key }) => probes[key])));
    await session.sendAll(firstRows);
  }
  // What was taken for a token, in another place than the field `token`, is one only if it opens the data.
  const valid = probes['token.valid'];
  const isTaken = isAnswered(valid) && valid.response.tokenResponse?.takenFrom !== undefined;
  if (isTaken && dataAnswers(session).length === 0) {
    probes['token.valid'] = withToken(valid, false);
    delete tokens.first;
    for (const { key, what } of reads) {
      refusedTokens.push(...ifSent(probes[key]));
      probes[key] = notSent(what, NO_TOKEN);
    }
  }
  session.areRefused = refusesCredentials({ probes });
}
