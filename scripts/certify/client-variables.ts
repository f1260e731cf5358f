/** How a client program finds the mock: variables in its environment, and placeholders in its arguments. */
import { headerVariables, SECRET_VARIABLES } from '../../tests/server/probe/target-variables.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

/** What a client needs to know, by the names of the variables. */
export interface ClientVariables {
  MRS_BASE_URL: string;
  /** URL of the data: under the base URL, at the path that the profile declares. */
  MRS_DATA_URL: string;
  MRS_CLIENT_ID: string;
  MRS_CLIENT_SECRET: string;
  /** A file that holds the secret, for programs that would have to take it as an argument. */
  MRS_CLIENT_SECRET_FILE: string;
  /** In seconds, as agreed with the operator. */
  MRS_TOKEN_LIFETIME: string;
}

const NAMES: readonly string[] = [
  'MRS_BASE_URL',
  'MRS_DATA_URL',
  'MRS_CLIENT_ID',
  'MRS_CLIENT_SECRET',
  'MRS_CLIENT_SECRET_FILE',
  'MRS_TOKEN_LIFETIME',
];

/** Other names of variables, such as `URL` for `MRS_BASE_URL`. */
export type Aliases = Readonly<Record<string, keyof ClientVariables>>;

/** Reads `URL=MRS_BASE_URL`. Throws UsageError for any other text. */
export function readAlias(text: string, before: Aliases = {}): Aliases {
  const [, alias = '', name = ''] = /^([A-Za-z_]\w*)=(.*)$/.exec(text) ?? [];
  if (alias === '' || !NAMES.includes(name))
    throw new UsageError(
      `--env takes the name that your client reads and one of ours, as URL=MRS_BASE_URL. Ours are ${NAMES.join(', ')}.`,
    );
  return { ...before, [alias]: name as keyof ClientVariables };
}

/** What may be set for `mrs verify`: it is of another deployment, and partly secret. */
const OF_ANOTHER: readonly string[] = [...SECRET_VARIABLES, 'MRS_HEADER', 'MRS_CLIENT'];

/**
 * The environment of a client: that of this process, without the variables of another deployment, and with the
 * mock's variables under our names and the client's.
 */
export function clientEnvironment(
  own: NodeJS.ProcessEnv,
  variables: ClientVariables,
  aliases: Aliases = {},
): NodeJS.ProcessEnv {
  const withheld = [...OF_ANOTHER, ...headerVariables(own)];
  const inherited = Object.entries(own).filter(([name]) => !withheld.includes(name));
  const direct = [own.NO_PROXY ?? own.no_proxy, '127.0.0.1', 'localhost'].filter(Boolean).join(',');
  return {
    ...Object.fromEntries(inherited),
    NO_PROXY: direct, // the mock is on this machine, wherever other calls have to go
    no_proxy: direct,
    ...variables,
    ...Object.fromEntries(Object.entries(aliases).map(([alias, name]) => [alias, variables[name]])),
  };
}

/** Throws UsageError for an unknown placeholder, and for one that would show the secret. */
export function checkPlaceholders(args: readonly string[]): void {
  for (const [, name = ''] of args.flatMap((arg) => [...arg.matchAll(PLACEHOLDER)])) {
    if (name === 'MRS_CLIENT_SECRET')
      throw new UsageError(
        'An argument holds {MRS_CLIENT_SECRET}, and every user of this machine can read arguments. ' +
          'Let the client read the variable, or a file: {MRS_CLIENT_SECRET_FILE}.',
      );
    if (!NAMES.includes(name))
      throw new UsageError(
        `An argument holds {${name}}, which is not a placeholder. The placeholders are ${NAMES.filter(
          (one) => one !== 'MRS_CLIENT_SECRET',
        )
          .map((one) => `{${one}}`)
          .join(', ')}.`,
      );
  }
}

export const withPlaceholders = (args: readonly string[], variables: ClientVariables): string[] =>
  args.map((arg) =>
    arg.replace(PLACEHOLDER, (whole, name: string) => variables[name as keyof ClientVariables] ?? whole),
  );

const PLACEHOLDER = /\{(MRS_\w+)\}/g;
