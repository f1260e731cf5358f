import { expect, _baseTest as test } from '@playwright/test';
import type { CertificateReport } from './report.ts';
import { broken, conformant } from './testing/sample-certificates.ts';
import {
  answerOf,
  callsInWords,
  commandLine,
  headlineOf,
  inSeconds,
  nextOf,
  stateInWords,
  strategyInWords,
  tokensInWords,
  troubleOf,
} from './wording.ts';

const reporting = (told: Partial<CertificateReport>): CertificateReport => ({ ...conformant, ...told });

for (const [told, sentence] of [
  [
    { strategy: 'reactive' },
    'The client is reactive: it requests a new token when a 403 shows that the old one has expired.',
  ],
  [
    { strategy: 'proactive', marginSeconds: 0.534 },
    'The client is proactive: it renews its token by its own clock, typically 0.53 s before its expiry.',
  ],
  [{ strategy: 'proactive' }, 'The client is proactive: it renews its token by its own clock.'],
  [
    { strategy: 'both', marginSeconds: -2 },
    'The client does both: it renews its token by its own clock, typically 2 s after its expiry, and when a 403 shows that the old one has expired.',
  ],
  [
    { strategy: 'proactive', marginSeconds: 0 },
    'The client is proactive: it renews its token by its own clock, at its expiry.',
  ],
  [
    { strategy: 'none' },
    'The client did not renew a token in this run, neither by its own clock nor after a 403.',
  ],
  [
    { strategy: 'none', tokens: { asked: 0, needed: 0 } },
    'The client got no token, so this run did not see how it renews one.',
  ],
] as [Partial<CertificateReport>, string][])
  test(`strategy in words: ${sentence}`, () => {
    expect(strategyInWords(reporting(told))).toBe(sentence);
  });

for (const [asked, needed, words] of [
  [7, 1, '7 tokens requested, 1 needed'],
  [2, 2, '2 tokens requested, as many as needed'],
  [1, 1, '1 token requested, as many as needed'],
  [1, 2, '1 token requested, 2 needed'],
  [0, 0, 'no token issued'],
  [0, 1, 'no token issued, 1 needed'],
] as const)
  test(`tokens in words: ${words}`, () => {
    expect(tokensInWords({ asked, needed })).toBe(words);
  });

for (const [calls, words] of [
  [[], ''],
  [[3], 'call 3'],
  [[3, 4], 'calls 3 and 4'],
  [[3, 5, 7, 8, 9], 'calls 3, 5 and 7–9'],
  [[1, 2, 3], 'calls 1–3'],
] as const)
  test(`calls in words: ${words || 'none'}`, () => {
    expect(callsInWords(calls)).toBe(words);
  });

test('answer in words is the status, or what happened to the connection', () => {
  expect(answerOf({ status: 200 })).toBe('200');
  expect(answerOf({ status: 200, ended: 'reset' })).toBe('connection reset');
  expect(answerOf({ status: 200, ended: 'cut' })).toBe('200, cut off');
  expect(answerOf({ status: 200, ended: 'gone' })).toBe('the client disconnected');
});

test('state in words works without a known end', () => {
  expect(stateInWords({ state: 'seen' })).toBe('The scenario is complete.');
  expect(stateInWords({ state: 'silent' })).toBe('The client never called.');
  expect(stateInWords({ state: 'ended' })).toBe('The client exited before the scenario was complete.');
});

test('command line can be read, and entered again', () => {
  expect(commandLine(['python3', 'a b.py', "it's", '', '--url={MRS_BASE_URL}', '\u001b[31m'])).toBe(
    `python3 'a b.py' 'it'\\''s' '' --url={MRS_BASE_URL} $'\\x1b[31m'`,
  );
});

test('seconds of a longer span have fewer decimals', () => {
  expect([1234, 12_345, 123_456, 0].map(inSeconds)).toEqual(['1.23 s', '12.3 s', '123 s', '0 s']);
});

test('result of a scenario is its gravest verdict', () => {
  const troubles = broken.scenarios.map((scenario) => troubleOf(scenario, broken.rules));
  expect(troubles).toEqual([
    { verdict: 'failed', words: ['token-reuse'] },
    { verdict: 'could-not-run', words: ['exited early'] },
    { verdict: 'failed', words: ['no-loop', 'out of time'] },
    { verdict: 'failed', words: ['token-reuse', 'stampede'] },
    { verdict: 'could-not-run', words: ['skipped'] },
    { verdict: 'could-not-run', words: ['silent'] },
  ]);
  expect(conformant.scenarios.map((scenario) => troubleOf(scenario, conformant.rules).verdict)).toEqual([
    ...['passed', 'passed', 'passed', 'warned', 'passed'],
  ]);
});

test('headline names what is wrong, and by how much', () => {
  expect(headlineOf(broken)).toBe('The client breaks 2 of 19 rules');
  expect(headlineOf(reporting({ outcome: 'nonconformant' }))).toBe('1 warning, which fails a strict run');
  expect(headlineOf(conformant)).toBe('The client keeps all 17 rules that could be tested, with 1 warning');
  expect(headlineOf(reporting({ outcome: 'error' }))).toBe('The run itself failed');
});

test('next step names warnings if nothing failed', () => {
  expect(nextOf(conformant)).toContain('The warnings');
  const counts = { ...conformant.counts, warned: 0 };
  expect(nextOf(reporting({ counts }))).toContain('Keep this report');
});
