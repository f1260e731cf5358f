/** `mrs proxy`: forwards until a user ends it, and then judges and writes the reports. */
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
import { callEvent, callLine } from '../mock/call-log.ts';
import { checkHarName, writeHar } from './har-file.ts';
import { type ProxySettings, startProxy } from './proxy.ts';

/** As they are given on the command line. */
interface ProxyOptions
  extends Pick<ProxySettings, 'target' | 'port' | 'host' | 'tokenLifetime' | 'healthPaths' | 'processes'> {
  ca?: string;
  har?: string;
  log?: string;
  reportDir: string;
  /** Whether only errors and the end of the report are printed. */
  quiet?: true;
  print: Print;
}

/** Returns the exit code. Throws UsageError and MockError for what the user can correct. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { ca, quiet, print, reportDir, har, ...given } = options;
  const { target } = given;
  const log = given.log ?? (print === 'text' && process.stderr.isTTY ? 'text' : undefined);
  if (har !== undefined && isReplaced(har, reportDir))
    throw new UsageError(`The reports would replace ${har}. Name another directory by --report-dir.`);
  if (har !== undefined) checkHarName(har);
  checkDirectory(reportDir);
  const authorities = ca === undefined ? [] : readAuthorities(ca);
  const startedAt = new Date();
  const signal = interruption();
  const printLine = (line: string) => void process.stderr.write(`${line}\n`);
  const color = usesColor(process.stderr, process.env);
  let isLoop = false;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await using proxy = await startProxy({
    ...given,
    authorities,
    onCall:
      log === undefined
        ? undefined
        : (call) => printLine(log === 'json' ? callEvent(call) : callLine(call, color)),
    onTrouble: (sentence) => printLine(hanging('! ', inOneLine(sentence), 0).join('\n')),
    onLoop() {
      isLoop = true;
      end();
    },
  });
  const text = greeting({ ...given, har, url: proxy.url });
  if (print === 'text') console.log(text);
  else if (!quiet) console.error(text); // Standard output has the report, and nothing else.
  await ended;
  await proxy.close();
  if (isLoop)
    throw new UsageError(
      `--target ${target} leads to the proxy itself. Give the address of the service, or another --port.`,
    );
  const seen = await proxy.result();
  const { recording, judged, elsewhere } = seen;
  const problem = har === undefined ? undefined : writeHar(har, seen);
  if (problem !== undefined) console.error(`mrs: ${problem}`);
  if (elsewhere !== undefined) {
    clearReports(reportDir); // Those of an earlier run would be taken for those of this one.
    throw new UsageError(wrongBaseUrl('The token requests', '--target', target, elsewhere));
  }
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  const run = { startedAt: startedAt.toISOString(), durationMs, isProxy: true };
  const code = publishReport(recording, judged, run, { directory: reportDir, print });
  // The last line must not say more than the exit code.
  if (problem !== undefined && print !== 'json') console.log('outcome: error (1 problem with the recording)');
  return problem === undefined ? code : exitCodes.error;
}

interface Greeted extends Pick<ProxySettings, 'target' | 'host'> {
  url: string;
  /** Where the HAR file is written. */
  har: string | undefined;
}

/** What is printed once the proxy listens. */
function greeting({ url, target, host, har }: Greeted): string {
  const everywhere = host === '0.0.0.0' || host === '::' ? ', and on every address of this machine' : '';
  return [
    `mrs proxy listens on ${url}${everywhere}`,
    `and forwards to ${target}`,
    '',
    'Give your client this base URL, and leave the rest as it is:',
    '',
    `  MRS_BASE_URL=${url}`,
    '',
    `Ctrl-C ends it and writes the report${har === undefined ? '' : ` and ${inOneLine(har)}`}.`,
    '',
  ].join('\n');
}
