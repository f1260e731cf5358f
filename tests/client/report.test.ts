import { expect, _baseTest as test } from '@playwright/test';
import { renderPage } from '../report/page.ts';
import { type Block, plain, type Report } from '../report/report.ts';
import type { Certificate } from './judge.ts';
import { type Examination, inOrder, inSeconds, reportOf } from './report.ts';
import { conformant, SAMPLES } from './testing/sample-certificates.ts';

const reported = (certificate: Partial<Certificate>, run: Partial<Examination> = {}): Report =>
  reportOf({ ...conformant, ...run, certificate: { ...conformant.certificate, ...certificate } });
/** The blocks of a scenario, by its name. */
const cardOf = ({ sections }: Report, name: string): readonly Block[] =>
  sections.flatMap(({ blocks }) => blocks).find(({ card }) => card?.title === name)?.card?.blocks ?? [];

for (const [report, outcome, headline, next] of [
  [
    reported({}),
    'conformant',
    'The client keeps all 14 rules that could be tested, with 1 warning',
    /^Nothing/,
  ],
  [reported({}, { strict: true }), 'nonconformant', '1 warning in a strict run', /^Fix what failed/],
  [
    reported({}, { problems: ['It broke.'] }),
    'error',
    'The run itself failed',
    /^Fix what made the run fail/,
  ],
  [SAMPLES.broken, 'nonconformant', 'The client breaks 2 of 15 rules', /^Fix what failed/],
  [
    reported({ outcome: 'incomplete', leftOut: ['odd-secret'] }),
    ...['incomplete', '1 of 4 scenarios left out', /^Run all scenarios/],
  ],
] as [Report, string, string, RegExp][])
  test(`result in words: ${headline}`, () => {
    expect(report).toMatchObject({ outcome, headline, next: expect.stringMatching(next) });
  });

test('rules are read by clause, as numbers, and good practice after them', () => {
  const clauses = ['MRS-10.1', 'MRS-5.10a', undefined, 'RFC 9110', 'MRS-2b@static-feed', 'MRS-5.2', 'MRS-5c'];
  const rules = clauses.map((clause) => (clause === undefined ? {} : { clause }));
  expect(inOrder(rules).map(({ clause }) => clause)).toEqual([
    ...['MRS-5c', 'MRS-5.2', 'MRS-5.10a', 'MRS-10.1', 'MRS-2b@static-feed', 'RFC 9110', undefined],
  ]);
});

test('table of 500 calls has the first, and those that prove a finding', () => {
  const table = cardOf(SAMPLES.endless, 'scenario-1').find((one) => one.table?.name === 'calls')?.table;
  const shown = table?.rows.map(({ cells: [id] }) => Number(id)) ?? [];
  expect(shown).toHaveLength(80);
  expect(shown).toEqual(expect.arrayContaining([1, 60, 200, 219]));
  expect(table?.caption).toMatch(/^Calls: 80 of 41207, /);
});

test('a finding by as many calls as are kept says that there are more', () => {
  const [finding] = SAMPLES.endless.items.find(({ id }) => id === 'no-loop')?.findings ?? [];
  expect(plain(finding?.proof ?? '')).toMatch(/^calls 200, 201, .*, 219, …$/);
});

test('page of thirteen loops of 500 calls is smaller than a megabyte', () => {
  expect(Buffer.byteLength(renderPage(SAMPLES.endless))).toBeLessThan(1_000_000);
});

/** What the report keeps of the output of a scenario. */
const keptOf = (output: string) =>
  cardOf(reported({}, { outputs: [{ scenario: 'steady', output }] }), 'steady').find((one) => one.output);

test('a report keeps the last lines of what a client printed, without the frames of a stack', () => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);
  expect(keptOf(`${lines.join('\n')}\n`)).toMatchObject({
    text: expect.stringContaining('output/steady.txt'),
    output: lines.slice(5).join('\n'),
  });
  const frames = Array.from({ length: 30 }, (_, index) => `    at step${index} (/srv/client.js:${index}:1)`);
  expect(keptOf(['Error: no token', ...frames, '', 'Node.js v20.20.0', ''].join('\n'))?.output).toBe(
    'Error: no token',
  );
  expect(keptOf('\n')).toBeUndefined();
});

test('a client that left early is quoted, and the file of what it printed is named', () => {
  const [first, ...others] = conformant.certificate.scenarios;
  const outputs = [
    { scenario: 'steady', output: 'Start\nError: no route to host\n    at connect (a.js:1:1)\n' },
  ];
  const words = 'The output of the client, output/steady.txt, ends with: Error: no route to host';
  for (const state of ['silent', 'ended', 'seen'] as const) {
    const scenarios = [{ ...(first as typeof first & object), name: 'steady', state }, ...others];
    const { remarks } = reported({ scenarios }, { outputs });
    expect(remarks).toEqual([
      'The client requested new tokens after a 403.',
      ...(state === 'seen' ? [] : [words]),
    ]);
  }
});

test('command line can be read, and entered again', () => {
  const command = ['python3', 'a b.py', "it's", '', '--url={MRS_BASE_URL}', '\u001b[31m'];
  expect(reported({}, { client: { processes: 1, command } }).subject.text).toBe(
    `python3 'a b.py' 'it'\\''s' '' --url={MRS_BASE_URL} $'\\x1b[31m'`,
  );
});

test('a longer span has fewer decimals', () => {
  expect([1234, 12_345, 123_456, 0].map(inSeconds)).toEqual(['1.23 s', '12.3 s', '123 s', '0 s']);
});
