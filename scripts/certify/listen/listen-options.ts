/** Options of `mrs certify` that fit one way of examining and not the other. */
import { UsageError } from '../../../tests/support/usage-error.ts';

/** Of `--listen`. */
export interface ListenFlags {
  listen?: true;
  port?: number;
  host?: string;
  client?: string;
}

const OF_LISTEN: Readonly<Record<Exclude<keyof ListenFlags, 'listen'>, string>> = {
  port: '--port',
  host: '--host',
  client: '--client',
};

/** With less, a token would be over before a client that reads once a second has used it. */
const SHORTEST = 2;

/** Throws UsageError for a program together with --listen, for neither, and for options of the other way. */
export function checkMode(
  command: readonly string[],
  options: ListenFlags & { atOnce?: number; env?: object | undefined; tokenLifetime?: number },
): void {
  const { tokenLifetime = SHORTEST } = options;
  if (tokenLifetime < SHORTEST)
    throw new UsageError(`--token-lifetime is ${tokenLifetime} s. Give ${SHORTEST}s or more.`);
  if (options.listen) {
    if (command.length > 0)
      throw new UsageError(
        'With --listen you start the client yourself: leave the program out, or leave --listen out to have it started.',
      );
    if (options.atOnce !== undefined)
      throw new UsageError(
        '--at-once is for a program after --: with --listen the scenarios run one after the other.',
      );
    if (Object.keys(options.env ?? {}).length > 0)
      throw new UsageError('--env is for a program after --: with --listen you set its variables yourself.');
    return;
  }
  const names = Object.keys(OF_LISTEN) as (keyof typeof OF_LISTEN)[];
  const stranger = names.find((name) => options[name] !== undefined);
  if (stranger !== undefined)
    throw new UsageError(
      `${OF_LISTEN[stranger]} requires --listen: a program gets a new mock in each scenario, and reads its address from MRS_BASE_URL.`,
    );
  if (command.length > 0) return;
  throw new UsageError(
    'Give the program to examine after --, as in: mrs certify -- node client.js. ' +
      'To start the client yourself, use --listen.',
  );
}
