/** The report of an examination: the verdict on each rule, and what the client did in each scenario. */
import { randomUUID } from 'node:crypto';
import {
  anchorOf,
  type Block,
  type Column,
  countItems,
  type Finding,
  factsIn,
  type Item,
  itemWith,
  JUDGES,
  plain,
  type Report,
  reportWith,
  type Section,
  type Text,
  tableOf,
} from '../report/report.ts';
import { clip, inOneLine, literal, several, VERDICTS } from '../report/text.ts';
import type { TokenCount } from './evidence.ts';
import type { Certificate, JudgedRule, RuleVerdict, ScenarioResult } from './judge.ts';
import type { Call, Life } from './traffic.ts';

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

export function reportOf({ certificate, outputs, strict, client, ...run }: Examination): Report {
  const { scenarios, leftOut = [], tokens, strategy } = certificate;
  const subject = client.command === undefined ? 'a client started by the user' : commandLine(client.command);
  const rules = numbered(certificate.rules);
  const items = rules.map(({ rule, first }) => itemOf(rule, first, pageLinks(scenarios)));
  const { tally, of } = countItems(items, JUDGES.certify.verdicts);
  const isFailedByWarnings = strict && (of.warned ?? 0) > 0;
  const judged = isFailedByWarnings ? 'nonconformant' : certificate.outcome;
  const outcome = run.problems.length > 0 ? 'error' : judged;
  const isReader = isFeedReader(certificate);
  const last = lastWords(scenarios, outputs);
  const requests = scenarios.reduce((sum, { callCount }) => sum + callCount, 0);
  const ofScenarios = `${requests} in ${several(scenarios.length, 'scenario')}, ${inSeconds(run.durationMs)}`;
  return reportWith({
    judge: 'certify',
    runId: randomUUID(),
    ...run,
    subject: { name: 'Client', text: subject, isCode: client.command !== undefined },
    outcome,
    headline: headlineOf(outcome, of, certificate),
    ...nextOf(outcome, of, certificate),
    remarks: [
      ...(leftOut.length > 0 ? [`${leftOutInWords(certificate)}: ${leftOut.join(', ')}.`] : []),
      // What the client printed says why it renewed no token.
      ...(strategy === 'none' && last.length > 0 ? last : [strategyInWords(certificate), ...last]),
    ],
    tally: isReader ? tally : `${tally}; strategy: ${strategy}`,
    facts: factsIn([
      ['Processes', client.processes > 1 ? `${client.processes}, with one client id` : undefined],
      ['Tokens', isReader ? undefined : tokensInWords(tokens)],
      ['Requests', ofScenarios],
    ]),
    properties: {
      client: subject,
      processes: String(client.processes),
      ...(!isReader && { strategy, tokens: tokensInWords(tokens) }),
      requests: String(requests),
      ...(leftOut.length > 0 && { leftOut: leftOut.join(', ') }),
    },
    items,
    sections: [overviewOf(certificate), scenariosOf(certificate, items, outputs)],
  });
}

// Rules.

type NamedRule = Pick<JudgedRule, 'id' | 'clause' | 'findings'>;

/** The rules in the order of their clauses, good practice last, each with the number of its first finding. */
export function numbered<Rule extends NamedRule>(rules: readonly Rule[]): { rule: Rule; first: number }[] {
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const place = ({ clause }: Rule) => (clause === undefined ? 'z' : placeOf(clause));
  let next = 1;
  return rules
    .toSorted((one, other) => compare(place(one), place(other)))
    .map((rule) => {
      const first = next;
      next += rule.findings.length;
      return { rule, first };
    });
}

/** The number of `MRS-5.3a`, as the specification has it; a profile or an RFC comes after them. */
const placeOf = (clause: string): string =>
  clause.includes('@') || clause.startsWith('RFC')
    ? `y ${clause}`
    : (/\d+(\.\d+)*/.exec(clause)?.[0] ?? clause);

/** Links to what the page shows; a text without one otherwise. */
export interface PageLinks {
  toScenario(name: string): Text;
  toCall(scenario: string, call: number): Exclude<Text, string>[number];
}

const pageLinks = (scenarios: readonly ScenarioResult[]): PageLinks => ({
  toScenario: (name) =>
    scenarios.some((one) => one.name === name) ? [{ text: name, to: scenarioAnchor(name) }] : name,
  toCall: (scenario, call) => ({ text: String(call), to: callAnchor(scenario, call) }),
});

/** A rule as an item; `first` is the number of its first finding. */
export function itemOf(
  rule: Omit<JudgedRule, 'verdict'> & { verdict: Item['verdict'] },
  first: number,
  { toScenario, toCall }: PageLinks,
): Item {
  return itemWith({
    ...rule,
    group: rule.clause ?? 'practice',
    findings: rule.findings.map(
      ({ verdict, scenario, seen, calls }, at): Finding => ({
        verdict,
        where: toScenario(scenario),
        seen,
        proof:
          calls.length === 0
            ? undefined
            : [
                calls.length === 1 ? 'call ' : 'calls ',
                ...calls.flatMap((call, index) => [...(index > 0 ? [', '] : []), toCall(scenario, call)]),
              ],
        number: first + at,
      }),
    ),
  });
}

// Scenarios.

/** Anchor of a scenario in the page. */
export const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
/** Anchor of a call in the table of its scenario. */
export const callAnchor = (scenario: string, call: number): string =>
  `${scenarioAnchor(scenario)}-call-${call}`;

function overviewOf(certificate: Certificate): Section {
  const { scenarios, rules } = certificate;
  const isReader = isFeedReader(certificate);
  const measureOf = ({ records, tokens }: ScenarioResult): string => {
    if (records) return `${records.held ?? '–'} / ${records.served}`;
    return isReader ? '– / –' : `${tokens.asked} / ${tokens.needed}`;
  };
  const columns: readonly Column<ScenarioResult>[] = [
    ['Scenario', ({ name }) => [{ text: name, to: scenarioAnchor(name) }]],
    ['What the client met', ({ summary }) => summary],
    ['Calls', ({ callCount }) => String(callCount)],
    [isReader ? 'Held / served' : 'Tokens / needed', measureOf],
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
  return {
    id: 'scenarios',
    title: 'Scenarios',
    about: `In each scenario, the client met a separate ${isReader ? 'server' : 'service, with separate credentials'}.`,
    inSummary: true,
    blocks: [{ table: { ...table, inTerminal: [0, 2, 3, 4] } }],
  };
}

/** Each scenario call by call. */
function scenariosOf(
  { scenarios, rules }: Certificate,
  items: readonly Item[],
  outputs: Examination['outputs'],
): Section {
  const cardOf = (scenario: ScenarioResult): Block => {
    const { name, summary, callCount, tokens, records, durationMs } = scenario;
    const { agreedLifetimeSeconds: agreed, tokenLifetimeSeconds: lived } = scenario;
    const lifetime =
      agreed === lived ? `tokens live ${lived} s, as agreed` : `${agreed} s agreed, tokens live ${lived} s`;
    const ofTokens = records ? '' : `; ${tokensInWords(tokens)}; ${lifetime}`;
    const calls = `${several(callCount, 'call')} in ${inSeconds(durationMs)}${ofTokens}.`;
    const { verdict } = troubleOf(scenario, rules);
    const blocks = [
      { text: `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. ${stateInWords(scenario)}` },
      ...(callCount > 0 ? [{ text: calls }] : []),
      ...callsOf(scenario, items),
      ...outputBlocks(name, outputs),
    ];
    return { card: { id: scenarioAnchor(name), title: name, verdict, blocks } };
  };
  return {
    id: 'calls',
    title: 'Calls',
    about: 'What the client did in each scenario.',
    blocks: scenarios.map(cardOf),
  };
}

/** The tables show this many calls from the start and the end, and all that prove a finding. */
const FIRST_ROWS = 60;
const LAST_ROWS = 20;
/** A table of this many calls is open if one of them proves a finding. */
const MOST_OPEN = 40;
/** Tokens in the table. */
const MOST_TOKENS = 30;

/** The calls that a page shows, and the tokens. `untimed`: the times of the calls are not known. */
export function callsOf(
  {
    name,
    calls,
    callCount,
    lives,
    records,
  }: Pick<ScenarioResult, 'name' | 'calls' | 'callCount' | 'lives' | 'records'>,
  items: readonly Item[],
  untimed = false,
): Block[] {
  const own = items.flatMap(({ findings }) => findings).filter(({ where }) => plain(where) === name);
  /** The numbers of the findings that a call proves, by its anchor. */
  const proven = new Map<string, Link[]>();
  for (const { proof = '', number = 0, verdict } of own)
    for (const part of typeof proof === 'string' ? [] : proof)
      if (typeof part !== 'string' && part.to !== undefined)
        proven.set(part.to, [
          ...(proven.get(part.to) ?? []),
          { text: String(number), to: `finding-${number}`, verdict },
        ]);
  const shown = calls.filter(
    ({ id }, at) => at < FIRST_ROWS || at >= calls.length - LAST_ROWS || proven.has(callAnchor(name, id)),
  );
  if (shown.length === 0) return [];
  const columns: readonly (false | Column<Call>)[] = [
    ['Call', ({ id }) => String(id)],
    !untimed && ['Time', ({ atMs }) => `${(atMs / 1000).toFixed(3)} s`],
    ['Request', requestOf],
    ['Answer', answerOf],
    ['Reason', ({ reason, proxyAnswer }) => reason + (proxyAnswer ? ` (${proxyAnswer})` : '')],
    !records && ['Token', tokenOf],
    own.length > 0 && ['Finding', ({ id }) => proven.get(callAnchor(name, id)) ?? []],
  ];
  const caption =
    shown.length === callCount
      ? `Calls: ${callCount}`
      : `Calls: ${shown.length} of ${callCount}, the first, the last and those that prove a finding`;
  const there = columns.filter((column) => column !== false);
  return [
    {
      fold: 'Call by call',
      isOpen: own.length > 0 && shown.length <= MOST_OPEN,
      table: tableOf('calls', caption, there, shown, ({ id }) => ({ id: callAnchor(name, id) })),
    },
    ...(lives.length > 0 && !untimed ? [tokensOf(lives)] : []),
  ];
}

type Link = Exclude<Exclude<Text, string>[number], string>;

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

function tokensOf(lives: readonly Life[]): Block {
  const isLong = lives.length > MOST_TOKENS;
  const caption = `Tokens: ${isLong ? `the first ${MOST_TOKENS} of ` : ''}${lives.length}`;
  const columns: readonly Column<Life>[] = [
    ['Token', ({ number }) => String(number)],
    ['Issued', ({ issuedMs }) => inSeconds(issuedMs)],
    ['Replaced', (_, at) => (lives[at + 1] ? inSeconds(lives[at + 1]?.issuedMs ?? 0) : 'never')],
    [
      'End',
      ({ expiresMs, endedMs }) =>
        endedMs === undefined ? `expires at ${inSeconds(expiresMs)}` : `ended at ${inSeconds(endedMs)}`,
    ],
  ];
  return { fold: 'Tokens', table: tableOf('tokens', caption, columns, lives.slice(0, MOST_TOKENS)) };
}

/** Where the output of the client is, within the folder of the reports. */
export const outputFile = (scenario: string): string => `output/${scenario}.txt`;

const LAST_LINES = 20;
const LAST_CHARACTERS = 2000;

/** What the client printed, without the frames of a stack: the message is before them. */
function printedIn(name: string, outputs: Examination['outputs']): string[] {
  const printed = outputs.find(({ scenario }) => scenario === name)?.output ?? '';
  const lines = printed.split('\n').filter((line) => !/^\s+at \S|^Node\.js v\d/.test(line));
  return lines.join('\n').trim().split('\n');
}

function outputBlocks(name: string, outputs: Examination['outputs']): Block[] {
  const output = printedIn(name, outputs).slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
  const text = `The last lines; ${outputFile(name)} next to this report holds more.`;
  return output === '' ? [] : [{ fold: 'Output of the client', text, output }];
}

const LONGEST_LINE = 200;

/** Of the first scenario that the client left early and printed something in, as a sentence: it may say why. */
function lastWords(scenarios: readonly ScenarioResult[], outputs: Examination['outputs']): string[] {
  const left = scenarios.filter(({ state }) => state === 'silent' || state === 'ended');
  return left
    .flatMap(({ name }) => {
      const line = printedIn(name, outputs).at(-1)?.trim();
      return line
        ? [`The output of the client, ${outputFile(name)}, ends with: ${clip(line, LONGEST_LINE)}`]
        : [];
    })
    .slice(0, 1);
}

// Words.

/** Whether the client reads a feed without tokens. */
const isFeedReader = ({ scenarios }: Pick<Certificate, 'scenarios'>): boolean =>
  scenarios.some(({ records }) => records !== undefined);

type Counts = Partial<Record<Item['verdict'], number>>;

/** The result as a short sentence without its full stop. */
function headlineOf(
  outcome: Report['outcome'],
  { failed = 0, warned = 0, passed = 0, 'could-not-run': untested = 0 }: Counts,
  certificate: Certificate,
): string {
  const all = several(certificate.rules.length, 'rule');
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0) return `The client breaks ${failed} of ${all}`;
  if (outcome === 'nonconformant')
    return `${several(warned, 'warning')}, which fail${warned === 1 ? 's' : ''} a strict run`;
  if (outcome === 'incomplete')
    return certificate.leftOut ? leftOutInWords(certificate) : `${untested} of ${all} could not be tested`;
  const kept = `The client keeps all ${several(passed + warned, 'rule')} that could be tested`;
  return warned > 0 ? `${kept}, with ${several(warned, 'warning')}` : kept;
}

/** `2 of 15 scenarios were left out`. */
const leftOutInWords = ({ leftOut = [], scenarios }: Certificate): string =>
  `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} ${leftOut.length === 1 ? 'was' : 'were'} left out`;

/** How to play one that was left out although no scenario was chosen. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'odd-secret': 'For odd-secret, the client needs a secret with a character such as + or %.',
};

/** What to do next, where that differs from other examinations with this outcome. */
function nextOf(
  outcome: Report['outcome'],
  { failed = 0, warned = 0 }: Counts,
  { leftOut }: Certificate,
): { next?: string } {
  if (outcome === 'conformant' && warned > 0)
    return {
      next: 'Nothing has to change. The warnings name good practice that saves the service and the client trouble.',
    };
  if (outcome === 'nonconformant' && failed === 0)
    return { next: 'Fix the warnings, or run without --strict.' };
  if (outcome !== 'incomplete' || !leftOut) return {};
  const how = LEFT_OUT[leftOut.join()] ?? 'Leave out --scenario.';
  return { next: `Run all scenarios: a part of them certifies no client. ${how}` };
}

/** How the client renews, as a sentence. */
function strategyInWords({ strategy, marginSeconds, tokens, scenarios }: Certificate): string {
  if (isFeedReader({ scenarios })) return 'The client reads a feed that has no tokens.';
  const margin = marginSeconds === undefined ? '' : `, ${marginInWords(marginSeconds)}`;
  const byClock = `renews its token by its own clock${margin}`;
  const on403 = 'when a 403 shows that the old one has expired';
  switch (strategy) {
    case 'reactive':
      return `The client is reactive: it requests a new token ${on403}.`;
    case 'proactive':
      return `The client is proactive: it ${byClock}.`;
    case 'both':
      return `The client does both: it ${byClock}, and ${on403}.`;
    default:
      return tokens.asked === 0
        ? 'The client got no token, so this run did not see how it renews one.'
        : 'The client did not renew a token in this run, neither by its own clock nor after a 403.';
  }
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
function stateInWords({ state, ended }: ScenarioResult): string {
  const how = ended === undefined ? '' : ` ${ended}`;
  return {
    seen: 'The scenario is complete.',
    skipped: 'This scenario did not start.',
    deadline: 'The time ran out before the scenario was complete.',
    ended: `The client exited${how} before the scenario was complete.`,
    silent: `The client never called.${how && ` It exited${how}.`}`,
  }[state];
}

/** A word for what kept a scenario from being seen. */
const SHORT_STATES: Partial<Record<ScenarioResult['state'], string>> = {
  deadline: 'out of time',
  ended: 'exited early',
  silent: 'silent',
  skipped: 'skipped',
};

/** The gravest verdict of a scenario, and in a few words why. */
function troubleOf(
  { name, state }: ScenarioResult,
  rules: readonly JudgedRule[],
): { verdict: RuleVerdict; words: string[] } {
  const concerned = (verdict: 'failed' | 'warned') =>
    rules.filter(({ findings }) => findings.some((one) => one.scenario === name && one.verdict === verdict));
  const [failed, warned] = [concerned('failed'), concerned('warned')];
  const words = [...new Set([...failed, ...warned])].map(({ id }) => id).concat(SHORT_STATES[state] ?? []);
  const found = failed.length > 0 ? 'failed' : warned.length > 0 ? 'warned' : undefined;
  return { verdict: found ?? (state === 'seen' ? 'passed' : 'could-not-run'), words };
}

/** The program and its arguments in one line, quoted where a shell would take them apart. */
function commandLine(command: readonly string[]): string {
  return command.map((part) => (/^[\w./:=@%+,{}-]+$/.test(part) ? part : inOneLine(literal(part)))).join(' ');
}

/** `0.52 s`: two decimals below ten seconds, one below a minute. */
export function inSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const digits = seconds < 10 ? 2 : seconds < 60 ? 1 : 0;
  return `${Number(seconds.toFixed(digits))} s`;
}
