import { stripVTControlCharacters } from 'node:util';
import { expect, test } from '@playwright/test';
import stringWidth from 'string-width';
import { HOSTILE, poisoned } from '../../server/report/testing/sample-reports.ts';
import { renderCertificate } from './terminal.ts';
import { broken, CHOSEN, conformant, faulty, SAMPLES, silent } from './testing/sample-certificates.ts';

const plain = { color: false };
const linesOf = (text: string): string[] => text.split('\n');

test('the last line is stable', () => {
  const last = (report: typeof conformant) => linesOf(renderCertificate(report, plain)).at(-1);
  expect(last(conformant)).toBe(
    'outcome: conformant (17 passed, 0 failed, 1 warned, 0 could not run, 3 not applicable), strategy: reactive',
  );
  expect(last(faulty)).toBe(
    'outcome: error (21 passed, 0 failed, 0 warned, 0 could not run, 0 not applicable), strategy: proactive',
  );
});

test('each scenario has a line, with a word where something is wrong', () => {
  const text = renderCertificate(broken, plain);
  expect(text).toContain(
    [
      '  scenario                calls  tokens / needed',
      '✗ steady                     12            6 / 1  token-reuse',
      '? expires                     8            1 / 2  ended early',
      '✗ 403-stays                 500          249 / 1  no-loop, time was up',
      '✗ parallel                   64           21 / 2  token-reuse, stampede',
      '? token-429                   0            0 / 0  skipped',
      '? data-reset                  0            0 / 0  silent',
      '',
    ].join('\n'),
  );
  expect(renderCertificate(conformant, plain)).toContain(
    '\n✓ steady                      7            1 / 1\n',
  );
});

test('a client that ended is told of, and where to read what it printed', () => {
  const text = renderCertificate(broken, plain).replace(/\s+/g, ' ');
  expect(text).toContain(
    'expires: The client ended by itself, with exit code 1, before all that the scenario is for was seen. It printed last (all of it is in output/expires.txt, beside report.json):',
  );
  expect(text).toContain('data-reset: The client never called. It ended by itself, with exit code 127.');
  expect(renderCertificate(silent, plain)).toContain('\nsteady, expires: The client never called.\n');
});

test('rules that passed are told together, those without a judgement by their reason', () => {
  const text = renderCertificate(broken, plain);
  expect(text).toContain(
    '✓ passed: form-content-type, token-accept, data-accept, dead-token, form-fields,\n  cred',
  );
  expect(text).toContain(
    '? could not run: renewal, retry\n    The client ended before it could renew a token.\n',
  );
});

test('a finding says where, what and which calls, and what to do', () => {
  expect(renderCertificate(broken, plain)).toContain(
    [
      '✗ no-loop FAILED, MRS-5c: A 403 that stays ends in an error, after a few tries.',
      '  · 403-stays: The same request was refused 249 times, and 248 more tokens were',
      '    asked for, 42 calls a second. (calls 4–10)',
      '  → Count the tries: after one new token and one more 403 the fault is not the',
    ].join('\n'),
  );
});

test('the strategy, the tokens and the faults of the run are told', () => {
  const text = renderCertificate(faulty, plain);
  expect(text).toContain('\nFault of the run: The journal was lost.\n');
  expect(text).toContain(
    '\nThe client is proactive: it renews its token by its own clock, typically 0.3 s\nbefore',
  );
  expect(text).toContain('\ntokens: 3 tokens asked for, as many as it takes\n');
});

test('colours change nothing but the colours', () => {
  for (const report of Object.values(SAMPLES)) {
    const coloured = renderCertificate(report, { color: true });
    expect(coloured).toContain('\u001b[');
    expect(stripVTControlCharacters(coloured)).toBe(renderCertificate(report, plain));
  }
});

for (const [name, report] of Object.entries(SAMPLES))
  test(`${name}: no line but the last is wider than 80 columns`, () => {
    const lines = linesOf(renderCertificate(report, plain)).slice(0, -1);
    expect(lines.filter((line) => stringWidth(line) > 80)).toEqual([]);
  });

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: nothing that a terminal or a CI log obeys, in 80 columns`, () => {
    const report = { ...broken, problems: ['It broke.'] };
    const told = renderCertificate(poisoned(report, `${text}::error::`, CHOSEN), plain);
    expect(told).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u2029\p{Cs}]/u);
    expect(told).not.toMatch(/::|##\[/);
    expect(
      linesOf(told)
        .slice(0, -1)
        .filter((line) => stringWidth(line) > 80),
    ).toEqual([]);
    expect(linesOf(told).at(-1)).toBe(linesOf(renderCertificate(report, plain)).at(-1));
  });
