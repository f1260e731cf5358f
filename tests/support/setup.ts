/** Before the tests: carries out the plan against the deployment, and leaves the evidence for them to judge. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createApi } from './api.ts';
import { realClock } from './clock.ts';
import { type Evidence, mapExchanges } from './evidence.ts';
import { createHttp, defaultLimits } from './http.ts';
import { createAdvanceClock } from './mock-clock.ts';
import { observe, type Run } from './plan.ts';
import { createPoliteHttp } from './polite-http.ts';
import { redactExchange } from './redacted-exchange.ts';
import { readBaseline } from './report/baseline.ts';
import { createPublisher } from './report/publish.ts';
import { exitCodes } from './report/report.ts';
import { runSecrets } from './secrets.ts';
import { readTarget, type Target } from './target.ts';
import { openVault } from './vault.ts';
import { version } from './version.ts';

export default async function setup(): Promise<void> {
  // Whoever started this run and is gone does not want it any more.
  process.once('disconnect', () => process.exit(exitCodes.error));
  const file = join(process.env.MRS_SCRATCH ?? '', 'evidence.json');
  process.env.MRS_EVIDENCE_FILE = file;
  const evidence = await gatherForRun();
  const publisher = createPublisher(runSecrets);
  publisher.write(file, `${JSON.stringify(evidence, null, 2)}\n`);
  if (publisher.problems.length > 0) throw new Error(publisher.problems.join(' '));
}

function gatherForRun(): Promise<Evidence> {
  const target = readTarget(process.env);
  if (process.env.MRS_BASELINE) readBaseline(process.env.MRS_BASELINE); // A mistake in it is told first.
  // What judges and reports is started after this, and has no need of them.
  delete process.env.MRS_CLIENT_SECRET;
  delete process.env.MRS_CLIENT_SECRET_FILE;
  delete process.env.MRS_EXPIRED_TOKEN;
  delete process.env.MRS_MOCK_CONTROL_KEY;
  return gather(target, { secrets: runSecrets, clock: realClock, progress: showProgress });
}

/** The evidence of one deployment. `secrets` learns the target's and all that come up on the way. */
export async function gather(
  target: Target,
  { secrets, clock, progress }: Pick<Run, 'secrets' | 'clock' | 'progress'>,
): Promise<Evidence> {
  const { baseUrl, clientId, clientSecret, tokenLifetimeSeconds, expiredToken, healthPaths } = target;
  secrets.register(clientSecret, 'client secret');
  secrets.register(`${clientId}:${clientSecret}`, 'client id and secret');
  if (expiredToken) secrets.register(expiredToken, 'expired token');
  const vault = target.tokenVault === undefined ? undefined : openVault(target.tokenVault, target);

  const startedAt = new Date().toISOString();
  const began = performance.now();
  const { timeoutSeconds: deadlineSeconds, bodyLimitBytes: bodyBytes } = target;
  const plainHttp = createHttp(baseUrl, { ...defaultLimits, deadlineSeconds, bodyBytes });
  const { mockControlKey } = target;
  if (mockControlKey !== undefined) secrets.register(mockControlKey, 'control key');
  const advanceClock =
    mockControlKey === undefined ? undefined : createAdvanceClock(baseUrl, mockControlKey, plainHttp);
  const http = createPoliteHttp(plainHttp, clock);
  const api = createApi(baseUrl, http, secrets, `mrs-contract/${version} (run ${randomUUID()})`);
  try {
    const observed = await observe({
      ...{ target, api, secrets, clock, progress },
      ...(vault && { vault }),
      ...(advanceClock && { advanceClock }),
    });
    return {
      target: secrets.redact({
        ...{ baseUrl, clientId, healthPaths },
        ...(tokenLifetimeSeconds && { tokenLifetimeSeconds }),
      }),
      startedAt,
      durationMs: Math.round(performance.now() - began),
      requests: http.sent(),
      // Once more, now that the last secret is known: an early answer may have held a later token.
      ...mapExchanges(observed, (exchange) => redactExchange(exchange, secrets)),
    };
  } finally {
    progress('');
    await http.close();
  }
}

/** One line that replaces itself, on a terminal alone. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}
