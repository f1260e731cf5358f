#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { MockError } from '../mocks/contract/mock-error.ts';
/** The `mrs` command. */
import { visible } from '../tests/report/text.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { version } from '../tests/support/version.ts';

/** Each is loaded when it is asked for: the mock shall not wait for what the suite needs. */
const COMMANDS: Record<string, () => Promise<Command>> = {
  mock: async () => (await import('./commands/mock.ts')).mockCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  certify: async () => (await import('./commands/certify.ts')).certifyCommand(),
  feed: async () => (await import('./commands/feed.ts')).feedCommand(),
  observe: async () => (await import('./commands/observe.ts')).observeCommand(),
  profile: async () => (await import('./commands/profile.ts')).profileCommand(),
  types: async () => (await import('./commands/types.ts')).typesCommand(),
  prove: async () => (await import('./commands/prove.ts')).proveCommand(),
  compare: async () => (await import('./commands/compare.ts')).compareCommand(),
  baseline: async () => (await import('./commands/baseline.ts')).baselineCommand(),
};
/** These mean something by being there at all, so that "0" has to be taken for what it says. */
const SWITCHES = ['MRS_EXPLAIN', 'MRS_SCENARIOS', 'MRS_SAFE', 'MRS_ALLOW_HTTP', 'MRS_ALLOW_UPLOADS'];
for (const [name, value = ''] of Object.entries(process.env)) {
  const isOff = SWITCHES.includes(name) && /^(0|false|no|off)$/i.test(value);
  if (name.startsWith('MRS_') && (value === '' || isOff)) delete process.env[name]; // as if it were not set
}
const asked = COMMANDS[process.argv[2] ?? ''];

const program = new Command('mrs')
  .version(version)
  .enablePositionalOptions() // what stands behind a client's program is for the client
  .description(
    'The contract of the Mitigation Request Service: a mock that serves it, a suite that judges by it, and an examination of clients.',
  );
for (const command of asked ? [asked] : Object.values(COMMANDS)) program.addCommand(await command());
exitByException(program);
// Nobody may be there to read.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError || error instanceof MockError) {
    console.error(visible(error.message)); // It may quote a file that somebody else wrote.
    process.exitCode = 2;
  } else {
    // Never 1, which says that a deployment is nonconformant.
    console.error(`mrs broke down: ${String((error as Error).message).slice(0, 300)}`);
    process.exitCode = 2;
  }
}

/** So that a wrong option ends with the exit code of this program, and not of commander. */
function exitByException(command: Command): void {
  command.exitOverride();
  // What stands behind a mistyped option may be a secret.
  command.configureOutput({
    outputError: (text, write) => write(text.replace(/(--?[\w-]+)=[^\s']+/g, '$1=…')),
  });
  for (const below of command.commands) exitByException(below);
}
