/** The report of an examination: the verdict on each rule, and what the client did in each scenario. */
import { randomUUID } from 'node:crypto';
import {
  anchorOf,
  type Block,
  type Column,
  countItems,
  factsIn,
  type Item,
  itemWith,
  JUDGES,
  plain,
  type Report,
  reportWith,
  type Text,
  tableOf,
} from '../report/report.ts';
import { clip, inOneLine, literal, several, VERDICTS } from '../report/text.ts';
import type { Strategy, TokenCount } from './evidence.ts';
import type { Certificate, JudgedRule, RuleVerdict, ScenarioResult } from './judge.ts';
import { MOST_CALLS } from './rule.ts';
import type { Call } from './traffic.ts';

/** An examination at its end. */
export interface Examination {
  certificate: Certificate;
  /** What the client printed, by scenario. */
  outputs: readonly { scenario: string; output: string }[];
  /** A warning fails the client. */
  strict: boolean;
  client: { processes: number; command?: readonly string[] };
  startedAt: string;
  durationMs: number;
  /** Faults of the run itself, which make it an error. */
  problems: readonly string[];
}

/** How the client renewed its token in this run. */
const RENEWALS: Readonly<Record<Strategy, string[]>> = {
  reactive: ['The client requested new tokens after a 403.'],
  proactive: ['The client requested new tokens by its own clock.'],
  both: ['The client requested new tokens by its own clock, and after a 403.'],
  none: [],
};

export function reportOf({ certificate, outputs, strict, client, ...run }: Examination): Report {
  const { scenarios, rules, leftOut = [], tokens, strategy, outcome: judged } = certificate;
  const subject = client.command === undefined ? 'a client started by the user' : commandLine(client.command);
  const items = inOrder(rules).map(itemOf);
  const { tally, of } = countItems(items, JUDGES.certify.verdicts);
  const isReader = scenarios.some(({ records }) => records !== undefined);
  const isFailed = judged === 'nonconformant' || (strict && (of.warned ?? 0) > 0);
  const outcome = run.problems.length > 0 ? 'error' : isFailed ? 'nonconformant' : judged;
  const left = `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} left out`;
  const requests = scenarios.reduce((sum, { callCount }) => sum + callCount, 0);
  return reportWith({
    judge: 'certify',
    runId: randomUUID(),
    ...run,
    subject: { name: 'Client', text: subject, isCode: client.command !== undefined },
    outcome,
    headline:
      outcome === 'incomplete' && leftOut.length > 0
        ? left
        : headlineOf(outcome, of, several(rules.length, 'rule')),
    ...(outcome === 'incomplete' &&
      leftOut.length > 0 && { next: 'Run all scenarios: a part of them certifies no client.' }),
    remarks: [
      ...(leftOut.length > 0 ? [`${left}: ${leftOut.join(', ')}.`] : []),
      ...RENEWALS[strategy],
      ...lastWords(scenarios, outputs),
    ],
    tally: isReader ? tally : `${tally}; strategy: ${strategy}`,
    facts: factsIn([
      ['Processes', client.processes > 1 ? `${client.processes}, with one client id` : undefined],
      ['Tokens', isReader ? undefined : tokensInWords(tokens)],
      ['Requests', `${requests} in ${several(scenarios.length, 'scenario')}, ${inSeconds(run.durationMs)}`],
    ]),
    properties: {
      client: subject,
      ...(!isReader && { strategy }),
      ...(leftOut.length > 0 && { leftOut: leftOut.join(', ') }),
    },
    items,
    sections: [
      {
        id: 'scenarios',
        title: 'Scenarios',
        about: 'In each scenario, the client met a separate service.',
        inSummary: true,
        blocks: [{ table: overviewOf(certificate, isReader) }],
      },
      {
        id: 'calls',
        title: 'Calls',
        about: 'What the client did in each scenario.',
        blocks: scenarios.map((scenario) => cardOf(scenario, rules, items, outputs)),
      },
    ],
  });
}

/** The result as a short sentence without its full stop. */
function headlineOf(
  outcome: Report['outcome'],
  counts: Partial<Record<Item['verdict'], number>>,
  all: string,
) {
  const { failed = 0, warned = 0, passed = 0, 'could-not-run': untested = 0 } = counts;
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0) return `The client breaks ${failed} of ${all}`;
  if (outcome === 'nonconformant') return `${several(warned, 'warning')} in a strict run`;
  if (outcome === 'incomplete') return `${untested} of ${all} could not be tested`;
  return `The client keeps all ${several(passed + warned, 'rule')} that could be tested${warned > 0 ? `, with ${several(warned, 'warning')}` : ''}`;
}

// Rules.

/** The rules in the order of their clauses; those of a profile or an RFC come next, and good practice last. */
export function inOrder<Rule extends Pick<JudgedRule, 'clause'>>(rules: readonly Rule[]): Rule[] {
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  return rules.toSorted((one, other) => compare(placeOf(one), placeOf(other)));
}

/** The number of `MRS-5.3a`, as the specification has it. */
const placeOf = ({ clause = 'z' }: Pick<JudgedRule, 'clause'>): string =>
  /^MRS-([\d.]+)[a-z]?$/.exec(clause)?.[1] ?? (clause === 'z' ? clause : `y ${clause}`);

/** A rule as an item. */
export function itemOf(rule: Omit<JudgedRule, 'verdict'> & { verdict: Item['verdict'] }): Item {
  return itemWith({
    ...rule,
    group: rule.clause ?? 'practice',
    findings: rule.findings.map(({ verdict, scenario, seen, calls }) => ({
      verdict,
      where: [{ text: scenario, to: scenarioAnchor(scenario) }],
      seen,
      proof:
        calls.length === 0
          ? undefined
          : [
              calls.length === 1 ? 'call ' : 'calls ',
              ...calls.flatMap((call, at) => [
                ...(at > 0 ? [', '] : []),
                { text: String(call), to: callAnchor(scenario, call) },
              ]),
              ...(calls.length === MOST_CALLS ? [', …'] : []),
            ],
    })),
  });
}

// Scenarios.

/** Anchor of a scenario in the page. */
export const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
const callAnchor = (scenario: string, call: number): string => `${scenarioAnchor(scenario)}-call-${call}`;

function overviewOf({ scenarios, rules }: Certificate, isReader: boolean) {
  const columns: readonly Column<ScenarioResult>[] = [
    ['Scenario', ({ name }) => [{ text: name, to: scenarioAnchor(name) }]],
    ['What the client met', ({ summary }) => summary],
    ['Calls', ({ callCount }) => String(callCount)],
    isReader
      ? ['Held / served', ({ records }) => `${records?.held ?? '–'} / ${records?.served ?? '–'}`]
      : ['Tokens / needed', ({ tokens: { asked, needed } }) => `${asked} / ${needed}`],
    [
      'Result',
      (scenario) => {
        const { verdict, words } = troubleOf(scenario, rules);
        return [{ text: words.join(', ') || VERDICTS[verdict].word, verdict }];
      },
    ],
  ];
  const table = tableOf('overview', `Scenarios: ${scenarios.length}`, columns, scenarios, (scenario) => ({
    verdict: troubleOf(scenario, rules).verdict,
  }));
  return { ...table, inTerminal: [0, 2, 3, 4] };
}

/** Words for what kept a scenario from being seen. */
const STATES: Readonly<Record<ScenarioResult['state'], string[]>> = {
  seen: [],
  deadline: ['out of time'],
  ended: ['exited early'],
  silent: ['silent'],
};

/** The gravest verdict of a scenario, and in a few words why. */
function troubleOf({ name, state, ended }: ScenarioResult, rules: readonly JudgedRule[]) {
  const found = rules.flatMap(({ id, findings }) =>
    findings.flatMap(({ scenario, verdict }) => (scenario === name ? { id, verdict } : [])),
  );
  const failed = found.filter(({ verdict }) => verdict === 'failed');
  const verdict: RuleVerdict =
    (failed[0] ?? found[0])?.verdict ?? (state === 'seen' ? 'passed' : 'could-not-run');
  const ids = new Set([...failed, ...found].map(({ id }) => id));
  return { verdict, words: [...ids, ...STATES[state], ...(ended === undefined ? [] : [ended])] };
}

/** A scenario call by call. */
function cardOf(
  scenario: ScenarioResult,
  rules: readonly JudgedRule[],
  items: readonly Item[],
  outputs: Examination['outputs'],
): Block {
  const { name, summary } = scenario;
  const output = printedIn(name, outputs).slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
  const text = `The last lines; ${outputFile(name)} next to this report holds more.`;
  const blocks: Block[] = [
    { text: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.` },
    ...callsOf(scenario, items),
    ...(output === '' ? [] : [{ fold: 'Output of the client', text, output }]),
  ];
  return {
    card: { id: scenarioAnchor(name), title: name, verdict: troubleOf(scenario, rules).verdict, blocks },
  };
}

/** A table shows this many calls from the start, and all that prove a finding. */
const FIRST_ROWS = 60;

/** The calls that a page shows. */
export function callsOf(
  { name, calls, callCount, records }: Pick<ScenarioResult, 'name' | 'calls' | 'callCount' | 'records'>,
  items: readonly Item[],
): Block[] {
  const proven = new Map(
    items
      .flatMap(({ findings }) => findings.filter(({ where }) => plain(where) === name))
      .flatMap(({ proof = '', verdict }) =>
        typeof proof === 'string'
          ? []
          : proof.map((part) => [typeof part === 'string' ? '' : part.to, verdict] as const),
      ),
  );
  const verdictOf = ({ id }: Call) => proven.get(callAnchor(name, id));
  const shown = calls.filter((call, at) => at < FIRST_ROWS || verdictOf(call) !== undefined);
  if (shown.length === 0) return [];
  const columns: readonly (false | Column<Call>)[] = [
    ['Call', ({ id }) => String(id)],
    ['Time', ({ atMs }) => `${(atMs / 1000).toFixed(3)} s`],
    ['Request', requestOf],
    ['Answer', answerOf],
    ['Reason', ({ reason, proxyAnswer }) => reason + (proxyAnswer ? ` (${proxyAnswer})` : '')],
    !records && ['Token', tokenOf],
  ];
  const caption =
    shown.length === callCount
      ? `Calls: ${callCount}`
      : `Calls: ${shown.length} of ${callCount}, the first and those that prove a finding`;
  const there = columns.filter((column) => column !== false);
  const table = tableOf('calls', caption, there, shown, (call) => ({
    id: callAnchor(name, call.id),
    verdict: verdictOf(call),
  }));
  return [{ fold: 'Call by call', isOpen: proven.size > 0, table }];
}

const requestOf = ({ method, path, query }: Call): Text => [
  { text: `${method} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`, isCode: true },
];

/** How a call was answered: the status, or what happened to the connection. */
function answerOf({ status, ended }: Call): string {
  if (ended === 'reset') return 'connection reset';
  if (ended === 'cut') return `${status}, cut off`;
  return ended === 'gone' ? 'the client disconnected' : String(status);
}

function tokenOf({ token, standing = 'valid', kind }: Call): string {
  const state = standing === 'valid' ? '' : `, ${standing}`;
  return `${token ?? 'none'}${token !== undefined && kind === 'token' ? ' issued' : ''}${state}`;
}

// What the client printed.

/** Where the output of the client is, within the folder of the reports. */
export const outputFile = (scenario: string): string => `output/${scenario}.txt`;

const LAST_LINES = 20;
const LAST_CHARACTERS = 2000;
const LONGEST_LINE = 200;

/** What the client printed, without the frames of a stack: the message is before them. */
function printedIn(name: string, outputs: Examination['outputs']): string[] {
  const printed = outputs.find(({ scenario }) => scenario === name)?.output ?? '';
  const lines = printed.split('\n').filter((line) => !/^\s+at \S|^Node\.js v\d/.test(line));
  return lines.join('\n').trim().split('\n');
}

/** Of the first scenario that the client left early and printed something in, as a sentence: it may say why. */
function lastWords(scenarios: readonly ScenarioResult[], outputs: Examination['outputs']): string[] {
  const left = scenarios.filter(({ state }) => state === 'silent' || state === 'ended');
  const words = left.flatMap(({ name }) => {
    const line = clip(printedIn(name, outputs).at(-1)?.trim() ?? '', LONGEST_LINE);
    return line ? `The output of the client, ${outputFile(name)}, ends with: ${line}` : [];
  });
  return words.slice(0, 1);
}

// Words.

/** `7 tokens requested, 1 needed`. */
export const tokensInWords = ({ asked, needed }: TokenCount): string =>
  `${several(asked, 'token')} requested, ${needed} needed`;

/** The program and its arguments in one line, quoted where a shell would take them apart. */
const commandLine = (command: readonly string[]): string =>
  command.map((part) => (/^[\w./:=@%+,{}-]+$/.test(part) ? part : inOneLine(literal(part)))).join(' ');

/** `0.52 s`: two decimals below ten seconds, one below a minute. */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 2 : seconds < 60 ? 1 : 0;
  return `${Number(seconds.toFixed(digits))} s`;
}
