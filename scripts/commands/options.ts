/** The options of a command as a table: each row makes the flag, its environment variable, the help and the docs. */
import { lstatSync } from 'node:fs';
import { type Command, Help, Option } from 'commander';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface OptionRow {
  /** As in `--port <number>`. Absent where only a variable can give the value, because it is a secret. */
  flag?: string;
  /** The environment variable with the same meaning. The flag takes precedence. */
  variable?: string;
  /** A phrase that begins with a verb or a noun and names the unit. */
  help: string;
  /** As a user would write it. */
  default?: string;
  /** Shown as the default where it depends on other options, or is known elsewhere. */
  defaultText?: string;
  choices?: readonly string[];
  isRequired?: true;
  /** The name of an option that cannot be given with this one. */
  conflicts?: string;
  /** The heading in the help under which the option is listed. */
  group?: string;
  /**
   * The value of `text`. `name` is what an error message calls the option; `before` is the value of the same flag
   * given earlier on the command line. Throws UsageError.
   */
  parse?(text: string, name: string, before?: unknown): unknown;
}

/** The rows by the name that commander gives to the value: `tokenLifetime` for `--token-lifetime`. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The values of a table, as the action of its command receives them. */
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table as Table[Name] extends Always ? Name : never]: ValueOf<Table[Name]>;
} & {
  [Name in keyof Table as Table[Name] extends Always
    ? never
    : Table[Name] extends { flag: string }
      ? Name
      : never]?: ValueOf<Table[Name]>;
};

type Always = { flag: string } & ({ default: string } | { isRequired: true } | { flag: `--no-${string}` });
type ValueOf<Row extends OptionRow> = Row extends { parse(...args: never[]): infer Value }
  ? Value
  : Row extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Row extends { flag: `--no-${string}` }
      ? boolean
      : Row extends { flag: `${string} <${string}` }
        ? string
        : true;

// What several commands share.

export const REPORT_DIR_OPTION = {
  flag: '--report-dir <directory>',
  variable: 'MRS_REPORT_DIR',
  help: 'directory for the reports',
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

const ON = /^(1|true|yes|on)$/i;
const OFF = /^(0|false|no|off)?$/i;

/** The lines of `--help` fit a terminal of this width. */
const HELP_WIDTH = 80;

/** Adds the options of `table` to `command`, and what only variables can give to its help. */
export function addOptions(command: Command, table: OptionTable): Command {
  const rows = Object.values(table);
  for (const row of rows)
    command.addOption(row.flag === undefined ? refusedOption(row, rows) : optionOf(row, row.flag));
  const variables = rows.filter(({ flag }) => flag === undefined);
  if (variables.length > 0) command.addHelpText('after', `\n${helpOfVariables(variables)}`);
  return command
    .configureHelp({ optionDescription: ({ description }) => description }) // It holds default and variable already.
    .configureOutput({ getOutHelpWidth: () => HELP_WIDTH, getErrHelpWidth: () => HELP_WIDTH });
}

/** Says where a secret belongs that is given as an option. The value is not repeated. */
function refusedOption({ variable = '' }: OptionRow, rows: readonly OptionRow[]): Option {
  const flag = `--${variable.replace(/^MRS_/, '').toLowerCase().replaceAll('_', '-')}`;
  const file = rows.some((row) => row.flag?.startsWith(`${flag}-file `)) ? `, or give ${flag}-file` : '';
  return new Option(`${flag} [value]`, variable)
    .hideHelp()
    .preset('')
    .argParser(() => {
      throw new UsageError(
        `${flag} is not an option: every user of a machine can read command lines. Set ${variable} in the environment${file}.`,
      );
    });
}

/** What an error message calls the option. */
export function nameOf({ flag, variable }: OptionRow): string {
  const [name = ''] = flag?.split(' ') ?? [];
  return variable === undefined ? name : flag === undefined ? variable : `${name} (${variable})`;
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

/** The environment with the values of a table's options in their variables, for a process that reads those. */
export function environmentOf<Table extends OptionTable>(
  table: Table,
  values: Partial<OptionValues<Table>>,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const result = { ...env };
  for (const [name, { variable, flag }] of Object.entries(table)) {
    const value = (values as Record<string, unknown>)[name];
    if (variable === undefined) continue;
    if (value !== undefined) result[variable] = value === true ? '1' : String(value);
    else if (isSwitch(flag) && OFF.test(result[variable] ?? '')) delete result[variable];
  }
  return result;
}

function optionOf(row: OptionRow, flag: string): Option {
  const option = new Option(flag, helpOf(row)).conflicts(row.conflicts ?? []);
  const { parse, choices, variable, group, isRequired } = row;
  if (!isSwitch(flag) && !flag.startsWith('--no-'))
    option.argParser((text, before) => {
      if (text === '')
        throw new UsageError(
          `${nameOf(row)} is empty. Give a value${isRequired ? '' : ', or leave the option out'}.`,
        );
      return parse ? parse(text, nameOf(row), before) : text;
    });
  if (choices) option.choices(choices);
  // Commander takes a variable that is set, even to nothing or to "0", for an option that is given.
  const given = (variable !== undefined && process.env[variable]) || '';
  if (variable !== undefined && (isSwitch(flag) ? ON.test(given) : given !== '')) option.env(variable);
  if (row.default !== undefined) option.default(parse ? parse(row.default, nameOf(row)) : row.default);
  if (group !== undefined) option.helpGroup(group);
  if (isRequired) option.makeOptionMandatory();
  return option;
}

const isSwitch = (flag = ''): boolean => /^--(?!no-)[\w-]+$/.test(flag);

/** Throws UsageError for the variable of a switch that says neither yes nor no. */
export function checkSwitches({ options }: Command): void {
  for (const { flags, description } of options) {
    const [, variable = ''] = /\[(MRS_\w+)\]$/.exec(description) ?? [];
    const value = process.env[variable] ?? '';
    if (isSwitch(flags) && !ON.test(value) && !OFF.test(value))
      throw new UsageError(`${variable} is "${value}". Set it to 1, or leave it out.`);
  }
}

function helpOfVariables(rows: readonly OptionRow[]): string {
  const help = new Help();
  const width = Math.max(...rows.map(({ variable = '' }) => variable.length));
  help.helpWidth = HELP_WIDTH;
  const lines = rows.map((row) => help.formatItem(row.variable ?? '', width, helpOf(row), help));
  return ['Only from the environment, because they are secret:', ...lines].join('\n');
}

/** Parses a whole number from `least` to `most`. */
export const wholeNumber =
  (least: number, most: number, hint = '') =>
  (text: string, name: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new UsageError(`${name} is "${text}". Give a whole number from ${least} to ${most}${hint}.`);
  };

/** Collects the values of an option that can be given more than once. */
export const eachValue = (text: string, _name: string, before: unknown = []): string[] => [
  ...(before as string[]),
  text,
];

/** Prints what a command waits for that reads from a named pipe, such as one of mkfifo. */
export function notePipe(file: string, print: (line: string) => void = console.error): void {
  // `<(...)` of a shell is a link: there is always a writer.
  if (lstatSync(file, { throwIfNoEntry: false })?.isFIFO())
    print(`mrs: ${file} is a named pipe: waiting for what a program writes to it.`);
}
