/** The `mrs` command, run when it is loaded. */
import { appendFileSync, existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { MockError } from '../mocks/contract/mock-error.ts';
import { code } from '../tests/report/markdown.ts';
import { clearReports, isReplaced, writeText } from '../tests/report/publish.ts';
import { annotation } from '../tests/report/terminal.ts';
import { refusal } from '../tests/report/text.ts';
import type { DEPLOYMENT_OPTIONS } from '../tests/server/probe/options.ts';
import { UsageError } from '../tests/support/usage-error.ts';
import { version } from '../tests/support/version.ts';
import { givenTo, readCommand, tableOf } from './commands/options.ts';

const SUMMARIES: Readonly<Record<string, string>> = {
  mock: 'serve the contract on this machine',
  verify: 'judge a deployment, clause by clause',
  certify: 'examine a client, clause by clause',
  feed: 'judge the records of a feed',
  watch: 'watch feeds, and say what goes wrong over time',
  judge: 'judge recorded traffic of a client and a service',
  proxy: 'judge the traffic between a client and a service',
  fleet: 'judge many deployments, and report on all of them',
  observe: 'draft a profile of a deployment',
  profile: 'show what deployments declare',
  explain: 'say what a requirement or a rule asks for',
  prove: 'test the judges on deployments, clients and feeds with known defects',
};

/** A command is loaded when it is asked for: `--help` needs only their names and summaries. */
const LOAD: Readonly<Record<string, () => Promise<Command>>> = {
  mock: async () => (await import('./commands/mock.ts')).mockCommand(),
  verify: async () => (await import('./commands/verify.ts')).verifyCommand(),
  certify: async () => (await import('./commands/certify.ts')).certifyCommand(),
  feed: async () => (await import('./commands/feed.ts')).feedCommand(),
  watch: async () => (await import('./commands/watch.ts')).watchCommand(),
  judge: async () => (await import('./commands/judge.ts')).judgeCommand(),
  proxy: async () => (await import('./commands/proxy.ts')).proxyCommand(),
  fleet: async () => (await import('./commands/fleet.ts')).fleetCommand(),
  observe: async () => (await import('./commands/verify.ts')).observeCommand(),
  profile: async () => (await import('./commands/profile.ts')).profileCommand(),
  explain: async () => (await import('./commands/explain.ts')).explainCommand(),
  prove: async () => (await import('./commands/prove.ts')).proveCommand(),
};

const EXAMPLES = `
Examples:
  mrs mock                                             serve the contract
  mrs verify                                           try it on a mock
  mrs verify --base-url https://host --client-id acme  judge a deployment
  mrs certify -- python3 client.py                     examine a client
  mrs feed ods.json                                    judge a feed
  mrs watch https://host/ods.json                      watch a feed over time
  mrs judge traffic.har                                judge recorded traffic
  mrs proxy --target https://host                      judge passing traffic`;

/** Also variables of reference clients, and of Kubernetes for a service with a name such as "mrs" or "mrs-mock". */
const OF_OTHERS =
  /^(?!MRS_)|^MRS_(DATA_URL|POLL_INTERVAL|READERS|PRINT|(\w+_)?(SERVICE_(HOST|PORT)|PORT(_\d+_(TCP|UDP))?)(_\w+)?)$/;

// A variable that is set to nothing counts as not set, except where it leaves open what is judged: a job whose URL is
// empty must not be shown the verdict of the mock.
const [, , first = '', second = ''] = process.argv;
const name = first === 'help' ? second : first;
if (!['verify', 'observe'].includes(name))
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('MRS_') && value === '') delete process.env[name];
const load = Object.hasOwn(LOAD, name) ? LOAD[name] : undefined;

let hasBegun = false;
const program = new Command('mrs')
  .version(version)
  .enablePositionalOptions() // what follows a client's program is for the client
  .description(
    'The contract of the Mitigation Request Service: a mock that serves it, and judges for deployments, clients and feeds.',
  )
  .addHelpText('after', EXAMPLES)
  .hook('preAction', async (_, command) => {
    readCommand(command, process.env);
    await checkVariables(command);
    hasBegun = true;
  })
  .configureHelp({ subcommandTerm: (command) => command.name() });
if (load) program.addCommand(await load());
else for (const [name, summary] of Object.entries(SUMMARIES)) program.command(name).summary(summary);
exitByException(program);
// The reader of a pipe may have gone. Any other error, such as a full disk, has lost output that a program may read.
let isReported = false;
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || isReported) return;
  isReported = true;
  console.error(`The output could not be written: ${message}.`);
  process.prependListener('exit', () => {
    process.exitCode = 2;
  });
});
process.stderr.on('error', () => {});

try {
  await program.parseAsync();
} catch (error) {
  // Never 1, which means that a deployment is nonconformant.
  process.exitCode = error instanceof CommanderError && error.exitCode === 0 ? 0 : 2;
  if (process.exitCode === 2 && !hasBegun) await clearEarlier();
  if (error instanceof UsageError || error instanceof MockError) {
    const said = refusal(error.message); // It may quote a file from outside.
    console.error(said);
    annotate(said);
  } else if (!(error instanceof CommanderError))
    console.error(`Internal error: ${String((error as Error).message).slice(0, 300)}`);
}

function variablesOf(command: Command): string[] {
  return Object.values(tableOf(command)).flatMap(({ variable }) => variable ?? []);
}

/** Throws UsageError for a variable that is set and that no command has: its value would be ignored. */
async function checkVariables(command: Command): Promise<void> {
  const own = variablesOf(command);
  const strange = Object.keys(process.env).filter((one) => !OF_OTHERS.test(one) && !own.includes(one));
  if (strange.length === 0 || command.name() === 'report') return; // It does not know which variables a fleet names.
  const isOfClient = name === 'certify'; // A client may have variables of its own.
  const commands = isOfClient ? [command] : await Promise.all(Object.values(LOAD).map((loaded) => loaded()));
  const known = commands.flatMap(variablesOf);
  const { namedVariables } = await import('./fleet/fleet-file.ts');
  const { headerVariables } = await import('../tests/server/probe/target.ts');
  const named = [
    ...headerVariables(process.env),
    ...(givenTo<typeof DEPLOYMENT_OPTIONS>(command).values.header ?? []).map(({ variable }) => variable),
    ...(name === 'fleet' ? namedVariables(command.processedArgs[0]) : []),
  ];
  for (const variable of strange) {
    const nearest = closest(variable, known);
    // Of the letters after MRS_, a quarter may be wrong.
    const isNear = distance(variable, nearest) <= Math.ceil((variable.length - 4) / 4);
    if (known.includes(variable) || named.includes(variable) || (isOfClient && !isNear)) continue;
    throw new UsageError(
      `${variable} is set, and no command has a variable of that name. ` +
        `${isNear ? `The nearest is ${nearest}. ` : ''}Correct the name, or unset it.`,
    );
  }
}

/** Removes the reports of an earlier run, which would be taken for those of the run that is refused before it begins. */
async function clearEarlier(): Promise<void> {
  const loaded = await load?.();
  const command = name === 'fleet' ? loaded?.commands.find((one) => one.name() === second) : loaded;
  const { reportDir: { variable = '', default: value = '' } = {} } = command ? tableOf(command) : {};
  // What follows a mistake is not parsed.
  const end = process.argv.indexOf('--');
  const args = process.argv.slice(2, end === -1 ? undefined : end);
  const given = args.findLast((one, at) => args[at - 1] === '--report-dir' || /^--report-dir=/.test(one));
  const directory = given?.replace(/^--report-dir=/, '') || process.env[variable] || value;
  const isKept = args.includes('--dry-run') || args.includes('--list');
  try {
    // The directory may hold what was to be judged, such as a feed.
    if (isKept || args.some((one) => isReplaced(one, directory)) || !existsSync(directory)) return;
    clearReports(directory);
  } catch {
    // No run can report there.
  }
}

/** Shows in GitHub Actions why nothing was judged: at the job, and in its summary. */
function annotate(sentence: string): void {
  if (process.env.GITHUB_ACTIONS !== 'true') return;
  console.error(annotation('error', `mrs ${name}`, sentence));
  const { GITHUB_STEP_SUMMARY: summary } = process.env;
  const text = `## ! error: nothing was judged\n\n${code(sentence)}\n`;
  if (summary) writeText(appendFileSync, summary, text);
}

/** What commander says of an unknown option, without its value: that may be a secret. */
function withoutValue(text: string): string {
  const [begin] = /^error: unknown option '(?:--[\w-]*|-\w?)/.exec(text) ?? [];
  const end = text.lastIndexOf("'\n");
  return begin === undefined || end <= begin.length ? text : `${begin}=…${text.slice(end)}`;
}

/** Makes an invalid option end with the exit code of this program, and not of commander. */
function exitByException(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    outputError: (text, write) => {
      const said = refusal(withoutValue(text));
      write(said);
      annotate(said.trim());
    },
  });
  for (const below of command.commands) exitByException(below);
}
