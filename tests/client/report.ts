/** The report of an examination: the verdict on each rule, and what the client did in each scenario. */
import { randomUUID } from 'node:crypto';
import {
  anchorOf,
  type Block,
  countItems,
  type Fact,
  type Finding,
  frame,
  type Item,
  plain,
  type Report,
  type Row,
  type Section,
  type Text,
} from '../report/report.ts';
import { literal } from '../report/shell.ts';
import { inOneLine, several, VERDICTS } from '../report/text.ts';
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
  const { counts, tally, of } = countItems(items, [
    'passed',
    'failed',
    'warned',
    'could-not-run',
    'not-applicable',
  ]);
  const isFailedByWarnings = strict && (of.warned ?? 0) > 0;
  const judged = isFailedByWarnings ? 'nonconformant' : certificate.outcome;
  const outcome = run.problems.length > 0 ? 'error' : judged;
  const isReader = isFeedReader(certificate);
  const requests = scenarios.reduce((sum, { callCount }) => sum + callCount, 0);
  const facts: Fact[] = [
    ...(client.processes > 1 ? [{ name: 'Processes', text: `${client.processes}, with one client id` }] : []),
    ...(isReader ? [] : [{ name: 'Tokens', text: tokensInWords(tokens) }]),
    {
      name: 'Requests',
      text: `${requests} in ${several(scenarios.length, 'scenario')}, ${inSeconds(run.durationMs)}`,
    },
  ];
  return {
    ...frame('certify', randomUUID(), facts),
    ...run,
    subject: { name: 'Client', text: subject, isCode: client.command !== undefined },
    outcome,
    headline: headlineOf(outcome, of, certificate),
    next: nextOf(outcome, of, leftOut),
    remarks: [...leftOutInWords(certificate), strategyInWords(certificate)],
    counts,
    tally: isReader ? tally : `${tally}; strategy: ${strategy}`,
    properties: {
      client: subject,
      processes: String(client.processes),
      ...(!isReader && { strategy, tokens: tokensInWords(tokens) }),
      requests: String(requests),
      ...(leftOut.length > 0 && { leftOut: leftOut.join(', ') }),
    },
    items,
    sections: [overviewOf(certificate), scenariosOf(certificate, items, outputs)],
    exchanges: [],
  };
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
  {
    id,
    clause,
    severity,
    verdict,
    statement,
    reason,
    advice,
    findings,
  }: Omit<JudgedRule, 'verdict'> & {
    verdict: Item['verdict'];
  },
  first: number,
  { toScenario, toCall }: PageLinks,
): Item {
  return {
    id,
    clause,
    group: clause ?? 'practice',
    statement,
    verdict,
    severity: verdict === 'failed' ? severity : undefined,
    reason,
    facts: [],
    findings: findings.map(
      ({ verdict: gravity, scenario, seen, calls }, at): Finding => ({
        verdict: gravity,
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
    advice: findings.length > 0 ? advice : undefined,
    exchanges: [],
  };
}

// Scenarios.

/** Anchor of a scenario in the page. */
export const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
/** Anchor of a call in the table of its scenario. */
export const callAnchor = (scenario: string, call: number): string =>
  `${scenarioAnchor(scenario)}-call-${call}`;

function overviewOf({ scenarios, rules }: Certificate): Section {
  const isReader = isFeedReader({ scenarios });
  const rows = scenarios.map(({ name, summary, callCount, tokens, records, ...rest }): Row => {
    const { verdict, words } = troubleOf({ name, state: rest.state }, rules);
    const measure = isReader
      ? `${records?.held ?? '–'} / ${records?.served ?? '–'}`
      : `${tokens.asked} / ${tokens.needed}`;
    return {
      verdict,
      cells: [
        [{ text: name, to: scenarioAnchor(name) }],
        summary,
        String(callCount),
        measure,
        [{ text: words.join(', ') || VERDICTS[verdict].word, verdict }],
      ],
    };
  });
  return {
    id: 'scenarios',
    title: 'Scenarios',
    about: `In each scenario, the client met a separate ${isReader ? 'server' : 'service, with separate credentials'}.`,
    inSummary: true,
    blocks: [
      {
        table: {
          name: 'overview',
          caption: `Scenarios: ${scenarios.length}`,
          columns: [
            'Scenario',
            'What the client met',
            'Calls',
            isReader ? 'Held / served' : 'Tokens / needed',
            'Result',
          ],
          inTerminal: [0, 2, 3, 4],
          rows,
        },
      },
    ],
  };
}

/** Each scenario call by call. */
function scenariosOf(
  { scenarios, rules }: Certificate,
  items: readonly Item[],
  outputs: Examination['outputs'],
): Section {
  return {
    id: 'calls',
    title: 'Calls',
    about: 'What the client did in each scenario.',
    blocks: scenarios.map((scenario): Block => {
      const { name, summary, callCount, tokens, records, durationMs } = scenario;
      const { agreedLifetimeSeconds: agreed, tokenLifetimeSeconds: lived } = scenario;
      const lifetime =
        agreed === lived ? `tokens live ${lived} s, as agreed` : `${agreed} s agreed, tokens live ${lived} s`;
      const ofTokens = records ? '' : `; ${tokensInWords(tokens)}; ${lifetime}`;
      const { verdict } = troubleOf(scenario, rules);
      return {
        card: {
          id: scenarioAnchor(name),
          title: name,
          verdict,
          blocks: [
            { text: `${capitalized(summary)}. ${stateInWords(scenario)}` },
            ...(callCount > 0
              ? [{ text: `${several(callCount, 'call')} in ${inSeconds(durationMs)}${ofTokens}.` }]
              : []),
            ...callsOf(scenario, items),
            ...outputBlocks(name, outputs),
          ],
        },
      };
    }),
  };
}

/** The tables show this many calls from the start and the end, and all that prove a finding. */
const FIRST_ROWS = 60;
const LAST_ROWS = 20;
/** A table of this many calls is open if one of them proves a finding. */
const MOST_OPEN = 40;
/** Tokens in the table. */
const MOST_TOKENS = 30;

/** What the tables of calls need to know of a scenario or of a client. */
export type CallList = Pick<ScenarioResult, 'name' | 'calls' | 'callCount' | 'lives' | 'records'>;

/** The calls that a page shows, and the tokens. `untimed`: the times of the calls are not known. */
export function callsOf(list: CallList, items: readonly Item[], untimed = false): Block[] {
  const { name, calls, callCount, lives, records } = list;
  const own = items.flatMap(({ findings }) => findings).filter(({ where }) => plain(where) === name);
  const proving = new Set(
    own.flatMap(({ proof = [] }) =>
      typeof proof === 'string'
        ? []
        : proof.flatMap((part) => (typeof part === 'string' ? [] : (part.to ?? []))),
    ),
  );
  const isProof = ({ id }: Call) => proving.has(callAnchor(name, id));
  const shown = calls.filter(
    (call, at) => at < FIRST_ROWS || at >= calls.length - LAST_ROWS || isProof(call),
  );
  if (shown.length === 0) return [];
  const caption =
    shown.length === callCount
      ? `Calls: ${callCount}`
      : `Calls: ${shown.length} of ${callCount}, the first, the last and those that prove a finding`;
  const columns = [
    'Call',
    ...(untimed ? [] : ['Time']),
    'Request',
    'Answer',
    'Reason',
    ...(records ? [] : ['Token']),
    ...(own.length > 0 ? ['Finding'] : []),
  ];
  const rows = shown.map((call): Row => {
    const anchor = callAnchor(name, call.id);
    const flags = own.filter(
      ({ proof = '' }) =>
        typeof proof !== 'string' && proof.some((part) => typeof part !== 'string' && part.to === anchor),
    );
    return {
      id: anchor,
      cells: [
        String(call.id),
        ...(untimed ? [] : [`${(call.atMs / 1000).toFixed(3)} s`]),
        ...cellsOf(call, records !== undefined),
        ...(own.length > 0
          ? [
              flags.map(({ number = 0, verdict }) => ({
                text: String(number),
                to: `finding-${number}`,
                verdict,
              })),
            ]
          : []),
      ],
    };
  });
  return [
    {
      fold: 'Call by call',
      isOpen: own.length > 0 && shown.length <= MOST_OPEN,
      table: { name: 'calls', caption, columns, rows },
    },
    ...(lives.length > 0 && !untimed ? [tokensOf(lives)] : []),
  ];
}

function cellsOf(call: Call, isReader: boolean): Text[] {
  const { method, path, query, reason, token, standing, kind, proxyAnswer } = call;
  const names = query.length === 0 ? '' : `?${query.join('&')}`;
  const state = standing === undefined || standing === 'valid' ? '' : `, ${standing}`;
  return [
    [{ text: `${method} ${path}${names}`, isCode: true }],
    answerOf(call),
    proxyAnswer === undefined ? reason : `${reason} (${proxyAnswer})`,
    ...(isReader
      ? []
      : [token === undefined ? `none${state}` : `${token}${kind === 'token' ? ' issued' : ''}${state}`]),
  ];
}

const tokensOf = (lives: readonly Life[]): Block => ({
  fold: 'Tokens',
  table: {
    name: 'tokens',
    caption:
      lives.length > MOST_TOKENS
        ? `Tokens: the first ${MOST_TOKENS} of ${lives.length}`
        : `Tokens: ${lives.length}`,
    columns: ['Token', 'Issued', 'Replaced', 'End'],
    rows: lives.slice(0, MOST_TOKENS).map(({ number, issuedMs, expiresMs, endedMs }, at) => ({
      cells: [
        String(number),
        inSeconds(issuedMs),
        lives[at + 1] ? inSeconds(lives[at + 1]?.issuedMs ?? 0) : 'never',
        endedMs === undefined ? `expires at ${inSeconds(expiresMs)}` : `ended at ${inSeconds(endedMs)}`,
      ],
    })),
  },
});

/** Where the output of the client is, within the folder of the reports. */
export const outputFile = (scenario: string): string => `output/${scenario}.txt`;

const LAST_LINES = 20;
const LAST_CHARACTERS = 2000;

function outputBlocks(name: string, outputs: Examination['outputs']): Block[] {
  const lines = lastLinesOf(outputs.find(({ scenario }) => scenario === name)?.output ?? '');
  if (lines === '') return [];
  return [
    {
      fold: 'Output of the client',
      text: `The last lines; ${outputFile(name)} next to this report holds more.`,
      output: lines,
    },
  ];
}

/** The end of what a client printed, without the frames of a stack: the message is before them. */
function lastLinesOf(output: string): string {
  const lines = output.split('\n').filter((line) => !/^\s+at \S|^Node\.js v\d/.test(line));
  return lines.join('\n').trim().split('\n').slice(-LAST_LINES).join('\n').slice(-LAST_CHARACTERS);
}

// Words.

/** Whether the client reads a feed without tokens. */
export const isFeedReader = ({ scenarios }: Pick<Certificate, 'scenarios'>): boolean =>
  scenarios.some(({ records }) => records !== undefined);

/** The result as a short sentence without its full stop. */
function headlineOf(
  outcome: Report['outcome'],
  {
    failed = 0,
    warned = 0,
    passed = 0,
    'could-not-run': untested = 0,
  }: Partial<Record<Item['verdict'], number>>,
  { rules, scenarios, leftOut = [] }: Certificate,
): string {
  const all = several(rules.length, 'rule');
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0) return `The client breaks ${failed} of ${all}`;
  if (outcome === 'nonconformant')
    return `${several(warned, 'warning')}, which fail${warned === 1 ? 's' : ''} a strict run`;
  if (outcome === 'incomplete' && leftOut.length > 0)
    return `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} ${leftOut.length === 1 ? 'was' : 'were'} left out`;
  if (outcome === 'incomplete') return `${untested} of ${all} could not be tested`;
  const kept = `The client keeps all ${several(passed + warned, 'rule')} that could be tested`;
  return warned > 0 ? `${kept}, with ${several(warned, 'warning')}` : kept;
}

/** How to play one that was left out although no scenario was chosen. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'odd-secret': 'For odd-secret, the client needs a secret with a character such as + or %.',
};

/** What to do next, as a sentence. */
function nextOf(
  outcome: Report['outcome'],
  { failed = 0, warned = 0 }: Partial<Record<Item['verdict'], number>>,
  leftOut: readonly string[],
): string {
  if (outcome === 'conformant')
    return warned > 0
      ? 'Nothing has to change. The warnings name good practice that saves the service and the client trouble.'
      : 'Nothing has to change. Keep this report, and run again when the client changes.';
  if (outcome === 'nonconformant')
    return failed > 0
      ? 'Fix what failed, and run again. The report shows the scenario and the calls of each finding.'
      : 'Fix the warnings, or run without --strict.';
  if (outcome === 'incomplete' && leftOut.length > 0)
    return `Run all scenarios: a part of them certifies no client. ${LEFT_OUT[leftOut.join()] ?? 'Leave out --scenario.'}`;
  if (outcome === 'incomplete') return 'Resolve the reasons above, and run again.';
  return 'Fix the fault of the run, and run again.';
}

/** What was not played, as a sentence; none where all was. */
const leftOutInWords = ({ leftOut = [], scenarios }: Certificate): string[] =>
  leftOut.length === 0
    ? []
    : [
        `${leftOut.length} of ${several(scenarios.length + leftOut.length, 'scenario')} ${leftOut.length === 1 ? 'was' : 'were'} left out: ${leftOut.join(', ')}.`,
      ];

/** How the client renews, as a sentence. */
function strategyInWords({ strategy, marginSeconds, tokens, scenarios }: Certificate): string {
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
function stateInWords({ state, ended }: Pick<ScenarioResult, 'state' | 'ended'>): string {
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
function troubleOf(
  { name, state }: Pick<ScenarioResult, 'name' | 'state'>,
  rules: readonly JudgedRule[],
): { verdict: RuleVerdict; words: string[] } {
  const concerned = (verdict: 'failed' | 'warned') =>
    rules.filter(({ findings }) => findings.some((one) => one.scenario === name && one.verdict === verdict));
  const failed = concerned('failed');
  const warned = concerned('warned').filter((rule) => !failed.includes(rule));
  const words = [...failed, ...warned].map(({ id }) => id).concat(SHORT_STATES[state] ?? []);
  if (failed.length > 0) return { verdict: 'failed', words };
  if (warned.length > 0) return { verdict: 'warned', words };
  return { verdict: state === 'seen' ? 'passed' : 'could-not-run', words };
}

/** How a call was answered: the status, or what happened to the connection. */
function answerOf({ status, ended }: Pick<Call, 'status' | 'ended'>): string {
  if (ended === 'reset') return 'connection reset';
  if (ended === 'cut') return `${status}, cut off`;
  return ended === 'gone' ? 'the client disconnected' : String(status);
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

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
