/** `mrs proxy`: forwards and judges until a user ends it, and then writes the reports. */
import { randomBytes } from 'node:crypto';
import { entryOf } from '../../mocks/exchange.ts';
import type { Print } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, isReplaced } from '../../tests/report/publish.ts';
import { hanging, usesColor } from '../../tests/report/terminal.ts';
import { readAuthorities } from '../../tests/server/probe/authorities.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { wrongBaseUrl } from '../../tests/traffic/base-url.ts';
import type { AgreedLifetimes } from '../../tests/traffic/tokens.ts';
import { interruption } from '../interruption.ts';
import { publishReport } from '../judge/judge-har.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';
import { callEvent, callLine, createLineWriter } from '../mock/call-log.ts';
import { proxyGreeting } from './greeting.ts';
import { createHarFile } from './har/har-file.ts';
import { injectableNamed } from './injectable.ts';
import { type RunningProxy, startProxy } from './start-proxy.ts';
import { missedHealthPaths, missingClient } from './unmet.ts';

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
  /** Whether only errors and the end of the report are printed. */
  quiet?: true;
  print: Print;
}

/** Returns the exit code. Throws UsageError and MockError for what the user can correct. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { target, port, host, ca, tokenLifetime, healthPaths, processes, log, reportDir, quiet, print } =
    options;
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
  // The first character is a mark.
  const printWrapped = (text: string) => printLine(hanging(text.slice(0, 2), text.slice(2), 0).join('\n'));
  let isLoop = false;
  let isEnding = false;
  let endLoop = () => {};
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
      // The report has what is found at the end.
      onFinding: (line) => print === 'text' && !isEnding && printWrapped(line),
      onTrouble: (sentence) => printWrapped(`! ${sentence}`),
      onLoop() {
        isLoop = true;
        endLoop();
      },
    });
    printCalls(proxy, log ?? (print === 'text' && process.stderr.isTTY ? 'text' : undefined), printLine);
    const greeting = proxyGreeting({
      ...proxy,
      target,
      host,
      inject,
      har: options.har,
      ...(givenKey === undefined && { key }),
    });
    if (print === 'text') console.log(greeting);
    else if (!quiet) console.error(greeting); // Standard output has the report, and nothing else.
    await new Promise<void>((resolve) => {
      endLoop = resolve;
      if (signal.aborted || isLoop) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    isEnding = true;
    await proxy.close();
    if (isLoop)
      throw new UsageError(
        `--target ${target} leads to the proxy itself. Give the address of the service, or another --port.`,
      );
    const { recording, judged, secrets, elsewhere, proxy: own } = await proxy.result();
    if (elsewhere !== undefined) {
      clearReports(reportDir); // Those of an earlier run would be taken for those of this one.
      printProblem(await har?.finish(secrets, judged));
      throw new UsageError(wrongBaseUrl('The token requests', '--target', target, elsewhere));
    }
    const run = {
      lifetimes: tokenLifetime,
      startedAt: startedAt.toISOString(),
      durationMs: Math.max(0, Date.now() - startedAt.getTime()),
      proxy: own,
    };
    let problem: string | undefined;
    let code: number;
    try {
      code = publishReport(recording, judged, run, { directory: reportDir, print });
    } finally {
      problem = await har?.finish(secrets, judged); // Last, since a second signal may end it.
    }
    const missing = inject && own.injected === 0 && missingClient(inject.client, idsOf(judged));
    const notices = [missing, ...missedHealthPaths(healthPaths ?? [], recording.exchanges)];
    for (const notice of notices) if (notice && !quiet) printWrapped(`! ${secrets.redact(notice)}`);
    printProblem(problem);
    // The last line must not say more than the exit code.
    if (problem !== undefined && print !== 'json')
      console.log('outcome: error (1 problem with the recording)');
    return problem === undefined ? code : exitCodes.error;
  } finally {
    har?.discard();
  }
}

function printProblem(problem: string | undefined): void {
  if (problem !== undefined) console.error(`mrs: ${problem}`);
}

const idsOf = ({ clients }: JudgedRecording): string[] => clients.map(({ id }) => id);

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
