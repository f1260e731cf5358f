/** The `mrs` command, run when it is loaded. */

import { Command, CommanderError } from 'commander';
import { MockError } from '../mocks/contract/mock-error.ts';
import { visible } from '../tests/report/text.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { version } from '../tests/support/version.ts';

/** The commands, each loaded when it is asked for: `--help` needs only their names and summaries. */
const COMMANDS: Record<string, { summary: string; load(): Promise<Command> }> = {
  mock: {
    summary: 'serve the contract on this machine',
    load: async () => (await import('./commands/mock.ts')).mockCommand(),
  },
  verify: {
    summary: 'judge a deployment, clause by clause',
    load: async () => (await import('./commands/verify.ts')).verifyCommand(),
  },
  certify: {
    summary: 'examine a client, clause by clause',
    load: async () => (await import('./commands/certify.ts')).certifyCommand(),
  },
  feed: {
    summary: 'judge the records of a feed',
    load: async () => (await import('./commands/feed.ts')).feedCommand(),
  },
  judge: {
    summary: 'judge recorded traffic of a client and a service',
    load: async () => (await import('./commands/judge.ts')).judgeCommand(),
  },
  proxy: {
    summary: 'judge the traffic between a client and a service',
    load: async () => (await import('./commands/proxy.ts')).proxyCommand(),
  },
  fleet: {
    summary: 'judge many deployments, and report on all of them',
    load: async () => (await import('./commands/fleet.ts')).fleetCommand(),
  },
  observe: {
    summary: 'draft a profile of a deployment',
    load: async () => (await import('./commands/verify.ts')).observeCommand(),
  },
  profile: {
    summary: 'show what deployments declare',
    load: async () => (await import('./commands/profile.ts')).profileCommand(),
  },
  prove: {
    summary: 'test the judges on deployments, clients and feeds with known defects',
    load: async () => (await import('./commands/prove.ts')).proveCommand(),
  },
};
const EXAMPLES = `
Examples:
  mrs mock                                             serve the contract
  mrs verify                                           try it on a mock
  mrs verify --base-url https://host --client-id acme  judge a deployment
  mrs certify -- python3 client.py                     examine a client
  mrs feed ods.json                                    judge a feed
  mrs judge traffic.har                                judge recorded traffic
  mrs proxy --target https://host                      judge passing traffic`;

// A variable that is set to nothing counts as not set, except where it leaves open what is judged: a job whose URL is
// empty must not be shown the verdict of the mock.
if (!['verify', 'observe'].includes(process.argv[2] ?? ''))
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('MRS_') && value === '') delete process.env[name];
const [, , first = '', second = ''] = process.argv;
const name = first === 'help' ? second : first;
const asked = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;

const program = new Command('mrs')
  .version(version)
  .enablePositionalOptions() // what follows a client's program is for the client
  .description(
    'The contract of the Mitigation Request Service: a mock that serves it, and judges for deployments, clients and feeds.',
  );
program.addHelpText('after', EXAMPLES).configureHelp({ subcommandTerm: (command) => command.name() });
if (asked) program.addCommand(await asked.load());
else for (const [name, { summary }] of Object.entries(COMMANDS)) program.command(name).summary(summary);
exitByException(program);
// The reader of a pipe may have gone. Any other error, such as a full disk, has lost output that a program may read.
let isReported = false;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isReported) return;
  isReported = true;
  console.error(`The output could not be written: ${message}.`);
  process.on('exit', () => {
    process.exitCode = 2;
  });
});
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof UsageError || error instanceof MockError) {
    console.error(visible(error.message)); // It may quote a file from outside.
    process.exitCode = 2;
  } else {
    // Never 1, which means that a deployment is nonconformant.
    console.error(`Internal error: ${String((error as Error).message).slice(0, 300)}`);
    process.exitCode = 2;
  }
}

/** Makes an invalid option end with the exit code of this program, and not of commander. */
function exitByException(command: Command): void {
  command.exitOverride();
  // The value of a mistyped option may be a secret.
  command.configureOutput({
    outputError: (text, write) => write(text.replace(/(--?[\w-]+)=[^\s']+/g, '$1=…')),
  });
  for (const below of command.commands) exitByException(below);
}
