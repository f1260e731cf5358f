#!/usr/bin/env node
/** The `mrs` command. */
import { Command, CommanderError } from 'commander';
import { MockError } from '../mocks/mock-error.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { mockCommand } from './mock.ts';
import { verifyCommand } from './verify.ts';

const program = new Command('mrs')
  .description(
    'The contract of the Mitigation Request Service: a mock that serves it, and a suite that judges by it.',
  )
  .addCommand(mockCommand())
  .addCommand(verifyCommand());
for (const command of [program, ...program.commands]) command.exitOverride();

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError || error instanceof MockError) {
    console.error(error.message);
    process.exitCode = 2;
  } else throw error;
}
