/** The flags and the help of a command, from its table of options. */
import { lstatSync } from 'node:fs';
import { type Command, Help, Option } from 'commander';
import {
  type Given,
  isSwitch,
  nameOf,
  type OptionRow,
  type OptionTable,
  readOptions,
  textOfVariable,
} from '../../tests/support/option-table.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

// What several commands share.

export const REPORT_DIR_OPTION = {
  flag: '--report-dir <directory>',
  variable: 'MRS_REPORT_DIR',
  help: 'directory for the reports',
  isForMock: true,
} as const;

export const BASELINE_OPTION = {
  flag: '--baseline <file>',
  variable: 'MRS_BASELINE',
  help: 'file with known deviations that are accepted for a limited time',
} as const;

export const QUIET_OPTION = {
  flag: '--quiet',
  help: 'print only the report to open and the outcome',
} as const;

export const FORMAT_OPTION = {
  flag: '--format <format>',
  help: 'what to print: text, or json for the content of report.json',
  choices: ['text', 'json'],
} as const;

/** The lines of `--help` fit a terminal of this width. */
const HELP_WIDTH = 80;

const tables = new WeakMap<Command, OptionTable>();
const givens = new WeakMap<Command, Given<OptionTable>>();

/** The options of a command. A group of commands has none. */
export const tableOf = (command: Command): OptionTable => tables.get(command) ?? {};

/** Adds the options of `table` to `command`, and what only variables can give to its help. */
export function addOptions(command: Command, table: OptionTable): Command {
  tables.set(command, table);
  for (const row of Object.values(table)) command.addOption(optionOf(row));
  const variables = Object.values(table).filter(({ flag }) => flag === undefined);
  if (variables.length > 0) command.addHelpText('after', `\n${helpOfVariables(variables)}`);
  return command
    .configureHelp({ optionDescription: ({ description }) => description }) // It holds default and variable already.
    .configureOutput({ getOutHelpWidth: () => HELP_WIDTH, getErrHelpWidth: () => HELP_WIDTH });
}

/** Collects what is given. It is checked when all of the command line is known. */
function optionOf(row: OptionRow): Option {
  const { flag = `${flagFor(row)} [value]`, group, isRequired } = row;
  const option = new Option(flag, helpOf(row));
  if (row.flag === undefined) option.hideHelp().preset('');
  if (!isSwitch(flag) && !flag.startsWith('--no-'))
    option.argParser((text, before: string[] = []) => [...before, text]);
  if (group !== undefined) option.helpGroup(group);
  if (isRequired) option.makeOptionMandatory();
  return option;
}

/** What a user may take for the flag of a secret. */
const flagFor = ({ variable = '' }: OptionRow): string =>
  `--${variable.replace(/^MRS_/, '').toLowerCase().replaceAll('_', '-')}`;

/** What a command that runs was given. */
export const givenTo = <Table extends OptionTable>(command: Command): Given<Table> =>
  givens.get(command) as Given<Table>;

/** Reads the options of a command: its flags, or else variables. Its action receives the values. Throws UsageError. */
export function readCommand(command: Command, env: NodeJS.ProcessEnv): void {
  const table = tableOf(command);
  const given = readOptions(
    table,
    (name, row) => {
      const texts: string[] | boolean | undefined = command.getOptionValue(name);
      if (texts === undefined || typeof texts === 'boolean')
        return texts && isSwitch(row.flag) ? ['1'] : textOfVariable(row, env);
      if (row.flag === undefined) throw new UsageError(whereSecretBelongs(row, table));
      if (!texts.includes('')) return texts;
      const advice = `Give a value${row.isRequired ? '' : ', or leave the option out'}.`;
      throw new UsageError(`${nameOf(row)} is empty. ${advice}`);
    },
    env,
  );
  for (const [name, value] of Object.entries(given.values)) command.setOptionValue(name, value);
  givens.set(command, given);
}

/** The value is not repeated. */
function whereSecretBelongs(row: OptionRow, table: OptionTable): string {
  const flag = flagFor(row);
  const file = Object.values(table).some((one) => one.flag?.startsWith(`${flag}-file `));
  const advice = `Set ${row.variable} in the environment${file ? `, or give ${flag}-file` : ''}.`;
  return `${flag} is not an option: every user of a machine can read command lines. ${advice}`;
}

/** The description of an option with its default and its variable. */
function helpOf({ help, default: value, defaultText = value, choices, variable, flag }: OptionRow): string {
  const parts = [
    choices && `(choices: ${choices.join(', ')})`,
    defaultText !== undefined && `(default: ${defaultText})`,
    variable !== undefined && flag !== undefined && `[${variable}]`,
  ];
  return [help, ...parts].filter(Boolean).join(' ');
}

function helpOfVariables(rows: readonly OptionRow[]): string {
  const help = new Help();
  const width = Math.max(...rows.map(({ variable = '' }) => variable.length));
  help.helpWidth = HELP_WIDTH;
  const lines = rows.map((row) => help.formatItem(row.variable ?? '', width, helpOf(row), help));
  return ['Only from the environment, because they are secret:', ...lines].join('\n');
}

/** Prints what a command waits for that reads from a named pipe, such as one of mkfifo. */
export function notePipe(file: string, print: (line: string) => void = console.error): void {
  // `<(...)` of a shell is a link: there is always a writer.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFIFO())
    print(`mrs: ${file} is a named pipe: waiting for what a program writes to it.`);
}
