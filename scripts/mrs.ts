#!/usr/bin/env node
/** The `mrs` command. */
import { Command, CommanderError } from 'commander';
import { MockError } from '../mocks/mock-error.ts';
import { visible } from '../tests/support/report/wording.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { version } from '../tests/support/version.ts';
import { baselineCommand } from './baseline.ts';
import { compareCommand } from './compare.ts';
import { mockCommand } from './mock.ts';
import { proveCommand } from './prove.ts';
import { verifyCommand } from './verify.ts';

const program = new Command('mrs')
  .version(version)
  .description(
    'The contract of the Mitigation Request Service: a mock that serves it, and a suite that judges by it.',
  )
  .addCommand(mockCommand())
  .addCommand(verifyCommand())
  .addCommand(proveCommand())
  .addCommand(compareCommand())
  .addCommand(baselineCommand());
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
  for (const below of command.commands) exitByException(below);
}
