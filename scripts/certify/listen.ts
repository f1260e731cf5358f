/** `mrs certify --listen`: a client that the user starts, in one scenario or several, with each as long as the user likes. */
import { several } from '../../tests/report/text.ts';
import { type ClientRun, type ExamineOptions, examine } from './examine.ts';
import type { ClientVariables } from './program.ts';

/** Where the mocks listen, from this port on; 0: on any free ports. */
const ADDRESS = { host: '127.0.0.1', port: 4010 };

type ListenOptions = Omit<ExamineOptions, 'start' | 'scratch' | 'address' | 'deadlineSeconds'> & {
  host?: string | undefined;
  port?: number | undefined;
  /** Every mock listens: nothing that the user could correct is in the way. */
  onReady(): void;
  say(text: string): void;
};

/**
 * Examines a client until all scenarios are over, or the signal comes. Returns those in which the client called. Throws
 * MockError for an address that a mock cannot listen on.
 */
export async function listen({
  host = ADDRESS.host,
  port = ADDRESS.port,
  onReady,
  say,
  ...options
}: ListenOptions): Promise<ClientRun[]> {
  const { scenarios } = options;
  const settings = new Map<string, ClientVariables>();
  const left = new Set(scenarios.map(({ name }) => name));
  const runs = await examine({
    ...options,
    address: { host, port },
    deadlineSeconds: Number.POSITIVE_INFINITY,
    async start(variables, scenario) {
      settings.set(scenario, variables);
      if (settings.size === scenarios.length) {
        onReady();
        say(
          greeting(
            scenarios.flatMap(({ name }) => settings.get(name) ?? []),
            host,
          ),
        );
      }
      return { ended: new Promise(() => {}), stop: async () => {} };
    },
    onScenarioEnd({ traffic: { name }, state }) {
      left.delete(name);
      const waitsFor = scenarios.find((one) => one.name === name)?.waitsFor;
      if (state === 'deadline') say(`${name} was not over: it waited for ${waitsFor}.`);
      if (state !== 'seen') return;
      const rest = left.size === 0 ? '' : ` ${several(left.size, 'scenario')} left: ${[...left].join(', ')}.`;
      say(`${name} is over.${rest}`);
    },
  });
  return runs.filter(({ traffic }) => traffic.calls.length > 0).map(withoutSilence);
}

/** Where a scenario was not over, the user may have stopped the client: that it called no more shows nothing. */
function withoutSilence(run: ClientRun): ClientRun {
  if (run.state === 'seen') return run;
  const durationMs = Math.max(...run.traffic.calls.map(({ endMs }) => endMs));
  return { ...run, traffic: { ...run.traffic, durationMs } };
}

/** The columns of the greeting. */
const COLUMNS = {
  MRS_CLIENT_ID: 'client id',
  MRS_BASE_URL: 'base URL',
  MRS_CLIENT_SECRET: 'secret',
  MRS_TOKEN_LIFETIME: 'tokens live',
} satisfies Partial<Record<keyof ClientVariables, string>>;

/** The secrets are those of the scenarios of `mrs mock`, which are public. */
function greeting(clients: readonly ClientVariables[], host: string): string {
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const told = clients.map((one) => ({ ...one, MRS_TOKEN_LIFETIME: `${one.MRS_TOKEN_LIFETIME} s` }));
  const rows = [COLUMNS, ...told].map((row) => names.map((name) => row[name]));
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const everywhere = host === '0.0.0.0' || host === '::' ? ', on every address of this machine' : '';
  return [
    `mrs certify listens${everywhere}. Each line is a scenario:`,
    '',
    ...rows.map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    ),
    '',
    'Start your client with the settings of one scenario, let it read every few',
    'seconds until that scenario is over, and continue with the next. Several clients',
    'may run at the same time. Ctrl-C judges what was seen; a scenario in which no',
    'client called is left out.',
    '',
  ].join('\n');
}
