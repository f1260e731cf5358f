/** `mrs proxy`: passes the traffic between a client and a service on, and judges it. */
import { Command } from 'commander';
import { printOf } from '../../tests/report/terminal.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { type OptionTable, type OptionValues, wholeNumber } from '../../tests/support/option-table.ts';
import { isLoopback } from '../../tests/support/options.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { readBaseUrl } from '../../tests/traffic/base-url.ts';
import { JUDGE_OPTIONS } from './judge.ts';
import { addOptions, FORMAT_OPTION, QUIET_OPTION, REPORT_DIR_OPTION } from './options.ts';

const OUTPUT = 'What it prints and writes:';

export const PROXY_OPTIONS = {
  target: {
    flag: '--target <url>', // No variable: the one of mrs verify may name another service.
    help: 'URL of the service, with its base path',
    isRequired: true,
    parse: readTarget,
  },
  port: {
    flag: '--port <number>',
    help: 'port to listen on; 0 picks a free port',
    default: '4020',
    parse: wholeNumber(0, 65_535, '; 0 picks a free port'),
  },
  host: {
    flag: '--host <address>',
    help: 'address to listen on; 0.0.0.0 accepts connections from other machines',
    default: '127.0.0.1',
  },
  ca: DEPLOYMENT_OPTIONS.ca,
  allowHttp: DEPLOYMENT_OPTIONS.allowHttp,
  tokenLifetime: JUDGE_OPTIONS.tokenLifetime,
  processes: JUDGE_OPTIONS.processes,
  har: {
    flag: '--har <file>',
    help: 'write each call to this HAR file as it ends, without secrets, tokens and bodies',
    group: OUTPUT,
  },
  log: {
    flag: '--log <format>',
    help: 'print a line for each call to standard error: text, or json',
    choices: ['text', 'json'],
    defaultText: 'text on a terminal, otherwise none',
    group: OUTPUT,
  },
  reportDir: {
    flag: REPORT_DIR_OPTION.flag,
    help: 'directory for the reports',
    default: 'reports/proxy',
    group: OUTPUT,
  },
  quiet: { ...QUIET_OPTION, group: OUTPUT },
  format: { ...FORMAT_OPTION, group: OUTPUT },
} as const satisfies OptionTable;

export function proxyCommand(): Command {
  const command = new Command('proxy')
    .description(
      'Listens on this machine and forwards each request to the service. Ctrl-C ends it, judges what passed and writes ' +
        'the report: the answers of the service by the requirements of the specification, and the requests of each ' +
        'client by the rules for clients. Nothing that passes is changed, except the Host header and hop-by-hop ' +
        'headers. What the traffic does not show is reported as "not seen", never as passed.',
    )
    .allowExcessArguments(false);
  return addOptions(command, PROXY_OPTIONS)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  mrs proxy --target https://host/api\n' +
        '  mrs proxy --target https://host/api --token-lifetime 15m --har traffic.har\n' +
        '\nExit codes, by the worse of the two parts: 0 nothing wrong was seen, 1 something\n' +
        'is violated, 2 error (an option is invalid, or the address is in use),\n' +
        '3 incomplete (the traffic shows too little).',
    )
    .action(async ({ quiet, format, allowHttp, ...options }: OptionValues<typeof PROXY_OPTIONS>) => {
      const { target } = options;
      if (target.startsWith('http:') && !isLoopback(target) && !allowHttp)
        throw new UsageError(
          '--target is plain http, where anyone on the network path can read the client secret. Use https, or give --allow-http.',
        );
      const { runProxy } = await import('../proxy/run-proxy.ts');
      process.exitCode = await runProxy({ ...options, quiet, print: printOf({ quiet, format }) });
    });
}

/** Throws UsageError; for the address of an operation too, since each path is appended to the target. */
function readTarget(text: string, name: string): string {
  const baseUrl = readBaseUrl(text, name);
  const [operation] = /\/(token|ods_data)$/.exec(new URL(baseUrl).pathname) ?? [];
  if (operation === undefined) return baseUrl;
  throw new UsageError(
    `${name} ends in ${operation}/, which is an endpoint of the service. Give its base URL: ${baseUrl.slice(0, -operation.length)}.`,
  );
}
