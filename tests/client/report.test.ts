import { expect, _baseTest as test } from '@playwright/test';
import { renderPage } from '../report/page.ts';
import type { Block, Report } from '../report/report.ts';
import { textOf } from '../report/testing/outline.ts';
import type { TokenCount } from './evidence.ts';
import type { Certificate } from './judge.ts';
import { type Examination, inSeconds, numbered, reportOf } from './report.ts';
import { broken, conformant, SAMPLES } from './testing/sample-certificates.ts';

const told = (certificate: Partial<Certificate>, run: Partial<Examination> = {}, base = conformant): Report =>
  reportOf({ ...base, ...run, certificate: { ...base.certificate, ...certificate } });
const factsOf = ({ facts }: Report) => Object.fromEntries(facts.map(({ name, text }) => [name, text]));
/** The blocks of a scenario, by its name. */
const cardOf = ({ sections }: Report, name: string): readonly Block[] =>
  sections.flatMap(({ blocks }) => blocks).find(({ card }) => card?.title === name)?.card?.blocks ?? [];

const [BY_CLOCK, ON_403] = [
  'renews its token by its own clock',
  'when a 403 shows that the old one has expired',
];
for (const [strategy, marginSeconds, sentence, tokens = { asked: 2, needed: 2 }] of [
  ['reactive', undefined, `The client is reactive: it requests a new token ${ON_403}.`],
  ['proactive', 0.534, `The client is proactive: it ${BY_CLOCK}, typically 0.53 s before its expiry.`],
  ['proactive', undefined, `The client is proactive: it ${BY_CLOCK}.`],
  ['proactive', 0, `The client is proactive: it ${BY_CLOCK}, at its expiry.`],
  ['both', -2, `The client does both: it ${BY_CLOCK}, typically 2 s after its expiry, and ${ON_403}.`],
  [
    'none',
    undefined,
    'The client did not renew a token in this run, neither by its own clock nor after a 403.',
  ],
  [
    ...['none', undefined, 'The client got no token, so this run did not see how it renews one.'],
    { asked: 0, needed: 0 },
  ],
] as [Certificate['strategy'], number | undefined, string, TokenCount?][])
  test(`strategy in words: ${sentence}`, () => {
    const margin = marginSeconds === undefined ? {} : { marginSeconds };
    expect(told({ strategy, tokens, ...margin }).remarks).toEqual([sentence]);
  });

test('tokens are counted in words', () => {
  const words = (asked: number, needed: number) => factsOf(told({ tokens: { asked, needed } })).Tokens;
  expect([words(7, 1), words(1, 1), words(0, 0), words(0, 1)]).toEqual([
    ...['7 tokens requested, 1 needed', '1 token requested, as many as needed'],
    ...['no token issued', 'no token issued, 1 needed'],
  ]);
});

const passed = conformant.certificate.rules.filter(({ verdict }) => verdict === 'passed');
const KEPT = 'The client keeps all 18 rules that could be tested';
for (const [report, outcome, headline, next] of [
  [told({}), 'conformant', `${KEPT}, with 1 warning`, /The warnings name good practice/],
  [told({ rules: passed }), 'conformant', KEPT.replace('18', '17'), /^Nothing has to change\./],
  [told({}, { strict: true }), 'nonconformant', '1 warning, which fails a strict run', /without --strict/],
  [told({}, { problems: ['It broke.'] }), 'error', 'The run itself failed', /^Fix what made the run fail/],
  [SAMPLES.broken, 'nonconformant', 'The client breaks 2 of 19 rules', /^Fix what failed/],
  [
    told({ outcome: 'incomplete', leftOut: ['odd-secret'] }),
    'incomplete',
    '1 of 4 scenarios was left out',
    /a secret with a character such as \+ or %/,
  ],
] as [Report, string, string, RegExp][])
  test(`result in words: ${headline}`, () => {
    expect(report).toMatchObject({ outcome, headline, next: expect.stringMatching(next) });
  });

test('rules are read by clause, as numbers, and good practice after them', () => {
  const clauses = ['MRS-10.1', 'MRS-5.10a', undefined, 'RFC 9110', 'MRS-2b@static-feed', 'MRS-5.2', 'MRS-5c'];
  const rules = clauses.map((clause) => ({ id: '', findings: [], ...(clause !== undefined && { clause }) }));
  expect(numbered(rules).map(({ rule }) => rule.clause)).toEqual([
    ...['MRS-5c', 'MRS-5.2', 'MRS-5.10a', 'MRS-10.1', 'MRS-2b@static-feed', 'RFC 9110', undefined],
  ]);
});

test('table of 500 calls has the first, the last and those that prove a finding', () => {
  const table = cardOf(SAMPLES.endless, 'scenario-1').find((one) => one.table?.name === 'calls')?.table;
  const shown = table?.rows.map(({ cells: [id] }) => Number(id)) ?? [];
  expect(shown).toHaveLength(100);
  expect(shown).toEqual(expect.arrayContaining([1, 60, 200, 219, 481, 500]));
  expect(table?.caption).toMatch(/^Calls: 100 of 41207, /);
});

test('page of thirteen loops of 500 calls is smaller than a megabyte', () => {
  expect(Buffer.byteLength(renderPage(SAMPLES.endless))).toBeLessThan(1_000_000);
});

test('finding in an unknown scenario is shown without a link', () => {
  const page = renderPage(told({ scenarios: [] }, {}, broken));
  expect(textOf(page)).toContain('403-stays: The same request was refused 49 times');
  expect(page).not.toContain('href="#scenario-403-stays"');
});

/** What the report keeps of the output of a scenario. */
const keptOf = (output: string) =>
  cardOf(told({}, { outputs: [{ scenario: 'steady', output }] }), 'steady').find((one) => one.output);

test('a report keeps the last 20 lines of what a client printed, and names the file of the rest', () => {
  const lines = Array.from({ length: 25 }, (_, index) => `line ${index + 1}`);
  expect(keptOf(`${lines.join('\n')}\n`)).toMatchObject({
    text: expect.stringContaining('output/steady.txt'),
    output: lines.slice(5).join('\n'),
  });
  expect(keptOf('\n')).toBeUndefined();
});

test('a report keeps the message of an error, and not the frames of its stack', () => {
  const frames = Array.from({ length: 30 }, (_, index) => `    at step${index} (/srv/client.js:${index}:1)`);
  const printed = ['Error: no token in the answer', ...frames, '', 'Node.js v20.20.0', ''].join('\n');
  expect(keptOf(printed)?.output).toBe('Error: no token in the answer');
});

test('a client that left early is quoted, and the file of what it printed is named', () => {
  const [first, ...others] = conformant.certificate.scenarios;
  const outputs = [
    { scenario: 'steady', output: 'Start\nError: no route to host\n    at connect (a.js:1:1)\n\n' },
  ];
  const remarksOf = (state: 'silent' | 'ended' | 'seen') => {
    const scenarios = [{ ...(first as typeof first & object), name: 'steady', state }, ...others];
    return told({ scenarios }, { outputs }).remarks.slice(1);
  };
  const words = 'The output of the client, output/steady.txt, ends with: Error: no route to host';
  expect(remarksOf('silent')).toEqual([words]);
  expect(remarksOf('ended')).toEqual([words]);
  expect(remarksOf('seen')).toEqual([]);
});

test('command line can be read, and entered again', () => {
  const command = ['python3', 'a b.py', "it's", '', '--url={MRS_BASE_URL}', '\u001b[31m'];
  expect(told({}, { client: { processes: 1, command } }).subject.text).toBe(
    `python3 'a b.py' 'it'\\''s' '' --url={MRS_BASE_URL} $'\\x1b[31m'`,
  );
});

test('processes are named only if there are several, and a longer span has fewer decimals', () => {
  expect(factsOf(told({}))).not.toHaveProperty('Processes');
  expect(factsOf(SAMPLES.broken).Processes).toBe('3, with one client id');
  expect([1234, 12_345, 123_456, 0].map(inSeconds)).toEqual(['1.23 s', '12.3 s', '123 s', '0 s']);
});
