/** Words that every rendering of a certificate shares. */

import { literal } from '../../report/shell.ts';
import { inOneLine, several } from '../../report/text.ts';
import type { Finding, JudgedRule, RuleVerdict, ScenarioResult, TokenCount } from '../certificate.ts';
import type { Call } from '../traffic.ts';
import type { CertificateReport } from './report.ts';

/** Whether the client reads a feed without tokens. */
export const isFeedReader = ({ scenarios }: Pick<CertificateReport, 'scenarios'>): boolean =>
  scenarios.some(({ records }) => records !== undefined);

/** What the scenarios count, as the heading of a column and its cell: `held / served` or `tokens / needed`. */
export function measureOf(report: Pick<CertificateReport, 'scenarios'>) {
  if (!isFeedReader(report))
    return {
      heading: 'tokens / needed',
      of: ({ tokens }: Pick<ScenarioResult, 'tokens'>) => ({
        counted: String(tokens.asked),
        of: String(tokens.needed),
      }),
    };
  return {
    heading: 'held / served',
    of: ({ records }: Pick<ScenarioResult, 'records'>) => ({
      counted: String(records?.held ?? '–'),
      of: String(records?.served ?? '–'),
    }),
  };
}

/** What an examination came to, as a short sentence without its full stop. */
export function headlineOf({
  outcome,
  counts,
  rules,
  scenarios,
  leftOut = [],
}: Pick<CertificateReport, 'outcome' | 'counts' | 'rules' | 'scenarios' | 'leftOut'>): string {
  const { failed, warned, passed } = counts;
  const all = rules.length;
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0) return `The client breaks ${failed} of ${several(all, 'rule')}`;
  if (outcome === 'nonconformant')
    return `${several(warned, 'warning')}, which fail${warned === 1 ? 's' : ''} a strict run`;
  if (outcome === 'incomplete' && leftOut.length > 0)
    return `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} ${leftOut.length === 1 ? 'was' : 'were'} left out`;
  if (outcome === 'incomplete')
    return `${counts['could-not-run']} of ${several(all, 'rule')} could not be tested`;
  const kept = `The client keeps all ${several(passed + warned, 'rule')} that could be tested`;
  return warned > 0 ? `${kept}, with ${several(warned, 'warning')}` : kept;
}

/** How to play one that was left out although no scenario was chosen. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'odd-secret': 'For odd-secret, the client needs a secret with a character such as + or %.',
};

/** What to do next, as a sentence. */
export function nextOf({
  outcome,
  counts,
  leftOut = [],
}: Pick<CertificateReport, 'outcome' | 'counts' | 'leftOut'>): string {
  if (outcome === 'conformant')
    return counts.warned > 0
      ? 'Nothing has to change. The warnings name good practice that saves the service and the client trouble.'
      : 'Nothing has to change. Keep this report, and run again when the client changes.';
  if (outcome === 'nonconformant')
    return counts.failed > 0
      ? 'Fix what failed, and run again. The report shows the scenario and the calls of each finding.'
      : 'Fix the warnings, or run without --strict.';
  if (outcome === 'incomplete' && leftOut.length > 0)
    return `Run all scenarios: a part of them certifies no client. ${LEFT_OUT[leftOut.join()] ?? 'Leave out --scenario.'}`;
  if (outcome === 'incomplete') return 'Resolve the reasons above, and run again.';
  return 'Fix the fault of the run, and run again.';
}

/** What was not played, as a sentence; none where all was. */
export const leftOutInWords = ({
  leftOut = [],
  scenarios,
}: Pick<CertificateReport, 'leftOut' | 'scenarios'>) =>
  leftOut.length === 0
    ? []
    : [
        `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} ${leftOut.length === 1 ? 'was' : 'were'} left out: ${leftOut.join(', ')}.`,
      ];

/** How the client renews, as a sentence. */
export function strategyInWords({ strategy, marginSeconds, tokens, scenarios }: CertificateReport): string {
  if (isFeedReader({ scenarios })) return 'The client reads a feed that has no tokens.';
  const margin = marginSeconds === undefined ? '' : `, ${marginInWords(marginSeconds)}`;
  if (strategy === 'reactive')
    return 'The client is reactive: it requests a new token when a 403 shows that the old one has expired.';
  if (strategy === 'proactive')
    return `The client is proactive: it renews its token by its own clock${margin}.`;
  if (strategy === 'both')
    return `The client does both: it renews its token by its own clock${margin}, and when a 403 shows that the old one has expired.`;
  return tokens.asked === 0
    ? 'The client got no token, so this run did not see how it renews one.'
    : 'The client did not renew a token in this run, neither by its own clock nor after a 403.';
}

function marginInWords(seconds: number): string {
  const span = `${Number(Math.abs(seconds).toFixed(seconds % 1 === 0 ? 0 : 2))} s`;
  if (seconds === 0) return 'at its expiry';
  return `typically ${span} ${seconds > 0 ? 'before' : 'after'} its expiry`;
}

/** `7 tokens requested, 1 needed`. */
export function tokensInWords({ asked, needed }: TokenCount): string {
  if (asked === 0) return needed === 0 ? 'no token issued' : `no token issued, ${needed} needed`;
  return `${several(asked, 'token')} requested, ${asked === needed ? 'as many as needed' : `${needed} needed`}`;
}

/** How far a scenario got, as sentences. */
export function stateInWords({ state, ended }: Pick<ScenarioResult, 'state' | 'ended'>): string {
  const end = ended === undefined ? '' : ` It exited ${ended}.`;
  if (state === 'silent') return `The client never called.${end}`;
  if (state === 'skipped') return 'This scenario did not start.';
  if (state === 'deadline') return 'The time ran out before the scenario was complete.';
  if (state === 'ended')
    return `The client exited${ended === undefined ? '' : ` ${ended}`} before the scenario was complete.`;
  return 'The scenario is complete.';
}

/** A word for what kept a scenario from being seen. */
const SHORT_STATES: Record<ScenarioResult['state'], string | undefined> = {
  seen: undefined,
  deadline: 'out of time',
  ended: 'exited early',
  silent: 'silent',
  skipped: 'skipped',
};

/** The gravest verdict of a scenario, and in a few words why. */
export function troubleOf(
  { name, state }: ScenarioResult,
  rules: readonly JudgedRule[],
): { verdict: RuleVerdict; words: string[] } {
  const concerned = (verdict: Finding['verdict']) =>
    rules.filter(({ findings }) => findings.some((one) => one.scenario === name && one.verdict === verdict));
  const failed = concerned('failed');
  const warned = concerned('warned').filter((rule) => !failed.includes(rule));
  const words = [...failed, ...warned].map(({ id }) => id).concat(SHORT_STATES[state] ?? []);
  if (failed.length > 0) return { verdict: 'failed', words };
  if (warned.length > 0) return { verdict: 'warned', words };
  return { verdict: state === 'seen' ? 'passed' : 'could-not-run', words };
}

/** `call 3`, `calls 3, 5 and 7–9`; empty without calls. */
export function callsInWords(calls: readonly number[]): string {
  const runs: [first: number, last: number][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    if (run && run[1] === call - 1) run[1] = call;
    else runs.push([call, call]);
  }
  const words = runs.flatMap(([first, last]) =>
    last - first < 2 ? (first === last ? [`${first}`] : [`${first}`, `${last}`]) : [`${first}–${last}`],
  );
  if (words.length === 0) return '';
  const list = words.length === 1 ? words[0] : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
  return `${calls.length === 1 ? 'call' : 'calls'} ${list}`;
}

/** How a call was answered: the status, or what happened to the connection. */
export function answerOf({ status, ended }: Pick<Call, 'status' | 'ended'>): string {
  if (ended === 'reset') return 'connection reset';
  if (ended === 'cut') return `${status}, cut off`;
  return ended === 'gone' ? 'the client disconnected' : String(status);
}

/** The program and its arguments in one line, quoted where a shell would take them apart. */
export function commandLine(command: readonly string[]): string {
  return command.map((part) => (/^[\w./:=@%+,{}-]+$/.test(part) ? part : inOneLine(literal(part)))).join(' ');
}

/** `0.52 s`: two decimals below ten seconds, one below a minute. */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 2 : seconds < 60 ? 1 : 0;
  return `${Number(seconds.toFixed(digits))} s`;
}
