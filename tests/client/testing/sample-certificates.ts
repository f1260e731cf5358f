/** Examinations of clients, made up call by call. */
import type { Report } from '../../report/report.ts';
import { rules as catalogue, type JudgedRule, type ScenarioResult, textOf } from '../judge.ts';
import { type Examination, reportOf } from '../report.ts';
import type { Finding } from '../rule.ts';
import { rowsOf, scene } from './scenes.ts';

const IDS = `
  form-content-type token-accept data-accept form-fields credentials-place token-reuse bearer-header token-place renewal
  retry dead-token no-loop back-off retry-after recovers`
  .trim()
  .split(/\s+/);

/**
 * Every rule, passed where the table has no row of it: `rule | verdict | why`, or for each finding
 * `rule | verdict | scenario | what was seen | calls`.
 */
const sampleRules = (table = ''): JudgedRule[] =>
  IDS.map((id) => {
    const rule = catalogue.find((one) => one.id === id);
    if (!rule) throw new Error(`There is no rule ${id}.`);
    const rows = rowsOf(table).filter(([of]) => of === id);
    const [, verdict = 'passed', reason] = rows[0] ?? [];
    const findings = rows.flatMap(([, gravity, scenario = '', seen, calls = '']) =>
      seen === undefined
        ? []
        : { verdict: gravity as Finding['verdict'], scenario, seen, calls: calls.split(' ').map(Number) },
    );
    const why = findings.length === 0 && reason !== undefined ? { reason } : {};
    return { ...textOf(rule), verdict: verdict as JudgedRule['verdict'], ...why, findings };
  });

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
  circumstances: Partial<ScenarioResult> & { needed?: number; given?: string } = {},
): ScenarioResult {
  const { needed = 1, given = '', ...rest } = circumstances;
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

const examinationOf = (
  scenarios: readonly ScenarioResult[],
  rules: readonly JudgedRule[],
  {
    certificate,
    ...circumstances
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
    ...circumstances,
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
  sampleRules(`
    back-off    | warned | token-down | The token endpoint failed, and was asked every 500 ms, 6 times. | 9 10 11 12 13 14
    retry-after | not-applicable | No answer of the token endpoint had a Retry-After.`),
);

/** What a client prints that is broken, or wants to break what shows it. */
const GARBAGE =
  'Traceback (most recent call last):\n  File "reader.py", line 7, in <module>\n\u001b[31mKeyError\u001b[0m: \u0000\u202e<script>alert("x")</script>\n::error::not an error\n';

const UNRENEWED = 'The client ended before it could renew a token.';

/** Breaks clauses in several ways; loops, ends by itself, and prints garbage. */
const broken: Examination = examinationOf(
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
    scenario(TOKEN_429, [3, 3], '', { state: 'silent', durationMs: 0, needed: 0 }),
    scenario(DATA_RESET, [900, 900], '', { state: 'silent', needed: 0, ended: 'with exit code 127' }),
  ],
  sampleRules(`
    token-reuse | failed | steady | Each of 6 calls had a token of its own, the first of which was good for 900 s. | 3 5 7 9 11
    token-reuse | failed | expires | It was. | 7
    no-loop     | failed | 403-stays | The same request was refused 49 times, and 48 more tokens were asked for, 42 calls a second. | 4 5 6 70
    renewal     | could-not-run | ${UNRENEWED}
    retry       | could-not-run | ${UNRENEWED}
    recovers    | warned | 403-stays | 20 tokens were asked for. | 5 25
    retry-after | could-not-run | No answer of the token endpoint had a Retry-After.
    dead-token  | not-applicable | No token was refused and replaced.`),
  {
    certificate: { outcome: 'nonconformant', strategy: 'none' },
    outputs: [{ scenario: 'expires', output: GARBAGE }],
    client: { processes: 3 },
  },
);

/** Loops in thirteen scenarios: the longest report that there can be. */
const endless: Examination = examinationOf(
  Array.from({ length: 13 }, (_, nth) => {
    const one = scenario([`scenario-${nth + 1}`, STAYS[1]], [900, 900], `a0 ${loop(499, 30)}`);
    return { ...one, callCount: 41_207, state: 'deadline' as const };
  }),
  sampleRules(
    Array.from({ length: 13 }, (_, nth) => {
      const calls = Array.from({ length: 20 }, (_, at) => 200 + at).join(' ');
      const seen = 'The same request was refused 20603 times, 690 times a second.';
      return `no-loop | failed | scenario-${nth + 1} | ${seen} | ${calls}`;
    }).join('\n'),
  ),
  { certificate: { outcome: 'nonconformant' } },
);

export const SAMPLES = {
  broken: reportOf(broken),
  conformant: reportOf(conformant),
  endless: reportOf(endless),
} satisfies Record<string, Report>;
