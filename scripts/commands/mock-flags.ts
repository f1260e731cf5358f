/** The options of `mrs mock`, in the order of its help: those of startMock, and those of the command only. */
import { OPTIONS } from '../../mocks/options.ts';
import { parseDuration } from '../../tests/support/options.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { MockClient } from '../index.ts';
import { type OptionTable, type OptionValues, wholeNumber } from './options.ts';

const LISTS = 'Lists:';
const OUTPUT = 'What it prints:';

export const MOCK_OPTIONS = {
  port: { ...OPTIONS.port, parse: wholeNumber(0, 65_535, '; 0 picks a free port') },
  host: OPTIONS.host,
  client: {
    flag: '--client <id:secret[:lifetime]>',
    variable: 'MRS_CLIENT',
    help: 'client that may obtain tokens, and their lifetime; separate clients by commas or repeat the flag',
    defaultText: 'demo:demo-secret',
    parse: readClients,
  },
  tokenLifetime: {
    ...OPTIONS.tokenLifetime,
    parse: (text: string, name: string) => parseDuration(text, name),
  },
  basePath: OPTIONS.basePath,
  control: { flag: '--no-control', help: 'disable the control API under /__mock' },
  profile: OPTIONS.profile,
  records: OPTIONS.records,
  scenarios: OPTIONS.scenarios,
  defect: OPTIONS.defect,
  variant: OPTIONS.variant,
  tokenKey: OPTIONS.tokenKey,
  clock: OPTIONS.clock,
  startsAt: OPTIONS.startsAt,
  seed: OPTIONS.seed,
  log: {
    flag: '--log <format>',
    variable: 'MRS_LOG',
    help: 'print a line for each call: text, or json, with a first line that says where the mock listens',
    choices: ['text', 'json'],
    defaultText: 'text on a terminal, otherwise none',
    group: OUTPUT,
  },
  quiet: { flag: '--quiet', help: 'print no line for a call', group: OUTPUT },
  assumptions: {
    flag: '--assumptions',
    help: 'list what the mock assumes where the specification is open, and exit',
    group: LISTS,
  },
  listDefects: { flag: '--list-defects', help: 'list defects and variants, and exit', group: LISTS },
  listScenarios: {
    flag: '--list-scenarios',
    help: 'list the client ids that trigger failures, and exit',
    group: LISTS,
  },
  controlKey: {
    variable: 'MRS_MOCK_CONTROL_KEY',
    help: 'key of the control API',
    defaultText: 'a random key, printed at the start',
  },
} as const satisfies OptionTable;

export type MockFlags = OptionValues<typeof MOCK_OPTIONS>;

/** The text is never repeated in an error: it may hold a secret, also after a second colon. */
function readClients(text: string, name: string, before: unknown = []): MockClient[] {
  const earlier = before as MockClient[];
  const read = text.split(',').map((entry, index): MockClient => {
    const [id, secret, lifetime, ...rest] = entry.split(':').map((part) => part.trim());
    if (!id || !secret || rest.length > 0)
      throw new UsageError(
        `${name}: number ${earlier.length + index + 1} is not of the form id:secret or ` +
          'id:secret:lifetime. An id and a secret hold no colon and no comma.',
      );
    if (lifetime === undefined) return { id, secret };
    try {
      return { id, secret, tokenLifetime: parseDuration(lifetime) };
    } catch {
      throw new UsageError(
        `${name}: what follows the second colon of the client "${id}" is not a duration. ` +
          'Write seconds, or a number with a unit: 90, 15m, 1h.',
      );
    }
  });
  return [...earlier, ...read];
}
