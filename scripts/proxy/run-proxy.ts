/** `mrs proxy`: forwards until a user ends it, and then judges and writes the reports. */

import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { clearReports, isReplaced } from '../../tests/report/publish.ts';
import { hanging, type Print, usesColor } from '../../tests/report/terminal.ts';
import { inOneLine } from '../../tests/report/text.ts';
import type { Recorded } from '../../tests/server/recorded.ts';
import { interruption } from '../../tests/support/clock.ts';
import { isLoopback } from '../../tests/support/options.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { wrongBaseUrl } from '../../tests/traffic/base-url.ts';
import { publishReport } from '../judge/judge-har.ts';
import { callEvent, callLine } from '../mock/call-log.ts';
import { checkHarFile, createHarFile } from './har-file.ts';
import { type ProxySettings, startProxy } from './proxy.ts';

/** As they are given on the command line. */
interface ProxyOptions extends Omit<ProxySettings, 'authorities' | 'onCall' | 'onTrouble'> {
  /** As PEM. */
  ca?: string[] | undefined;
  har?: string | undefined;
  log?: 'text' | 'json' | undefined;
  reportDir: string;
  /** Whether only errors and the end of the report are printed. */
  quiet: true | undefined;
  print: Print;
}

/** Returns the exit code. Throws UsageError and MockError for what the user can correct. */
export async function runProxy(options: ProxyOptions): Promise<number> {
  const { ca, quiet, print, reportDir, har, log: chosen, ...given } = options;
  const { target, host, port } = given;
  const log = chosen ?? (print === 'text' && process.stderr.isTTY ? 'text' : undefined);
  if (har !== undefined && isReplaced(har, reportDir))
    throw new UsageError(`The reports would replace ${har}. Name another directory by --report-dir.`);
  clearReports(reportDir);
  if (isLoopback(target) && new URL(target).port === String(port))
    throw new UsageError(
      `--target ${target} leads to the proxy itself. Give the address of the service, or another --port.`,
    );
  if (har !== undefined) checkHarFile(har);
  // Most of what passes is garbage at once. By default, V8 lets the heap grow to several times of what is in use.
  setFlagsFromString('--heap-growing-percent=30');
  const startedAt = new Date();
  const signal = interruption();
  const color = usesColor(process.stderr, process.env);
  const onTrouble = (sentence: string) => console.error(hanging('! ', inOneLine(sentence), 0).join('\n'));
  let writeCall: ((recorded: Recorded) => string | undefined) | undefined;
  await using proxy = await startProxy({
    ...given,
    ...{ authorities: ca, onTrouble },
    onCall(call, recorded) {
      if (log) console.error(log === 'json' ? callEvent(call) : callLine(call, color));
      const problem = writeCall?.(recorded);
      if (problem !== undefined) onTrouble(problem);
    },
  });
  // Once it listens: an error before that leaves a file of before as it is. No call is recorded before this.
  const file = har === undefined ? undefined : createHarFile(har, target);
  writeCall = file?.add;
  const everywhere = host === '0.0.0.0' || host === '::' ? ', and on every address of this machine' : '';
  const greeting = `mrs proxy listens on ${proxy.url}${everywhere}
and forwards to ${target}

Give your client this base URL, and leave the rest as it is:

  MRS_BASE_URL=${proxy.url}

Ctrl-C ends it and writes the report${har === undefined ? '' : `; each call is written to ${inOneLine(har)}`}.
`;
  if (print === 'text') console.log(greeting);
  else if (!quiet) console.error(greeting); // Standard output has the report, and nothing else.
  if (!signal.aborted) await once(signal, 'abort');
  await proxy.close();
  const { recording, judged, elsewhere } = await proxy.result();
  const problem = file?.finish(judged);
  if (elsewhere !== undefined) {
    if (problem !== undefined) console.error(`mrs: ${problem}`);
    throw new UsageError(wrongBaseUrl('The token requests', '--target', target, elsewhere));
  }
  const durationMs = Math.max(0, Date.now() - startedAt.getTime());
  const run = { startedAt: startedAt.toISOString(), durationMs, isProxy: true };
  const problems = problem === undefined ? [] : [problem];
  return publishReport(recording, judged, run, { directory: reportDir, print, problems });
}
