/** Options as a table: each row makes a flag, its environment variable, the help and the docs, and checks what is given. */
import { UsageError } from './usage-error.ts';

export interface OptionRow {
  /** As in `--port <number>`. Absent where only a variable can give the value, because it is a secret. */
  flag?: string;
  /** The environment variable with the same meaning. The flag takes precedence. */
  variable?: string;
  /** A phrase that begins with a verb or a noun and names the unit. */
  help: string;
  /** As a user would write it. */
  default?: string;
  /** Shown as the default where it depends on other options. */
  defaultText?: string;
  choices?: readonly string[];
  isRequired?: true;
  /** The name of an option that cannot be given with this one. */
  conflicts?: string;
  /** The heading in the help under which the option is listed. */
  group?: string;
  /** Whether the value is a secret, or leads to one. */
  isSecret?: true;
  /** Whether the option is also for the bundled mock, and not only for a deployment that is named. */
  isForMock?: true;
  /**
   * The value of `text`. `name` is what an error message calls the option; `before` is the value of the same option
   * given earlier; `env` has the variables that `text` may name. Throws UsageError.
   */
  parse?(text: string, name: string, before: unknown, env: NodeJS.ProcessEnv): unknown;
}

/** The rows by the name of their values: `tokenLifetime` for `--token-lifetime`. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

/** The checked values of a table. */
export type OptionValues<Table extends OptionTable> = {
  [Name in keyof Table as Table[Name] extends Always ? Name : never]: ValueOf<Table[Name]>;
} & {
  [Name in keyof Table as Table[Name] extends Always ? never : Name]?: ValueOf<Table[Name]>;
};

type Always = { flag: string } & ({ default: string } | { isRequired: true } | { flag: `--no-${string}` });
type ValueOf<Row extends OptionRow> = Row extends { parse(...args: never[]): infer Value }
  ? Value
  : Row extends { choices: readonly (infer Choice)[] }
    ? Choice
    : Row extends { flag: `--no-${string}` }
      ? boolean
      : Row extends { flag: string }
        ? Row extends { flag: `${string} <${string}` }
          ? string
          : true
        : string;

/** The options of a program as they were given, whoever gave them: flags, variables, or a file. */
export interface Given<Table extends OptionTable> {
  table: OptionTable;
  values: OptionValues<Table>;
  /** Options whose variable is set to nothing. They count as not given. */
  empty: readonly string[];
  /** What a message calls an option: what a user writes to give it. */
  called(name: string): string;
}

const ON = /^(1|true|yes|on)$/i;
const OFF = /^(0|false|no|off)$/i;

export const isSwitch = (flag = ''): boolean => /^--(?!no-)[\w-]+$/.test(flag);

/** What a message calls the option on a command line: `--base-url (MRS_BASE_URL)`. */
export function nameOf({ flag, variable }: OptionRow): string {
  const [name = ''] = flag?.split(' ') ?? [];
  return variable === undefined ? name : flag === undefined ? variable : `${name} (${variable})`;
}

/**
 * Checks what is given for the options of `table`. `textsOf` has the texts for an option, in their order, of which one
 * that is empty counts as none; `called` what a message calls it. Throws UsageError.
 */
export function readOptions<Table extends OptionTable>(
  table: Table,
  textsOf: (name: string, row: OptionRow) => readonly string[] | undefined,
  env: NodeJS.ProcessEnv,
  called: (name: string, row: OptionRow) => string = (_, row) => nameOf(row),
): Given<Table> {
  const values: Record<string, unknown> = {};
  const empty: string[] = [];
  const rows = Object.entries<OptionRow>(table);
  for (const [name, row] of rows) {
    const texts = textsOf(name, row) ?? [];
    if (texts.includes('')) empty.push(name);
    const given = texts.filter((text) => text !== '');
    if (given.length === 0 && row.default !== undefined) given.push(row.default);
    for (const text of given) {
      const value = checkedValue(row, text, called(name, row), values[name], env);
      if (value !== undefined) values[name] = value;
    }
  }
  for (const [name, row] of rows) {
    const { conflicts: other = '' } = row;
    if (values[name] !== undefined && values[other] !== undefined)
      throw new UsageError(
        `${called(name, row)} cannot be used with ${called(other, table[other] as OptionRow)}. Leave one of them out.`,
      );
  }
  return {
    ...{ table, values: values as OptionValues<Table>, empty },
    called: (name) => called(name, table[name] as OptionRow),
  };
}

/** Undefined for a switch that is off. */
function checkedValue(row: OptionRow, text: string, name: string, before: unknown, env: NodeJS.ProcessEnv) {
  const { flag, choices, parse } = row;
  if (isSwitch(flag)) {
    if (ON.test(text)) return true;
    if (OFF.test(text)) return undefined;
    throw new UsageError(`${name} is "${text}". Set it to 1, or leave it out.`);
  }
  if (choices && !choices.includes(text))
    throw new UsageError(`${name} is "${text}". Give one of these: ${choices.join(', ')}.`);
  return parse ? parse(text, name, before, env) : text;
}

/** The text that a variable gives for an option. */
export function textOfVariable({ variable }: OptionRow, env: NodeJS.ProcessEnv): string[] | undefined {
  const text = variable === undefined ? undefined : env[variable];
  return text === undefined ? undefined : [text];
}

/** The options of a program that has no flags. Throws UsageError. */
export const optionsIn = <Table extends OptionTable>(table: Table, env: NodeJS.ProcessEnv): Given<Table> =>
  readOptions(
    table,
    (_, row) => textOfVariable(row, env),
    env,
    (_, row) => row.variable ?? nameOf(row),
  );

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
