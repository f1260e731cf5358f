import { expect, test } from 'vitest';
import { renderPage } from '../report/page.ts';
import { type Block, nextOf, plain, type Report } from '../report/report.ts';
import type { ScenarioRun } from './judge.ts';
import { type Examination, itemOf, reportOf, tokensInWords } from './report.ts';
import { conformant, SAMPLES } from './testing/sample-certificates.ts';
import { scene } from './testing/scenes.ts';
import type { End } from './traffic.ts';

const reported = (more: Partial<Examination>): Report => reportOf({ ...conformant, ...more });
/** What is shown of a scenario, by its name. */
const shownOf = ({ sections }: Report, name: string): Block | undefined =>
  sections.flatMap(({ blocks }) => blocks).find(({ fold }) => fold?.slice(2) === name);

for (const [report, outcome, headline] of [
  [reported({}), 'conformant', 'No rule is violated, with 1 warning'],
  [reported({ strict: true }), 'nonconformant', '1 warning in a strict run'],
  [reported({ problems: ['It broke.'] }), 'error', 'The run itself failed'],
  [
    SAMPLES.broken,
    'nonconformant',
    'The client ended by itself in 2 of 5 scenarios, first in expires with exit code 1. Its output, output/expires.txt, has: ::error::not an error. 3 violations',
  ],
  [
    reported({ leftOut: ['odd-secret'] }),
    ...['incomplete', 'Nothing is violated, but too little was tested'],
  ],
] as [Report, string, string][])
  test(`result in words: ${headline}`, () => {
    expect(report).toMatchObject({ outcome, headline });
  });

test('a partial examination asks for the scenarios that were not played', () => {
  const partial = reported({ leftOut: ['odd-secret'] });
  expect(nextOf(partial)).toBe('Play all scenarios to their end.');
  expect(partial.remarks.join()).toMatch(
    /^1 of \d scenarios left out: odd-secret\. A part of the scenarios certifies no client\.$/,
  );
  expect(nextOf(reported({}))).not.toBe(nextOf(partial));
});

test('table of 500 calls has the first, and those that prove a finding', () => {
  const table = shownOf(SAMPLES.endless, 'scenario-1')?.table;
  const shown = table?.rows.map(({ cells: [id] }) => Number(id)) ?? [];
  expect(shown).toHaveLength(80);
  expect(shown).toEqual(expect.arrayContaining([1, 60, 72, 110]));
  expect(table?.caption).toMatch(/^Calls: 80 of 971, /);
});

test('a finding by as many calls as are kept says that there are more', () => {
  const [finding] = SAMPLES.endless.items.find(({ id }) => id === 'no-loop')?.findings ?? [];
  expect(plain(finding?.proof ?? '')).toMatch(/^scenario-1, calls 72, 74, .*, 90, …$/);
});

test('findings that differ only in their numbers are one, and calls in a row a range', () => {
  const rule = {
    id: 'token-reuse',
    statement: 'It is so.',
    notTested: '',
    advice: '',
    verdict: 'failed',
  } as const;
  const findings = ['steady', 'expires'].map((scenario, at) => ({
    ...({ verdict: 'failed', scenario, seen: `${at} tokens`, calls: [1, 4, 5, 6] } as const),
  }));
  const { findings: shown } = itemOf({ ...rule, findings }, 'scenario');
  expect(shown.map(({ where, seen, proof = '' }) => [where, seen, proof].map(plain))).toEqual([
    ['2 scenarios: steady, expires', '0 tokens', 'steady, calls 1, 4–6'],
  ]);
});

test('page of thirteen loops of 500 calls is smaller than a megabyte', () => {
  expect(Buffer.byteLength(renderPage(SAMPLES.endless))).toBeLessThan(1_000_000);
});

/** The scenarios, of which the first ended in this way. */
function inSteady(state: ScenarioRun['state'], ended?: End): ScenarioRun[] {
  const [first, ...others] = conformant.runs;
  const { traffic, summary } = first as ScenarioRun;
  return [{ summary, state, traffic: { ...traffic, ...(ended && { ended }) } }, ...others];
}

for (const [language, output, quoted] of [
  [
    'Node.js',
    `node:internal/modules/cjs/loader:1\n  throw err;\n  ^\n\nError: Cannot find module 'x'\n    at f (a.js:1:1) {\n  code: 'E'\n}\n\nNode.js v20.1\n`,
    "Error: Cannot find module 'x'",
  ],
  [
    'Python',
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    except KeyError: x\nImportError: No module y\n',
    'ImportError: No module y',
  ],
  [
    'Java',
    'Exception in thread "main" java.lang.RuntimeException: a\n\tat A.main(A.java:1)\nCaused by: java.net.ConnectException: refused\n\t... 3 more\n',
    'Caused by: java.net.ConnectException: refused',
  ],
  ['Go', 'panic: no secret\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2\n', 'panic: no secret'],
  ['a shell', 'start\nsh: 1: client: not found\n', 'sh: 1: client: not found'],
  ['no language', 'up\n0 errors\nbye\n\n]})\n', 'bye'],
] as const)
  test(`the headline quotes the error of what a client in ${language} printed before it ended`, () => {
    const runs = inSteady('ended', { code: 1 });
    expect(reported({ runs, outputs: [{ scenario: 'steady', output }] }).headline).toBe(
      `The client ended by itself in 1 of 3 scenarios, first in steady with exit code 1. Its output, output/steady.txt, has: ${quoted}. 1 of 18 rules could not be tested`,
    );
  });

test('the headline says last how a client ended that is conformant, and nothing of a client that did not end', () => {
  const headline = (...how: Parameters<typeof inSteady>) => reported({ runs: inSteady(...how) }).headline;
  const met = 'No rule is violated, with 1 warning';
  expect([headline('ended', { code: 0 }), headline('seen')]).toEqual([
    `${met}. The client ended by itself in 1 of 3 scenarios, first in steady with exit code 0`,
    met,
  ]);
});

test('a client that does not start is said to be that once, with the number of scenarios that were left out', () => {
  const dead = ['steady', 'expires'].map((name): ScenarioRun => {
    const traffic = scene('', `name=${name} until=0 exits=1`);
    return { traffic, summary: '', state: 'ended' };
  });
  const report = reported({ runs: dead, leftOut: ['parallel', 'token-down'] });
  expect(report.headline).toMatch(
    /^The client ended by itself in 2 of 4 scenarios, first in steady with exit code 1, before its first call\. /,
  );
  expect(report.remarks).toEqual([
    'The other 2 of 4 scenarios were not played, since the client does not start.',
  ]);
});

for (const [state, says] of [
  [
    'interrupted',
    [expect.stringMatching(/^Interrupted after \d+ s by Ctrl-C or a signal, and not by the client\.$/)],
  ],
  ['deadline', [expect.stringContaining('Raise --deadline for a client that pauses for long')]],
  [
    'silent',
    [expect.stringContaining('Raise --deadline for a client that pauses for long before its first call')],
  ],
  ['seen', []],
] as const)
  test(`a scenario whose state is ${state} is ${says.length > 0 ? 'explained' : 'not mentioned'}, and the client is not blamed`, () => {
    const outputs = [{ scenario: 'steady', output: 'Error: x\n' }];
    expect(reported({ runs: inSteady(state), outputs }).remarks).toEqual(says);
  });

test('the profile under which a client was examined is a fact of the report, where one was', () => {
  const profiles = [{}, { profile: 'nrao-ods' }].map((run) => reported(run).facts.map(({ name }) => name));
  expect(profiles.map((names) => names.includes('Profile'))).toEqual([false, true]);
});

test('more tokens than the fewest look like a fault only where the client requested some without need', () => {
  expect(tokensInWords({ asked: 43, needed: 26 }, [])).toBe('43');
  const table = SAMPLES.broken.sections[0]?.blocks[0]?.table;
  expect(table?.rows.map(({ cells }) => cells[3]).join(' ')).toMatch(/\d, where \d would do/);
});

test('command line can be read, and entered again', () => {
  const command = ['python3', 'a b.py', "it's", '', '--url={MRS_BASE_URL}', '\u001b[31m'];
  expect(reported({ client: { processes: 1, command } }).subject.text).toBe(
    `python3 'a b.py' 'it'\\''s' '' --url={MRS_BASE_URL} $'\\x1b[31m'`,
  );
});
