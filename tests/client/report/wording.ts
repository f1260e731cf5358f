/** What every rendering of a certificate says alike. */

import { literal } from '../../report/shell.ts';
import { inOneLine, VERDICTS as OF_REQUIREMENTS, OUTCOME_MARKS, several } from '../../report/text.ts';
import type { Finding, JudgedRule, RuleVerdict, ScenarioResult, TokenCount } from '../certificate.ts';
import type { Call } from '../traffic.ts';
import type { CertificateReport } from './report.ts';

/** The verdicts, the gravest first. The mark says the same as the colour, for those who see none. */
export const VERDICTS: Record<RuleVerdict, { mark: string; word: string }> = {
  failed: OF_REQUIREMENTS.failed,
  warned: { mark: '!', word: 'warned' },
  'could-not-run': OF_REQUIREMENTS['could-not-run'],
  passed: OF_REQUIREMENTS.passed,
  'not-applicable': OF_REQUIREMENTS['not-applicable'],
};

/** What the outcome means for the author of a client, and what is next. */
export function outcomeOf({ outcome, counts }: CertificateReport): {
  mark: string;
  meaning: string;
  next: string;
} {
  const mark = OUTCOME_MARKS[outcome];
  if (outcome === 'conformant')
    return {
      mark,
      meaning: 'The client kept every clause that binds it, as far as this run could try.',
      next:
        counts.warned > 0
          ? 'Nothing has to change. The warnings name good practice that spares the service and the client trouble.'
          : 'Nothing has to change. Keep this report, and run again when the client changes.',
    };
  if (outcome === 'nonconformant' && counts.failed === 0)
    return {
      mark,
      meaning: 'No clause was broken, but the client leaves out good practice, which fails a strict run.',
      next: 'Mend what was warned of, or run without --strict.',
    };
  if (outcome === 'nonconformant')
    return {
      mark,
      meaning: 'The client does otherwise than the specification states.',
      next: 'Mend what failed: each finding says in which scenario, what was seen there and what to do.',
    };
  if (outcome === 'incomplete')
    return {
      mark,
      meaning: 'Nothing was broken in what was seen, but a clause that binds a client could not be tried.',
      next: 'Do what the reasons below ask for, and run again.',
    };
  return {
    mark,
    meaning: 'The run itself broke down, so it says nothing about the client as a whole.',
    next: 'Remove the fault of the run, and run again.',
  };
}

/** `14 passed, 0 failed, 1 warned, 0 could not run, 3 not applicable`. */
export function tally({ counts }: CertificateReport): string {
  const { passed, failed, warned } = counts;
  return `${passed} passed, ${failed} failed, ${warned} warned, ${counts['could-not-run']} could not run, ${counts['not-applicable']} not applicable`;
}

/** How the client renews, as a sentence. */
export function strategyInWords({ strategy, marginSeconds, tokens }: CertificateReport): string {
  const margin = marginSeconds === undefined ? '' : `, ${marginInWords(marginSeconds)}`;
  if (strategy === 'reactive')
    return 'The client is reactive: it asks for a new token when a 403 says that the old one is over.';
  if (strategy === 'proactive')
    return `The client is proactive: it renews its token by its own clock${margin}.`;
  if (strategy === 'both')
    return `The client does both: it renews its token by its own clock${margin}, and when a 403 says that the old one is over.`;
  return tokens.asked === 0
    ? 'The client was given no token, so it was not seen how it renews one.'
    : 'The client was not seen to renew a token, neither by its clock nor on a 403.';
}

function marginInWords(seconds: number): string {
  const span = `${Number(Math.abs(seconds).toFixed(seconds % 1 === 0 ? 0 : 2))} s`;
  if (seconds === 0) return 'at the moment of its expiry';
  return `typically ${span} ${seconds > 0 ? 'before' : 'after'} its expiry`;
}

/** `7 tokens asked for, 1 would do`. */
export function tokensInWords({ asked, needed }: TokenCount): string {
  if (asked === 0) return needed === 0 ? 'no token given' : `no token given, ${needed} needed`;
  const start = `${several(asked, 'token')} asked for`;
  if (asked === needed) return `${start}, as many as it takes`;
  return asked > needed ? `${start}, ${needed} would do` : `${start}, ${needed} needed`;
}

/** How far a scenario came, as sentences. */
export function stateInWords({ state, ended }: Pick<ScenarioResult, 'state' | 'ended'>): string {
  const end = ended === undefined ? '' : ` It ended by itself, ${ended}.`;
  if (state === 'silent') return `The client never called.${end}`;
  if (state === 'skipped') return 'This scenario was never begun.';
  if (state === 'deadline') return 'Time was up before all that the scenario is for was seen.';
  if (state === 'ended')
    return `The client ended by itself${ended === undefined ? '' : `, ${ended}`}, before all that the scenario is for was seen.`;
  return 'All that the scenario is for was seen.';
}

/** A word for what kept a scenario from being seen. */
const SHORT_STATES: Record<ScenarioResult['state'], string | undefined> = {
  seen: undefined,
  deadline: 'time was up',
  ended: 'ended early',
  silent: 'silent',
  skipped: 'skipped',
};

/** The gravest that is to be said of a scenario, and in a few words what it is. */
export function troubleOf(
  { name, state }: ScenarioResult,
  rules: readonly JudgedRule[],
): { verdict: RuleVerdict; words: string[] } {
  const concerned = (severity: Finding['severity']) =>
    rules.filter(({ findings }) =>
      findings.some((one) => one.scenario === name && one.severity === severity),
    );
  const failed = concerned('fails');
  const warned = concerned('warns').filter((rule) => !failed.includes(rule));
  const words = [...failed, ...warned].map(({ id }) => id).concat(SHORT_STATES[state] ?? []);
  if (failed.length > 0) return { verdict: 'failed', words };
  if (warned.length > 0) return { verdict: 'warned', words };
  return { verdict: state === 'seen' ? 'passed' : 'could-not-run', words };
}

/** `call 3`, `calls 3, 5 and 7–9`; nothing where there are none. */
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

/** How a call was answered: the status, or what became of the connection. */
export function answerOf({ status, ended }: Pick<Call, 'status' | 'ended'>): string {
  if (ended === 'reset') return 'connection reset';
  if (ended === 'cut') return `${status}, cut off`;
  return ended === 'gone' ? 'the client had left' : String(status);
}

/** The program and its arguments in one line, quoted where a shell would take them apart. */
export function commandLine(command: readonly string[]): string {
  return command.map((part) => (/^[\w./:=@%+,{}-]+$/.test(part) ? part : inOneLine(literal(part)))).join(' ');
}

/** `0.52 s`; of less than ten seconds two digits are of interest, of less than a minute one. */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 2 : seconds < 60 ? 1 : 0;
  return `${Number(seconds.toFixed(digits))} s`;
}
