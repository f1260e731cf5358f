/** `mrs mock`: serves the contract, with tokens that are issued, accepted and expire. */
import { Command, Option } from 'commander';
import { loadContract } from '../../mocks/contract/contract.ts';
import { loadProfile, SPECIFICATION } from '../../mocks/contract/profile.ts';
import { defects } from '../../mocks/deployments/defects.ts';
import { variants } from '../../mocks/deployments/variants.ts';
import { parseDuration } from '../../tests/support/duration.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { MockClient } from '../index.ts';
import { listOfAssumptions } from './list-assumptions.ts';
import { listOfDeployments } from './list-deployments.ts';
import { listOfScenarios } from './list-scenarios.ts';
import { greeting } from './mock-greeting.ts';

export interface MockFlags {
  port: number;
  host: string;
  client?: MockClient[];
  tokenLifetime?: number;
  basePath?: string;
  assumptions?: true;
  profile: string;
  records?: string;
  defect?: string;
  variant?: string;
  listDefects?: true;
  clock: 'real' | 'frozen';
  startsAt?: string;
  seed?: string;
  explain?: true;
  journalSize?: number;
  scenarios?: boolean;
  listScenarios?: true;
  control: boolean;
}

/** The command, to be added to a program. Its action throws UsageError or MockError for what its user can put right. */
export function mockCommand(): Command {
  return new Command('mock')
    .summary('serve the contract on this machine')
    .description(
      'Serve the contract on this machine: tokens are issued, open the data and expire. ' +
        'Every option can also be given by the variable that stands behind it; the option wins. ' +
        'Durations are seconds, or a number with a unit: 90, 500ms, 15m, 1h.',
    )
    .addOption(
      new Option('--port <number>', 'port to listen on; 0 takes any free one')
        .env('MRS_PORT')
        .default(4010)
        .argParser(readPort),
    )
    .addOption(
      new Option('--host <address>', 'address to listen on; 0.0.0.0 is reached from outside')
        .env('MRS_HOST')
        .default('127.0.0.1'),
    )
    .addOption(
      new Option(
        '--client <id:secret[:lifetime]>',
        'a client that may obtain tokens, and how long they live; several with commas between, or the flag ' +
          'repeated (default: demo:demo-secret)',
      )
        .env('MRS_CLIENT')
        .argParser(readClients),
    )
    .addOption(
      new Option('--token-lifetime <duration>', 'how long tokens live (default: 15m, as the contract says)')
        .env('MRS_TOKEN_LIFETIME')
        .argParser((text) => parseDuration(text, '--token-lifetime (MRS_TOKEN_LIFETIME)')),
    )
    .addOption(
      new Option('--base-path <path>', 'path before every path, such as /api/v1').env('MRS_BASE_PATH'),
    )
    .addOption(
      new Option(
        '--profile <name|file>',
        'what the deployment declares about the open points; mrs profile list',
      )
        .env('MRS_PROFILE')
        .default(SPECIFICATION),
    )
    .addOption(
      new Option(
        '--records <number|file>',
        "how many records of a schedule on the mock's clock the data holds, under a profile that says what a record " +
          'is (default: 20 there); or a JSON file, served as it is and read again when it changes',
      ).env('MRS_RECORDS'),
    )
    .addOption(
      new Option('--clock <mode>', 'frozen: time moves where the control moves it alone')
        .env('MRS_CLOCK')
        .choices(['real', 'frozen'])
        .default('real'),
    )
    .addOption(
      new Option(
        '--starts-at <date>',
        "when the mock's clock starts, as in 2030-01-01T00:00:00Z (default: now; that date with --seed and --clock frozen)",
      ).env('MRS_STARTS_AT'),
    )
    .addOption(
      new Option('--seed <text>', 'draw tokens, jitter and delays from it, so that they come again').env(
        'MRS_SEED',
      ),
    )
    .addOption(
      new Option(
        '--scenarios',
        'have a client for each scenario beside those of --client; without --client they are there anyway',
      ).env('MRS_SCENARIOS'),
    )
    .addOption(
      new Option('--explain', 'say in headers, such as x-mock-reason, why an answer is what it is').env(
        'MRS_EXPLAIN',
      ),
    )
    .addOption(
      new Option('--journal-size <number>', 'how many exchanges the journal keeps (default: 10000)')
        .env('MRS_JOURNAL_SIZE')
        .argParser(Number),
    )
    .option('--no-control', 'take no orders below /__mock; otherwise for the key in MRS_MOCK_CONTROL_KEY')
    .option('--assumptions', 'print what the mock assumes where the specification is open, and exit')
    .addOption(new Option('--defect <name>', 'break the specification in one way').env('MRS_DEFECT'))
    .addOption(
      new Option('--variant <name>', 'differ in one way where the specification is open').env('MRS_VARIANT'),
    )
    .option('--list-defects', 'print the names of both, and exit')
    .option('--list-scenarios', 'print the client ids that play a scenario, and what they meet, and exit')
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
  if (flags.assumptions)
    return console.log(listOfAssumptions(loadContract(await loadProfile(flags.profile)).assumptions));
  if (flags.listDefects) return console.log(listOfDeployments(defects, variants));
  if (flags.listScenarios) return console.log(listOfScenarios());
  const { port, host, client, tokenLifetime, clock, control, seed, startsAt, scenarios, explain } = flags;
  const { basePath, profile, records, defect, variant, journalSize } = flags;
  const givenKey = process.env.MRS_MOCK_CONTROL_KEY || undefined;
  const { startMock } = await import('../index.ts'); // Prism takes a second, which only this run pays.
  const mock = await startMock({
    port,
    host,
    profile,
    clock,
    ...(records !== undefined && { records }),
    ...(!control ? { controlKey: false } : givenKey && { controlKey: givenKey }),
    ...(client && { clients: client }),
    ...(tokenLifetime !== undefined && { tokenLifetime }),
    ...(seed !== undefined && { seed }),
    ...(startsAt !== undefined && { startsAt }),
    ...(scenarios && { scenarios }),
    ...(explain && { explain }),
    ...(journalSize !== undefined && { journalSize }),
    ...(basePath !== undefined && { basePath }),
    ...(defect !== undefined && { defect }),
    ...(variant !== undefined && { variant }),
  });
  console.log(greeting(mock, flags, givenKey !== undefined));
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  await mock.close();
}

function readPort(text: string): number {
  if (/^\d+$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(
    `--port (MRS_PORT) is "${text}". Give a whole number from 0 to 65535; 0 takes any free port.`,
  );
}

/** The text is never repeated in an error: it may hold a secret. */
function readClients(text: string, before: MockClient[] = []): MockClient[] {
  const read = text.split(',').map((entry, index): MockClient => {
    const [id, secret, lifetime, ...rest] = entry.split(':').map((part) => part.trim());
    if (!id || !secret || rest.length > 0)
      throw new UsageError(
        `--client (MRS_CLIENT): number ${before.length + index + 1} is not of the form id:secret or ` +
          'id:secret:lifetime. An id and a secret hold no colon and no comma.',
      );
    if (lifetime === undefined) return { id, secret };
    return { id, secret, tokenLifetime: readLifetime(lifetime, id) };
  });
  return [...before, ...read];
}

/** What stands in a lifetime's place may be the rest of a secret with a colon in it: not repeated either. */
function readLifetime(text: string, id: string): number {
  try {
    return parseDuration(text);
  } catch {
    throw new UsageError(
      `--client (MRS_CLIENT): what stands behind the second colon of the client "${id}" is no duration. ` +
        'Write seconds, or a number with a unit: 90, 15m, 1h.',
    );
  }
}
