/** The report of an examination: the verdict on each rule, and what the client did in each scenario. */
import { randomUUID } from 'node:crypto';
import {
  anchorOf,
  type Block,
  type Column,
  factsIn,
  type Item,
  itemWith,
  type Report,
  reportWith,
  type Text,
  tableOf,
} from '../report/report.ts';
import { clip, inOneLine, inSeconds, inUtc, literal, several, VERDICTS } from '../report/text.ts';
import { endedEarly, INTERRUPTED } from '../support/clock.ts';
import { groupBy } from '../support/collections.ts';
import { outcomeOf, type Verdict } from '../support/verdict.ts';
import type { TokenCount } from './evidence.ts';
import {
  type Certificate,
  certificateOf,
  type JudgedRule,
  type ScenarioResult,
  type ScenarioRun,
} from './judge.ts';
import { catalogueOf, type Subject } from './reader.ts';
import { CALLS_OF_FINDING } from './rule.ts';
import type { Call } from './traffic.ts';

/** An examination at its end: what was seen, which can be judged again, and in which circumstances. */
export interface Examination extends Subject {
  runs: readonly ScenarioRun[];
  /** Names of the scenarios that were not played. */
  leftOut: readonly string[];
  /** What the client printed, by scenario. */
  outputs: readonly { scenario: string; output: string }[];
  /** A warning fails the client. */
  strict: boolean;
  client: { processes: number; command: readonly string[] };
  /** What the mocks declared about the open points, if anything. */
  profile?: string;
  startedAt: string;
  durationMs: number;
  /** Faults of the run itself, which make it an error. */
  problems: readonly string[];
}

/** A pure function: the same examination is always judged alike. */
export function reportOf(examination: Examination): Report {
  const { runs, leftOut, feed, hasTokens, outputs, strict, client, profile, ...run } = examination;
  const certificate = certificateOf(runs, catalogueOf(examination), leftOut);
  const { scenarios, rules, tokens, strategy, outcome: judged } = certificate;
  const has = (state: ScenarioResult['state']) => scenarios.some((one) => one.state === state);
  const isDead =
    scenarios.length > 0 && scenarios.every(({ state, callCount }) => state === 'ended' && callCount === 0);
  const isReader = scenarios.length > 0 && scenarios.every(({ records }) => records !== undefined);
  const requests = scenarios.reduce((sum, { callCount }) => sum + callCount, 0);
  const all = several(scenarios.length + leftOut.length, 'scenario');
  const outcome = outcomeOf(rules, {
    faulty: run.problems.length > 0,
    strict,
    partial: judged === 'incomplete',
  });
  const end = endInWords(scenarios, all, outputs);
  const failed = rules.filter(({ verdict }) => verdict === 'failed').length;
  return reportWith({
    judge: 'certify',
    runId: randomUUID(),
    ...run,
    subject: { name: 'Client', text: commandLine(client.command), isCode: true },
    outcome,
    marks: isReader ? [] : [`strategy: ${strategy}`],
    // What follows from an early end is not told again.
    ...(end && has('ended') && failed > 0 && { headline: several(failed, 'violation') }),
    // A client may end where a fresh token is refused too: that is then not what decides.
    ...(outcome === 'conformant' || outcome === 'error' ? { note: end } : { lead: end }),
    remarks: [
      has('interrupted') &&
        `${endedEarly(INTERRUPTED, run.durationMs)} by Ctrl-C or a signal, and not by the client.`,
      leftOut.length > 0 &&
        (isDead
          ? `The other ${leftOut.length} of ${all} were not played, since the client does not start.`
          : `${leftOut.length} of ${all} left out: ${leftOut.join(', ')}. A part of the scenarios certifies no client.`),
      (has('deadline') || has('silent')) &&
        'The time of a scenario was over. Raise --deadline for a client that pauses for long before its first call, or between two reads.',
    ].filter((one) => one !== false),
    facts: factsIn([
      ['Profile', profile ?? false],
      ['Processes', client.processes > 1 && `${client.processes}, with one client id`],
      ['Tokens', !isReader && tokensInWords(tokens, rules)],
      ['Strategy', !isReader && strategy],
      [
        'Requests',
        `${requests} in ${several(scenarios.length, 'scenario')} and ${inSeconds(run.durationMs)}, ${inUtc(run.startedAt)}`,
      ],
    ]),
    items: rules.map((rule) => itemOf(rule, 'scenario')),
    sections: [
      {
        id: 'scenarios',
        title: 'Scenarios',
        about: 'In each scenario, the client met a separate service.',
        blocks: [
          { table: overviewOf(certificate, isReader) },
          ...scenarios.map((scenario) =>
            callsOf(scenario, rules, VERDICTS[troubleOf(scenario, rules).verdict].mark),
          ),
        ],
      },
    ],
  });
}

/** A rule as an item; `noun`: for whom or what it was judged. */
export function itemOf(
  rule: Omit<JudgedRule, 'verdict'> & { verdict: Item['verdict'] },
  noun: 'scenario' | 'client',
): Item {
  return itemWith({
    ...rule,
    group: rule.clause ?? 'practice',
    findings: [...groupBy(rule.findings, formOf).values()].map((alike) => findingOf(alike, noun)),
  });
}

/** Equal for findings that differ only in their numbers. */
const formOf = ({ verdict, seen }: JudgedRule['findings'][number]): string =>
  `${verdict} ${seen.replace(/\d+/g, '#')}`;

type Link = Exclude<Exclude<Text, string>[number], string>;

/** Findings that are alike as one, in the words of the first. */
function findingOf(alike: readonly JudgedRule['findings'][number][], noun: string): Item['findings'][number] {
  const [{ verdict, seen, scenario, calls }] = alike as [JudgedRule['findings'][number]];
  const names = [...new Set(alike.map((one) => one.scenario))];
  const isOne = names.length === 1;
  const where = listOf(names.map((text) => ({ text, to: scenarioAnchor(text) })));
  const proof = [
    isOne ? '' : `${scenario}, `,
    calls.length === 1 ? 'call ' : 'calls ',
    ...proofOf(scenario, calls),
  ];
  return {
    ...{ verdict, seen, where: isOne ? where : [`${several(names.length, noun)}: `, ...where] },
    ...(calls.length > 0 && { proof }),
  };
}

/** Calls, and ranges of them. */
function proofOf(scenario: string, calls: readonly number[]): (string | Link)[] {
  const starts = calls.filter((call) => !calls.includes(call - 1));
  const ranges = starts.map((from) => {
    const last = calls.find((call) => call >= from && !calls.includes(call + 1)) ?? from;
    return { text: from === last ? String(from) : `${from}–${last}`, to: callAnchor(scenario, from) };
  });
  return listOf(ranges, calls.length === CALLS_OF_FINDING);
}

/** Of names and of calls. */
const MOST_LINKS = 10;

const listOf = (links: readonly Link[], isCut = false): (string | Link)[] => [
  ...links.slice(0, MOST_LINKS).flatMap((link, at) => (at === 0 ? [link] : [', ', link])),
  isCut || links.length > MOST_LINKS ? ', …' : '',
];

// Scenarios.

/** Anchor of a scenario in the page. */
const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
const callAnchor = (scenario: string, call: number): string => `${scenarioAnchor(scenario)}-call-${call}`;

function overviewOf({ scenarios, rules }: Certificate, isReader: boolean) {
  const columns: readonly Column<ScenarioResult>[] = [
    ['Scenario', ({ name }) => [{ text: name, to: scenarioAnchor(name) }]],
    ['What the client met', ({ summary }) => summary],
    ['Calls', ({ callCount }) => String(callCount)],
    isReader
      ? ['Held / served', ({ records }) => `${records?.held ?? '–'} / ${records?.served ?? '–'}`]
      : ['Tokens', ({ name, tokens }) => tokensInWords(tokens, rules, name)],
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
  interrupted: ['interrupted'],
  ended: ['ended by itself'],
  silent: ['never called'],
};

/** The gravest verdict of a scenario, and in a few words why. */
function troubleOf({ name, state, ended }: ScenarioResult, rules: readonly JudgedRule[]) {
  const found = rules.flatMap(({ id, findings }) =>
    findings.flatMap(({ scenario, verdict }) => (scenario === name ? { id, verdict } : [])),
  );
  const failed = found.filter(({ verdict }) => verdict === 'failed');
  const verdict: Verdict =
    (failed[0] ?? found[0])?.verdict ?? (state === 'seen' ? 'passed' : 'could-not-run');
  const ids = new Set([...failed, ...found].map(({ id }) => id));
  const words = STATES[state].map((how) => (ended === undefined ? how : `${how} ${ended}`));
  return { verdict, words: [...ids, ...words] };
}

/** A table shows this many calls from the start, and all that prove a finding. */
const FIRST_ROWS = 60;

/** What a client did in a scenario, call by call: open where a call proves a finding. */
export function callsOf(
  { name, calls, callCount, records }: Pick<ScenarioResult, 'name' | 'calls' | 'callCount' | 'records'>,
  rules: readonly Pick<JudgedRule, 'findings'>[],
  mark: string,
): Block {
  const findings = rules.flatMap((rule) => rule.findings).filter(({ scenario }) => scenario === name);
  const proven = new Map(findings.flatMap((one) => one.calls.map((id) => [id, one.verdict] as const)));
  const shown = calls.filter(({ id }, at) => at < FIRST_ROWS || proven.has(id));
  const columns: readonly Column<Call>[] = [
    ['Call', ({ id }) => String(id)],
    ['Time', ({ atMs }) => `${(atMs / 1000).toFixed(3)} s`],
    ['Request', requestOf],
    ['Answer', answerOf],
    ['Reason', ({ reason, proxyAnswer }) => reason + (proxyAnswer ? ` (${proxyAnswer})` : '')],
    ...(records ? [] : [['Token', tokenOf] as const]),
  ];
  const rest = shown.length < callCount ? ` of ${callCount}, the first and those that prove a finding` : '';
  const table = tableOf('calls', `Calls: ${shown.length}${rest}`, columns, shown, ({ id }) => ({
    id: callAnchor(name, id),
    verdict: proven.get(id),
  }));
  return { anchor: scenarioAnchor(name), fold: `${mark} ${name}`, isOpen: proven.size > 0, table };
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

const LONGEST_LINE = 200;

/** A line that names an error, as most languages print it; lines of source text, frames and members are indented. */
const ERROR = /^(?=\S).*(Error|Exception|\berror|\bfatal|\bpanic(ked)?|not found)\b/;

/** Says nothing by itself: the frame of a stack, the version of Node.js, brackets. */
const EMPTY = /^\s+at \S|^Node\.js v\d|^[\s\]})]*$/;

/** In how many scenarios the client ended by itself or never called; of the first, how, and what it printed: that may say why. */
function endInWords(
  scenarios: readonly ScenarioResult[],
  all: string,
  outputs: Examination['outputs'],
): string | undefined {
  const ended = scenarios.filter(({ state }) => state === 'ended');
  const silent = scenarios.filter(({ state }) => state === 'silent');
  const [first] = ended.length > 0 ? ended : silent;
  if (!first) return undefined;
  const does = ended.length > 0 ? `ended by itself in ${ended.length}` : `never called in ${silent.length}`;
  const how = first.ended === undefined ? '' : ` ${first.ended}`;
  const early = first.ended !== undefined && first.callCount === 0 ? ', before its first call' : '';
  const printed = outputs.find(({ scenario }) => scenario === first.name)?.output.split('\n') ?? [];
  const last = printed.findLast((line) => ERROR.test(line)) ?? printed.findLast((line) => !EMPTY.test(line));
  const said = last ? `. Its output, ${outputFile(first.name)}, has: ${clip(last.trim(), LONGEST_LINE)}` : '';
  return `The client ${does} of ${all}, first in ${first.name}${how}${early}${said}`;
}

// Words.

/**
 * `7`, or `7, where 1 would do` where some were requested without need: a crowd of callers may rightly request more than the
 * fewest. `scenario`: its name; without it, all.
 */
export function tokensInWords(
  { asked, needed }: TokenCount,
  rules: readonly Pick<JudgedRule, 'id' | 'findings'>[],
  scenario?: string,
): string {
  const found = rules.find(({ id }) => id === 'token-reuse')?.findings ?? [];
  const isWaste = found.some((one) => scenario === undefined || one.scenario === scenario);
  return `${asked}${isWaste && asked > needed ? `, where ${needed} would do` : ''}`;
}

/** The program and its arguments in one line, quoted where a shell would take them apart. */
const commandLine = (command: readonly string[]): string =>
  command.map((part) => (/^[\w./:=@%+,{}-]+$/.test(part) ? part : inOneLine(literal(part)))).join(' ');
