/** Examinations of clients, made up call by call. */
import type { Report } from '../../report/report.ts';
import { rules as catalogue, type JudgedRule, type RuleVerdict, type ScenarioResult } from '../judge.ts';
import { type Examination, reportOf } from '../report.ts';
import type { Finding } from '../rule.ts';
import { scene } from './scenes.ts';

const IDS = `
  form-content-type token-accept data-accept form-fields credentials-place token-reuse bearer-header token-place renewal
  retry dead-token no-loop stampede back-off retry-after recovers refresh-once margin token-request-without-token`
  .trim()
  .split(/\s+/);

/** What a sample says of a rule that did not simply pass. */
interface Judgement {
  verdict: RuleVerdict;
  reason?: string;
  findings?: readonly Finding[];
}

/** Every rule, passed where `judgements` says nothing else. */
function sampleRules(judgements: Record<string, Judgement> = {}): JudgedRule[] {
  return IDS.map((id) => {
    const rule = catalogue.find((one) => one.id === id);
    if (!rule) throw new Error(`There is no rule ${id}.`);
    const { clause, severity, statement, advice } = rule;
    const { verdict, reason, findings = [] } = judgements[id] ?? { verdict: 'passed' as const };
    return {
      ...{ id, verdict, statement, advice, findings },
      ...(clause === undefined ? {} : { clause }),
      ...(severity === undefined ? {} : { severity }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}

const STEADY = ['steady', 'Nothing happens: tokens live for 900 s'] as const;
const EXPIRES = ['expires', 'Tokens live for 3 s, as was agreed'] as const;
const STAYS = ['403-stays', 'From the 3rd call on every answer is 403, whatever the token'] as const;
const TOKEN_DOWN = ['token-down', 'At the renewal the token endpoint answers 503 for 3 s'] as const;
const TOKEN_429 = ['token-429', 'The first renewal is answered with 429 and Retry-After: 2'] as const;
const DATA_RESET = ['data-reset', 'The connection of the 3rd call is reset'] as const;

/** Of one scenario: its calls in a line, and its circumstances besides the lifetimes that were agreed and given. */
function scenario(
  [name, summary]: readonly [name: string, summary: string],
  [agreed, lifetime]: readonly [agreed: number, lifetime: number],
  line: string,
  told: Partial<ScenarioResult> & { needed?: number; given?: string } = {},
): ScenarioResult {
  const { needed = 1, given = '', ...rest } = told;
  const { calls, lives } = scene(line, `agreed=${agreed} lives=${lifetime} ${given}`);
  return {
    ...{ name, summary, state: 'seen', callCount: calls.length, calls, lives },
    ...{ agreedLifetimeSeconds: agreed, tokenLifetimeSeconds: lifetime },
    durationMs: (calls.at(-1)?.endMs ?? 0) + 400,
    tokens: { asked: calls.filter(({ kind }) => kind === 'token').length, needed },
    ...rest,
  };
}

const counted = (count: number, callOf: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => callOf(nth)).join(' ');
/** Calls of a client that asks for a token on each 403, and is refused with each. */
const loop = (count: number, from: number) =>
  counted(count, (nth) => `${nth % 2 === 0 ? 'b' : 'a'}${from + nth * 24}`);

const steady = () => scenario(STEADY, [900, 900], 'a0 r40-3000/500');
const expires = () => scenario(EXPIRES, [3, 3], 'a0 r40-3000/500 x3040 a3070 r3100-5000/500', { needed: 2 });

export const examinationOf = (
  scenarios: readonly ScenarioResult[],
  rules: readonly JudgedRule[],
  {
    certificate,
    ...told
  }: Partial<Omit<Examination, 'certificate'>> & {
    certificate?: Partial<Examination['certificate']>;
  } = {},
): Examination => {
  const sum = (of: 'asked' | 'needed') => scenarios.reduce((total, { tokens }) => total + tokens[of], 0);
  return {
    ...{
      startedAt: '2026-11-20T16:31:08.656Z',
      durationMs: 31_204,
      outputs: [],
      strict: false,
      problems: [],
    },
    client: { command: ['python3', 'a reader.py', '--every', '0.5'], processes: 1 },
    ...told,
    certificate: {
      ...{ outcome: 'conformant', strategy: 'reactive', scenarios, rules },
      tokens: { asked: sum('asked'), needed: sum('needed') },
      ...certificate,
    },
  };
};

/** Keeps all clauses; one warning. */
export const conformant: Examination = examinationOf(
  [
    steady(),
    expires(),
    scenario(TOKEN_DOWN, [3, 3], 'a0 r40-3000/500 x3040 f3070-5600/500 a6170 r6200-7500/500', { needed: 2 }),
  ],
  sampleRules({
    'back-off': {
      verdict: 'warned',
      findings: [
        {
          ...{ verdict: 'warned', scenario: 'token-down' },
          seen: 'The token endpoint failed, and was asked every 500 ms, 6 times.',
          calls: [9, 10, 11, 12, 13, 14],
        },
      ],
    },
    'retry-after': { verdict: 'not-applicable', reason: 'The scenario token-429 was left out.' },
  }),
);

/** What a client prints that is broken, or wants to break what shows it. */
const GARBAGE =
  'Traceback (most recent call last):\n  File "reader.py", line 7, in <module>\n\u001b[31mKeyError\u001b[0m: \u0000\u202e<script>alert("x")</script>\n::error::not an error\n';

const UNRENEWED = {
  verdict: 'could-not-run',
  reason: 'The client ended before it could renew a token.',
} as const;

/** Breaks clauses in several ways; loops, ends by itself, and prints garbage. */
export const broken: Examination = examinationOf(
  [
    scenario(
      STEADY,
      [900, 900],
      counted(6, (nth) => `a${nth * 500} r${nth * 500 + 30}`),
    ),
    scenario(EXPIRES, [3, 3], 'a0 r40-3000/500 x3040', {
      ...{ needed: 2, state: 'ended', ended: 'with exit code 1' },
    }),
    scenario(STAYS, [900, 900], `a0 r30 r530 ${loop(97, 1030)}`, { state: 'deadline' }),
    scenario(TOKEN_429, [3, 3], '', { state: 'skipped', durationMs: 0, needed: 0 }),
    scenario(DATA_RESET, [900, 900], '', { state: 'silent', needed: 0, ended: 'with exit code 127' }),
  ],
  sampleRules({
    'token-reuse': {
      verdict: 'failed',
      findings: [
        {
          ...{ verdict: 'failed', scenario: 'steady' },
          seen: 'Each of 6 calls had a token of its own, the first of which was good for 900 s.',
          calls: [3, 5, 7, 9, 11],
        },
        { ...{ verdict: 'failed', scenario: 'expires' }, seen: 'It was.', calls: [7] },
      ],
    },
    'no-loop': {
      verdict: 'failed',
      findings: [
        {
          ...{ verdict: 'failed', scenario: '403-stays' },
          seen: 'The same request was refused 49 times, and 48 more tokens were asked for, 42 calls a second.',
          calls: [4, 5, 6, 70],
        },
      ],
    },
    renewal: UNRENEWED,
    retry: UNRENEWED,
    stampede: {
      verdict: 'warned',
      findings: [
        {
          ...{ verdict: 'warned', scenario: '403-stays' },
          seen: '20 tokens were asked for.',
          calls: [5, 25],
        },
      ],
    },
    'retry-after': { verdict: 'could-not-run', reason: 'The scenario token-429 was never begun.' },
    margin: { verdict: 'not-applicable', reason: 'The client does not renew by its own clock.' },
  }),
  {
    certificate: { outcome: 'nonconformant', strategy: 'none' },
    outputs: [{ scenario: 'expires', output: GARBAGE }],
    client: { processes: 3 },
  },
);

/** Loops in thirteen scenarios: the longest report that there can be. */
export const endless: Examination = examinationOf(
  Array.from({ length: 13 }, (_, nth) => {
    const one = scenario([`scenario-${nth + 1}`, STAYS[1]], [900, 900], `a0 ${loop(499, 30)}`);
    return { ...one, callCount: 41_207, state: 'deadline' as const };
  }),
  sampleRules({
    'no-loop': {
      verdict: 'failed',
      findings: Array.from({ length: 13 }, (_, nth) => ({
        ...{ verdict: 'failed' as const, scenario: `scenario-${nth + 1}` },
        seen: 'The same request was refused 20603 times, 690 times a second.',
        calls: Array.from({ length: 20 }, (_, at) => 200 + at),
      })),
    },
  }),
  { certificate: { outcome: 'nonconformant' } },
);

export const SAMPLES = {
  broken: reportOf(broken),
  conformant: reportOf(conformant),
  endless: reportOf(endless),
} satisfies Record<string, Report>;
