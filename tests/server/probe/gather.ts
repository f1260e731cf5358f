/** Gathers the evidence of one deployment: sends the requests of a run over HTTP, and takes every secret out. */
import { randomUUID } from 'node:crypto';
import { version } from '../../support/version.ts';
import { offersTokens, pathOf } from '../support/declared.ts';
import { type Evidence, mapExchanges } from '../support/evidence.ts';
import { createApi } from './api.ts';
import { createCompare } from './declared-answers.ts';
import { aliasOf, fieldsOf, isKey } from './gateway-headers.ts';
import { createHttp, createThrottledHttp, defaultLimits, verifiesCertificates } from './http.ts';
import { createAdvanceClock } from './mock-clock.ts';
import { observe } from './plan.ts';
import { redactExchange } from './redacted-exchange.ts';
import type { Run } from './run.ts';
import type { Target } from './target.ts';

/** `secrets` learns the target's and all that come up on the way. */
export async function gather(
  target: Target,
  { secrets, clock, progress, profile }: Pick<Run, 'secrets' | 'clock' | 'progress' | 'profile'>,
): Promise<Evidence> {
  const { baseUrl, clientId, tokenLifetimeSeconds, healthPaths, gatewayHeaders = [] } = target;
  registerSecrets(target, secrets);

  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { timeoutSeconds: deadlineSeconds, bodyLimitBytes: bodyBytes } = target;
  const plainHttp = createHttp({ ...defaultLimits, deadlineSeconds, bodyBytes }, target.authorities);
  const { mockControlKey } = target;
  const advanceClock =
    mockControlKey === undefined
      ? undefined
      : createAdvanceClock(baseUrl, mockControlKey, plainHttp, fieldsOf(gatewayHeaders));
  const http = createThrottledHttp(plainHttp, clock);

  const declared = profile && {
    // Where the specification states the path, no profile has a say in it.
    ...(!offersTokens(profile) && { dataPath: pathOf(profile, 'readData') }),
    compare: createCompare(profile),
  };
  const userAgent = target.userAgent ?? `mrs-contract/${version} (run ${randomUUID()})`;
  const api = createApi(baseUrl, http, secrets, userAgent, declared, gatewayHeaders);
  try {
    const observed = await observe({
      target,
      api,
      secrets,
      clock,
      progress,
      ...(advanceClock && { advanceClock }),
      ...(profile && { profile }),
    });
    return {
      ...(profile && {
        profile: { name: profile.name, title: profile.title, notOffered: profile.notOffered },
      }),
      target: secrets.redact({
        baseUrl,
        clientId,
        healthPaths,
        ...(tokenLifetimeSeconds && { tokenLifetimeSeconds }),
        ...(gatewayHeaders.length > 0 && {
          headers: gatewayHeaders.map(({ name, variable }) => ({ name, variable })),
        }),
        ...(target.userAgent !== undefined && { userAgent }),
        ...(target.authorities && { hasOwnAuthorities: true as const }),
      }),
      ...(!verifiesCertificates(process.env) && { certificatesVerified: false as const }),
      startedAt,
      durationMs: Math.round(performance.now() - began),
      requests: http.sent(),
      // Once more, now that the last secret is known: an early answer may have held a later token.
      ...mapExchanges(api.countValues(observed), (exchange) => redactExchange(exchange, secrets)),
    };
  } finally {
    progress('');
    await http.close();
  }
}

/** `secrets` learns those that the target comes with. */
export function registerSecrets(target: Target, secrets: Run['secrets']): void {
  const { clientId, clientSecret, expiredToken, gatewayHeaders = [], mockControlKey } = target;
  if (clientSecret) {
    secrets.register(clientSecret, 'client secret');
    secrets.register(`${clientId}:${clientSecret}`, 'client id and secret', { whole: true });
  }
  if (expiredToken) secrets.register(expiredToken, 'expired token');
  for (const header of gatewayHeaders.filter(isKey)) secrets.register(header.value, aliasOf(header));
  if (mockControlKey !== undefined) secrets.register(mockControlKey, 'control key');
}
