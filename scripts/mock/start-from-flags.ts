/** Starts the mock that the options of `mrs mock` describe, and prints its calls. */
import { SPECIFICATION } from '../../mocks/contract/profile.ts';
import { usesColor } from '../../tests/report/terminal.ts';
import { FEW_RECORDS, type MockFlags } from '../commands/mock-flags.ts';
import type { Mock } from '../index.ts';
import { callEvent, callLine, createLineWriter } from './call-log.ts';
import { greeting } from './greeting.ts';
import type { Ready } from './ready-file.ts';

/** What is secret, and not in an option. */
export interface Keys {
  /** Undefined unless the tokens are shared with other processes. */
  tokenKey?: Uint8Array | undefined;
  /** Of the control API; undefined: a random one. */
  controlKey?: string | undefined;
}

export interface Started {
  mock: Mock;
  ready: Ready;
  /** What is printed first: where it listens. */
  opening: string;
}

/** `pid` is the process to end it by. Throws MockError for options that the mock refuses. */
export async function startFromFlags(flags: MockFlags, keys: Keys, pid = process.pid): Promise<Started> {
  const { assumptions, listDefects, listScenarios, client, control, log, quiet, ...more } = flags;
  const { readyFile, workers, tokenKey: _, ...options } = more;
  const { tokenKey, controlKey } = keys;
  const records = recordsOf(flags);
  const { startMock } = await import('../index.ts'); // Prism takes a second, which only a mock pays.
  const mock = await startMock({
    ...options,
    ...(records !== undefined && { records }),
    ...(client && { clients: client }),
    ...(tokenKey !== undefined && { tokenKey }),
    ...(control ? controlKey !== undefined && { controlKey } : { controlKey: false }),
  });
  const keyIsGiven = givenControlKey() !== undefined;
  const ready = { url: mock.url, ...(mock.controlKey && { key: mock.controlKey }), pid };
  const { key, ...withoutKey } = ready;
  const opening =
    log === 'json'
      ? JSON.stringify({ event: 'ready', ...(keyIsGiven ? withoutKey : ready) })
      : greeting(mock, {
          ...options,
          workers,
          isReplica: tokenKey !== undefined,
          isDemo: client === undefined,
          keyIsGiven,
        });
  return { mock, ready, opening };
}

export const givenControlKey = (): string | undefined => process.env.MRS_MOCK_CONTROL_KEY || undefined;

/** A defect or a variant differs from the specification in one way, and has no records either. */
export const recordsOf = ({ records, profile, defect, variant }: MockFlags): string | number | undefined =>
  records ??
  (profile === SPECIFICATION && defect === undefined && variant === undefined ? FEW_RECORDS : undefined);

/** A pipe that no one reads would stop the mock: there, calls are printed only on request. */
export function printCalls(mock: Mock, { quiet, log }: MockFlags, write = writeOut): void {
  const format = quiet ? undefined : (log ?? (process.stdout.isTTY ? 'text' : undefined));
  if (!format) return;
  const color = usesColor(process.stdout, process.env);
  const print = createLineWriter(write);
  mock.onExchange((entry) => print(format === 'json' ? callEvent(entry) : callLine(entry, color)));
}

const writeOut = (text: string): void => void process.stdout.write(text);
