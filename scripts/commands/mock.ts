/** `mrs mock`: serves the contract, with tokens that are issued, accepted and expire, and prints the calls. */
import { Command } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { FEW_RECORDS } from '../../mocks/options.ts';
import { withAssumedRecords } from '../../mocks/records.ts';
import { MAKE_KEY } from '../../mocks/tokens.ts';
import { usesColor } from '../../tests/report/terminal.ts';
import { readBounded, SECRET_BYTES } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { Mock } from '../index.ts';
import { callEvent, callLine } from '../mock/call-log.ts';
import { greeting } from '../mock/greeting.ts';
import { listOfAssumptions, listOfDeployments, listOfScenarios } from '../mock/lists.ts';
import { MOCK_OPTIONS, type MockFlags } from './mock-flags.ts';
import { addOptions } from './options.ts';

/** The command, to be added to a program. Its action throws UsageError or MockError for faults that the user can fix. */
export function mockCommand(): Command {
  const command = new Command('mock')
    .summary('serve the contract on this machine')
    .description(
      'Serves the contract on this machine: issues tokens, accepts them for the data and lets them expire. ' +
        'Each option has an environment variable (in brackets); the option takes precedence. ' +
        'Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
    );
  return addOptions(command, MOCK_OPTIONS)
    .addHelpText('after', EXAMPLES)
    .allowExcessArguments(false)
    .action(run);
}

const EXAMPLES = `
Examples:
  mrs mock                                       the demo client on port 4010
  mrs mock --port 0 --client a:s3cret:30s        any free port, tokens live 30 s
  MRS_CLIENT=a:s3cret mrs mock --base-path /api  a secret that is in no argument`;

async function run(flags: MockFlags): Promise<void> {
  if (flags.assumptions) {
    const profile = loadContract(await loadProfile(flags.profile));
    const contract = await withAssumedRecords(profile, recordsOf(flags));
    return console.log(listOfAssumptions(contract.assumptions));
  }
  if (flags.listDefects) {
    const { defects } = await import('../../mocks/deployments/defects.ts');
    const { variants } = await import('../../mocks/deployments/variants.ts');
    return console.log(listOfDeployments(defects, variants).join('\n\n'));
  }
  if (flags.listScenarios) return console.log(listOfScenarios());
  await serve(flags);
}

/** Serves the mock that the options describe until the process is ended. */
async function serve(flags: MockFlags): Promise<void> {
  const { assumptions, listDefects, listScenarios, client, control, log, quiet, ...more } = flags;
  const { tokenKey: keyFile, ...options } = more;
  const tokenKey = keyFile === undefined ? undefined : keyIn(keyFile);
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
  const keyIsGiven = controlKey !== undefined;
  console.log(
    log === 'json'
      ? JSON.stringify({ event: 'ready', ...ready, ...(keyIsGiven && { key: undefined }) })
      : greeting(mock, flags, tokenKey !== undefined, keyIsGiven),
  );
  printCalls(mock, flags);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
}

/** A defect or a variant differs from the specification in one way, and has no records either. */
const recordsOf = ({ records, profile, defect, variant }: MockFlags): string | number | undefined =>
  records ??
  (profile === SPECIFICATION && defect === undefined && variant === undefined ? FEW_RECORDS : undefined);

/** A pipe that no one reads would stop the mock: there, calls are printed only on request. */
function printCalls(mock: Mock, { quiet, log }: MockFlags): void {
  const format = quiet ? undefined : (log ?? (process.stdout.isTTY ? 'text' : undefined));
  if (!format) return;
  const color = usesColor(process.stdout, process.env);
  mock.onExchange((entry) => {
    process.stdout.write(`${format === 'json' ? callEvent(entry) : callLine(entry, color)}\n`);
  });
}

/**
 * The key that replicas share, without the ASCII white space at the end, such as the line end that an editor adds. Throws
 * UsageError for a file that cannot be read. The mock refuses a key that is too short.
 */
export function keyIn(file: string): Uint8Array {
  try {
    const bytes = readBounded(file, SECRET_BYTES);
    const last = bytes.findLastIndex((byte) => byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d));
    return bytes.subarray(0, last + 1);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The token key file "${file}" cannot be read (${code}). Name a file you can read, or make one: ${MAKE_KEY}`,
    );
  }
}
