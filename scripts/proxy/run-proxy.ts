/** `mrs proxy`: forwards and judges until a user ends it, and then writes the reports. */
import type { Print } from '../../tests/report/output.ts';
import { checkDirectory, clearReports, isReplaced } from '../../tests/report/publish.ts';
import { hanging, usesColor } from '../../tests/report/terminal.ts';
import { inOneLine } from '../../tests/report/text.ts';
import { readAuthorities } from '../../tests/server/probe/target.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { exitCodes } from '../../tests/support/verdict.ts';
import { wrongBaseUrl } from '../../tests/traffic/base-url.ts';
import { interruption } from '../interruption.ts';
import { publishReport } from '../judge/judge-har.ts';
import { UNNAMED } from '../judge/judge-recording.ts';
import { callEvent, callLine } from '../mock/call-log.ts';
import { createHarFile } from './har-file.ts';
import { injectableNamed } from './inject.ts';
import { type ProxySettings, startProxy } from './proxy.ts';

/** As they are given on the command line. */
interface ProxyOptions
  extends Pick<ProxySettings, 'target' | 'port' | 'host' | 'tokenLifetime' | 'healthPaths' | 'processes'> {
  ca?: string;
  inject?: { scenario: string; client: string };
  har?: string;
  log?: string;
  reportDir: string;
  /** Whether only errors and the end of the report are printed. */
  quiet?: true;
  print: Print;
}

/** Returns the exit code. Throws UsageError and MockError for what the user can correct. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { ca, quiet, print, reportDir, ...given } = options;
  const { target, tokenLifetime } = given;
  const log = given.log ?? (print === 'text' && process.stderr.isTTY ? 'text' : undefined);
  if (given.har !== undefined && isReplaced(given.har, reportDir))
    throw new UsageError(`The reports would replace ${given.har}. Name another directory by --report-dir.`);
  const inject = given.inject && { ...given.inject, scenario: injectableNamed(given.inject.scenario) };
  checkDirectory(reportDir);
  const authorities = ca === undefined ? [] : readAuthorities(ca);
  const startedAt = new Date();
  const signal = interruption();
  const printLine = (line: string) => void process.stderr.write(`${line}\n`);
  // The first character is a mark.
  const printWrapped = (text: string) => printLine(hanging(text.slice(0, 2), text.slice(2), 0).join('\n'));
  const printProblem = (problem?: string) => problem !== undefined && console.error(`mrs: ${problem}`);
  const color = usesColor(process.stderr, process.env);
  let isLoop = false;
  let isEnding = false;
  let endLoop = () => {};
  const har = given.har === undefined ? undefined : createHarFile(given.har, target);
  try {
    await using proxy = await startProxy({
      ...given,
      authorities,
      inject,
      har,
      onCall:
        log === undefined
          ? undefined
          : (call) => printLine(log === 'json' ? callEvent(call) : callLine(call, color)),
      // The report has what is found at the end.
      onFinding: (line) => print === 'text' && !isEnding && printWrapped(line),
      onTrouble: (sentence) => printWrapped(`! ${sentence}`),
      onLoop() {
        isLoop = true;
        endLoop();
      },
    });
    const text = greeting({ ...given, url: proxy.url, inject });
    if (print === 'text') console.log(text);
    else if (!quiet) console.error(text); // Standard output has the report, and nothing else.
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
    const ids = judged.clients.map(({ id }) => id);
    const missing = inject && own.injected === 0 && missingClient(inject.client, ids);
    if (missing && !quiet) printWrapped(`! ${secrets.redact(missing)}`);
    printProblem(problem);
    // The last line must not say more than the exit code.
    if (problem !== undefined && print !== 'json')
      console.log('outcome: error (1 problem with the recording)');
    return problem === undefined ? code : exitCodes.error;
  } finally {
    har?.discard();
  }
}

interface Greeted extends Pick<ProxySettings, 'target' | 'host' | 'inject'> {
  url: string;
  /** Where the HAR file is written. */
  har?: string | undefined;
}

/** What is printed once the proxy listens. */
function greeting({ url, target, host, inject, har }: Greeted): string {
  const everywhere = host === '0.0.0.0' || host === '::' ? ', and on every address of this machine' : '';
  return [
    `mrs proxy listens on ${url}${everywhere}`,
    `and forwards to ${target}`,
    '',
    'Give your client this base URL, and leave the rest as it is:',
    '',
    `  MRS_BASE_URL=${url}`,
    '',
    ...(inject
      ? [
          `The client ${inOneLine(inject.client)} meets ${inject.scenario.name}: ${inject.scenario.summary}.`,
          '',
        ]
      : []),
    `Ctrl-C ends it and writes the report${har === undefined ? '' : ` and ${inOneLine(har)}`}.`,
    '',
  ].join('\n');
}

const MOST_NAMED = 5;

/** As a sentence, where the client of an injected scenario never came. `seen`: the ids of those that did. */
export function missingClient(client: string, seen: readonly string[]): string | undefined {
  if (seen.includes(client)) return undefined;
  const others = seen
    .filter((id) => id !== UNNAMED)
    .slice(0, MOST_NAMED)
    .join(', ');
  return `No token request had the id ${client} of --client, so nothing was injected. ${
    others === '' ? 'Start that client with the proxy as its base URL.' : `Seen: ${others}. Correct --client.`
  }`;
}
