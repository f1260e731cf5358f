/** Examinations of clients, whose calls are made up, and which are judged as real ones are. */
import type { Report } from '../../report/report.ts';
import type { ScenarioRun } from '../judge.ts';
import { type Examination, reportOf } from '../report.ts';
import { scene } from './scenes.ts';

/** What happens in a scenario, by its name. */
const SUMMARIES: Readonly<Record<string, string>> = {
  steady: 'nothing goes wrong: tokens live for 900 s',
  expires: 'tokens live for 3 s, as was agreed',
  '403-stays': 'from the 3rd call on every answer is 403, whatever the token',
  'token-down': 'at the renewal the token endpoint answers 503 for 3 s',
  'token-429': 'the first renewal is answered with 429 and Retry-After: 2',
  'data-reset': 'the connection of the 3rd call is reset',
};

/** A scenario by its calls in a line. */
const run = (name: string, calls: string, given = '', state: ScenarioRun['state'] = 'seen'): ScenarioRun => ({
  traffic: scene(calls, `name=${name} ${given}`),
  summary: SUMMARIES[name] ?? 'the same again',
  state,
});

const counted = (count: number, callOf: (nth: number) => string): string =>
  Array.from({ length: count }, (_, nth) => callOf(nth)).join(' ');

/** Of a client that asks for a token on each 403, and is refused with each. */
const loop = (from: number, count: number) =>
  counted(count, (nth) => `${nth % 2 === 0 ? 'b' : 'a'}${from + nth * 24}`);

const examinationOf = (runs: readonly ScenarioRun[], more: Partial<Examination> = {}): Examination => ({
  ...{ startedAt: '2026-11-20T16:31:08.656Z', durationMs: 31_204, outputs: [], strict: false, problems: [] },
  client: { command: ['python3', 'a reader.py', '--every', '0.5'], processes: 1 },
  ...{ runs, leftOut: [] },
  ...more,
});

const steady = run('steady', 'a0 r40-3000/500');

/** Keeps all clauses; one warning. */
export const conformant: Examination = examinationOf([
  steady,
  run('expires', 'a0 r40-3000/500 x3040 a3070 r3100-5000/500', 'agreed=3'),
  run('token-down', 'a0 r40-3000/500 x3040 f3070-3400/40 a6170 r6200-7500/500', 'agreed=3'),
]);

/** What a client prints that is broken, or wants to break what shows it. */
const GARBAGE =
  'Traceback (most recent call last):\n  File "reader.py", line 7, in <module>\n\u001b[31mKeyError\u001b[0m: \u0000\u202e<script>alert("x")</script>\n::error::not an error\n';

/** Breaks clauses in several ways; loops, ends by itself, and prints garbage. */
const broken: Examination = examinationOf(
  [
    run(
      'steady',
      counted(6, (nth) => `a${nth * 1000} r${nth * 1000 + 30} r${nth * 1000 + 530}`),
    ),
    run('expires', 'a0 r40-3000/500 x3040', 'agreed=3 exits=1', 'ended'),
    run('403-stays', `a0 r30 r530 ${loop(1030, 97)}`, '', 'deadline'),
    run('token-429', '', 'agreed=3 until=0', 'silent'),
    run('data-reset', '', 'until=0 exits=127', 'ended'),
  ],
  { outputs: [{ scenario: 'expires', output: GARBAGE }], client: { command: ['./client'], processes: 3 } },
);

/** Loops in thirteen scenarios: the longest report that there can be. */
const endless: Examination = examinationOf([
  steady,
  ...Array.from({ length: 13 }, (_, nth) => run(`scenario-${nth + 1}`, `a0 r40-7000/100 ${loop(7000, 900)}`)),
]);

export const SAMPLES = {
  broken: reportOf(broken),
  conformant: reportOf(conformant),
  endless: reportOf(endless),
} satisfies Record<string, Report>;
