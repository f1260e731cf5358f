/** Serves the mock that the options of `mrs mock` describe until the process is ended, and prints its calls. */
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import { usesColor } from '../../tests/report/terminal.ts';
import { FEW_RECORDS, type MockFlags } from '../commands/mock-flags.ts';
import type { Mock } from '../index.ts';
import { callEvent, callLine, createLineWriter } from './call-log.ts';
import { greeting } from './greeting.ts';
import { writeReadyFile } from './ready-file.ts';
import { givenTokenKey } from './token-key.ts';

/** Throws UsageError or MockError for faults that the user can fix. */
export async function serve(flags: MockFlags): Promise<void> {
  const { assumptions, listDefects, listScenarios, client, control, log, quiet, readyFile, ...more } = flags;
  const { tokenKey: keyFile, ...options } = more;
  const tokenKey = givenTokenKey(keyFile, process.env);
  const controlKey = process.env.MRS_MOCK_CONTROL_KEY || undefined;
  const records = recordsOf(flags);
  const { startMock } = await import('../index.ts'); // Prism takes a second, which only a mock pays.
  await using mock = await startMock({
    ...options,
    ...(records !== undefined && { records }),
    ...(client && { clients: client }),
    ...(tokenKey !== undefined && { tokenKey }),
    ...(control ? controlKey !== undefined && { controlKey } : { controlKey: false }),
  });
  const { url, controlKey: key } = mock;
  const ready = { url, ...(key && { key }), pid: process.pid };
  const removeReadyFile = readyFile === undefined ? undefined : writeReadyFile(readyFile, ready);
  const keyIsGiven = controlKey !== undefined;
  const of = { ...options, isReplica: tokenKey !== undefined, isDemo: client === undefined, keyIsGiven };
  console.log(
    log === 'json'
      ? JSON.stringify({ event: 'ready', ...ready, ...(keyIsGiven && { key: undefined }) })
      : greeting(mock, of),
  );
  printCalls(mock, flags);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  removeReadyFile?.();
}

/** A defect or a variant differs from the specification in one way, and has no records either. */
export const recordsOf = ({ records, profile, defect, variant }: MockFlags): string | number | undefined =>
  records ??
  (profile === SPECIFICATION && defect === undefined && variant === undefined ? FEW_RECORDS : undefined);

/** A pipe that no one reads would stop the mock: there, calls are printed only on request. */
function printCalls(mock: Mock, { quiet, log }: MockFlags): void {
  const format = quiet ? undefined : (log ?? (process.stdout.isTTY ? 'text' : undefined));
  if (!format) return;
  const color = usesColor(process.stdout, process.env);
  const print = createLineWriter((text) => void process.stdout.write(text));
  mock.onExchange((entry) => print(format === 'json' ? callEvent(entry) : callLine(entry, color)));
}
