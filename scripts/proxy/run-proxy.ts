/** `mrs proxy`: forwards and judges until a user ends it, and then writes the reports. */
import { randomBytes } from 'node:crypto';
import { entryOf } from '../../mocks/journal/journal-entry.ts';
import { usesColor } from '../../tests/report/color.ts';
import type { Print } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, isReplaced } from '../../tests/report/report-directory.ts';
import { readAuthorities } from '../../tests/server/probe/http/authorities.ts';
import { exitCodes } from '../../tests/support/outcome.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { wrongBaseUrl } from '../../tests/traffic/base-url.ts';
import type { AgreedLifetimes } from '../../tests/traffic/client-lifetimes.ts';
import { interruption } from '../interruption.ts';
import { publishReport } from '../judge/publish-report.ts';
import { callEvent, callLine, createLineWriter } from '../mock/call-log.ts';
import { proxyGreeting } from './greeting.ts';
import { createHarFile } from './har-file.ts';
import { injectableNamed } from './injectable.ts';
import { type RunningProxy, startProxy } from './start-proxy.ts';

/** As they are given on the command line. */
export interface ProxyOptions {
  target: string;
  port: number;
  host: string;
  ca?: string;
  tokenLifetime?: AgreedLifetimes;
  /** As readHealthPaths returns them. */
  healthPaths?: readonly string[];
  processes: number;
  inject?: { scenario: string; client: string };
  har?: string;
  /** Whether there is a page. */
  control: boolean;
  controlPort: number;
  log?: string;
  reportDir: string;
  print: Print;
}

/** Returns the exit code. Throws UsageError and MockError for what the user can correct. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { target, port, host, ca, tokenLifetime, healthPaths, processes, log, reportDir, print } = options;
  if (options.har !== undefined && isReplaced(options.har, reportDir))
    throw new UsageError(`The reports would replace ${options.har}. Name another directory by --report-dir.`);
  const inject = options.inject && {
    scenario: injectableNamed(options.inject.scenario),
    client: options.inject.client,
  };
  checkDirectory(reportDir);
  const authorities = ca === undefined ? [] : readAuthorities(ca);
  const givenKey = process.env.MRS_MOCK_CONTROL_KEY;
  const key = givenKey ?? randomBytes(24).toString('base64url');
  const startedAt = new Date();
  const signal = interruption();
  const printLine = createLineWriter((text) => void process.stderr.write(text));
  const har = options.har === undefined ? undefined : createHarFile(options.har, target);
  const page = options.control ? { key, port: options.controlPort } : undefined;
  try {
    await using proxy = await startProxy({
      target,
      port,
      host,
      authorities,
      tokenLifetime,
      healthPaths,
      processes,
      inject,
      page,
      har,
      onFinding: (line) => print === 'text' && printLine(line),
    });
    printCalls(proxy, log ?? (print === 'text' && process.stderr.isTTY ? 'text' : undefined), printLine);
    const greeting = proxyGreeting({
      ...proxy,
      target,
      host,
      inject,
      ...(givenKey === undefined && { key }),
    });
    if (print === 'text') console.log(greeting);
    else console.error(greeting); // Standard output has the report, and nothing else.
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await proxy.close();
    const { recording, judged, secrets, elsewhere, proxy: own } = await proxy.result();
    if (elsewhere !== undefined) {
      clearReports(reportDir); // Those of an earlier run would be taken for those of this one.
      await har?.finish(secrets);
      throw new UsageError(wrongBaseUrl('The token requests', '--target', target, elsewhere));
    }
    const run = {
      lifetimes: tokenLifetime,
      startedAt: startedAt.toISOString(),
      durationMs: Math.max(0, Date.now() - startedAt.getTime()),
      proxy: own,
    };
    const code = publishReport(recording, judged, run, { directory: reportDir, print });
    const problem = await har?.finish(secrets); // Last, since a second signal may end it.
    if (problem === undefined) return code;
    console.error(`mrs: ${problem}`);
    return exitCodes.error;
  } finally {
    har?.discard();
  }
}

function printCalls(
  { journal }: RunningProxy,
  format: string | undefined,
  print: (line: string) => void,
): void {
  if (format === undefined) return;
  const color = usesColor(process.stderr, process.env);
  journal.listen((exchange) => {
    const entry = entryOf(exchange);
    print(format === 'json' ? callEvent(entry) : callLine(entry, color));
  });
}
