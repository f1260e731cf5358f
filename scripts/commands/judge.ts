/** `mrs judge`: judges recorded traffic between a client and a service. */
import { Command } from 'commander';
import { printOf } from '../../tests/report/terminal.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { type OptionTable, type OptionValues, wholeNumber } from '../../tests/support/option-table.ts';
import { parseDuration } from '../../tests/support/options.ts';
import { readBaseUrl } from '../../tests/traffic/base-url.ts';
import {
  addOptions,
  BASELINE_OPTION,
  FORMAT_OPTION,
  notePipe,
  QUIET_OPTION,
  REPORT_DIR_OPTION,
} from './options.ts';

export const JUDGE_OPTIONS = {
  baseUrl: {
    flag: '--base-url <url>', // No variable: the one of mrs verify may name another service.
    help: 'URL of the service, with its base path',
    defaultText: 'found by the token requests in the file',
    parse: (text: string, name: string) => readBaseUrl(text, name),
  },
  tokenLifetime: {
    flag: '--token-lifetime <duration>',
    help: DEPLOYMENT_OPTIONS.tokenLifetime.help,
    defaultText: 'found by the first 403 after a token was accepted',
    parse: parseDuration,
  },
  processes: {
    flag: '--processes <number>',
    help: 'number of processes that share a client id',
    default: '1',
    parse: wholeNumber(1, 1000),
  },
  baseline: { ...BASELINE_OPTION, help: `${BASELINE_OPTION.help}; only for the evidence of mrs verify` },
  reportDir: {
    flag: REPORT_DIR_OPTION.flag,
    help: 'directory for the reports',
    default: 'reports/judge',
  },
  quiet: QUIET_OPTION,
  format: FORMAT_OPTION,
} as const satisfies OptionTable;

export function judgeCommand(): Command {
  const command = new Command('judge')
    .description(
      'Judges traffic that was recorded as a HAR 1.2 file: the answers of the service by the requirements of the ' +
        'specification, and the requests of each client by the rules for clients. Sends nothing. What the traffic ' +
        'does not show is reported as "not seen", never as passed. Given a report.html of mrs verify or mrs certify, or its ' +
        'evidence, it judges that again.',
    )
    .argument(
      '<file>',
      'a HAR file, a report.html or evidence of mrs verify or mrs certify, or - for standard input',
    )
    .allowExcessArguments(false);
  return addOptions(command, JUDGE_OPTIONS)
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  mrs judge traffic.har\n' +
        '  mrs judge traffic.har --base-url https://host/api --token-lifetime 15m\n' +
        '  mrs judge report.html\n' +
        '  mitmdump -q --set hardump=- | mrs judge -\n' +
        '\nExit codes, by the worse of the two parts: 0 nothing wrong was seen, 1 something\n' +
        'is violated, 2 error (the file cannot be read, or an option is invalid),\n' +
        '3 incomplete (the traffic shows too little).',
    )
    .action(async (file: string, options: OptionValues<typeof JUDGE_OPTIONS>) => {
      notePipe(file);
      const { judgeHar } = await import('../judge/judge-har.ts');
      process.exitCode = await judgeHar(file, {
        ...options,
        print: printOf(options),
      });
    });
}
