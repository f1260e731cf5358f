import { expect, test } from '@playwright/test';
import type { CertificateReport } from './report.ts';
import { broken, conformant } from './testing/sample-certificates.ts';
import {
  answerOf,
  callsInWords,
  commandLine,
  inSeconds,
  outcomeOf,
  stateInWords,
  strategyInWords,
  tally,
  tokensInWords,
  troubleOf,
} from './wording.ts';

const reporting = (told: Partial<CertificateReport>): CertificateReport => ({ ...conformant, ...told });

for (const [told, sentence] of [
  [
    { strategy: 'reactive' },
    'The client is reactive: it asks for a new token when a 403 says that the old one is over.',
  ],
  [
    { strategy: 'proactive', marginSeconds: 0.534 },
    'The client is proactive: it renews its token by its own clock, typically 0.53 s before its expiry.',
  ],
  [{ strategy: 'proactive' }, 'The client is proactive: it renews its token by its own clock.'],
  [
    { strategy: 'both', marginSeconds: -2 },
    'The client does both: it renews its token by its own clock, typically 2 s after its expiry, and when a 403 says that the old one is over.',
  ],
  [
    { strategy: 'proactive', marginSeconds: 0 },
    'The client is proactive: it renews its token by its own clock, at the moment of its expiry.',
  ],
  [{ strategy: 'none' }, 'The client was not seen to renew a token, neither by its clock nor on a 403.'],
  [
    { strategy: 'none', tokens: { asked: 0, needed: 0 } },
    'The client was given no token, so it was not seen how it renews one.',
  ],
] as [Partial<CertificateReport>, string][])
  test(`the strategy in words: ${sentence}`, () => {
    expect(strategyInWords(reporting(told))).toBe(sentence);
  });

for (const [asked, needed, words] of [
  [7, 1, '7 tokens asked for, 1 would do'],
  [2, 2, '2 tokens asked for, as many as it takes'],
  [1, 1, '1 token asked for, as many as it takes'],
  [1, 2, '1 token asked for, 2 needed'],
  [0, 0, 'no token given'],
  [0, 1, 'no token given, 1 needed'],
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

test('how a call was answered is its status, or what became of the connection', () => {
  expect(answerOf({ status: 200 })).toBe('200');
  expect(answerOf({ status: 200, ended: 'reset' })).toBe('connection reset');
  expect(answerOf({ status: 200, ended: 'cut' })).toBe('200, cut off');
  expect(answerOf({ status: 200, ended: 'gone' })).toBe('the client had left');
});

test('how far a scenario came, also for one of which it is not known how it ended', () => {
  expect(stateInWords({ state: 'seen' })).toBe('All that the scenario is for was seen.');
  expect(stateInWords({ state: 'silent' })).toBe('The client never called.');
  expect(stateInWords({ state: 'ended' })).toBe(
    'The client ended by itself, before all that the scenario is for was seen.',
  );
});

test('a command line can be read, and entered again', () => {
  expect(commandLine(['python3', 'a b.py', "it's", '', '--url={MRS_BASE_URL}', '\u001b[31m'])).toBe(
    `python3 'a b.py' 'it'\\''s' '' --url={MRS_BASE_URL} $'\\x1b[31m'`,
  );
});

test('the longer a span, the coarser it is told', () => {
  expect([1234, 12_345, 123_456, 0].map(inSeconds)).toEqual(['1.23 s', '12.3 s', '123 s', '0 s']);
});

test('the tally has the verdicts in a stable order', () => {
  expect(tally(broken)).toBe('14 passed, 2 failed, 1 warned, 3 could not run, 1 not applicable');
});

test('a failure weighs more than a warning, that more than what was not seen', () => {
  const troubles = broken.scenarios.map((scenario) => troubleOf(scenario, broken.rules));
  expect(troubles).toEqual([
    { verdict: 'failed', words: ['token-reuse'] },
    { verdict: 'could-not-run', words: ['ended early'] },
    { verdict: 'failed', words: ['no-loop', 'time was up'] },
    { verdict: 'failed', words: ['token-reuse', 'stampede'] },
    { verdict: 'could-not-run', words: ['skipped'] },
    { verdict: 'could-not-run', words: ['silent'] },
  ]);
  expect(conformant.scenarios.map((scenario) => troubleOf(scenario, conformant.rules).verdict)).toEqual([
    ...['passed', 'passed', 'passed', 'warned', 'passed'],
  ]);
});

test('a strict run that fails on warnings alone claims no broken clause', () => {
  const strict = reporting({ outcome: 'nonconformant' });
  expect(outcomeOf(strict).meaning).toMatch(/^No clause was broken/);
  expect(outcomeOf(broken).meaning).toBe('The client does otherwise than the specification states.');
});

test('warnings are named where nothing failed', () => {
  expect(outcomeOf(conformant).next).toContain('The warnings');
  const counts = { ...conformant.counts, warned: 0 };
  expect(outcomeOf(reporting({ counts })).next).toContain('Keep this report');
});
