import { expect, _baseTest as test } from '@playwright/test';
import { renderCertificate } from './terminal.ts';
import { broken, conformant, faulty, silent } from './testing/sample-certificates.ts';

const plain = { color: false };
const linesOf = (text: string): string[] => text.split('\n');

test('last line has a stable form', () => {
  const last = (report: typeof conformant) => linesOf(renderCertificate(report, plain)).at(-1);
  expect(last(conformant)).toBe(
    'outcome: conformant (16 passed, 0 failed, 1 warned, 0 could not run, 2 not applicable), strategy: reactive',
  );
  expect(last(faulty)).toBe(
    'outcome: error (19 passed, 0 failed, 0 warned, 0 could not run, 0 not applicable), strategy: proactive',
  );
});

test('each scenario has a line, with a word if something is wrong', () => {
  const text = renderCertificate(broken, plain);
  expect(text).toContain(
    [
      '  scenario                calls  tokens / needed',
      '✗ steady                     12            6 / 1  token-reuse',
      '? expires                     8            1 / 2  exited early',
      '✗ 403-stays                 500          249 / 1  no-loop, out of time',
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

test('client that exited is listed, with where to read its output', () => {
  const text = renderCertificate(broken, plain).replace(/\s+/g, ' ');
  expect(text).toContain(
    'expires: The client exited with exit code 1 before the scenario was complete. Its last output (all of it is in output/expires.txt, next to report.json):',
  );
  expect(text).toContain('data-reset: The client never called. It exited with exit code 127.');
  expect(renderCertificate(silent, plain)).toContain('\nsteady, expires: The client never called.\n');
});

test('passed rules share a paragraph, rules without a judgement one for each reason', () => {
  const text = renderCertificate(broken, plain);
  expect(text).toContain(
    '✓ passed: form-content-type, token-accept, data-accept, dead-token, form-fields,\n  cred',
  );
  expect(text).toContain(
    '? could not run: renewal, retry\n    The client ended before it could renew a token.\n',
  );
});

test('finding shows where, what and which calls, and what to do', () => {
  expect(renderCertificate(broken, plain)).toContain(
    [
      '✗ no-loop FAILED, burdens the service, MRS-5c: A request that is also refused',
      '  with a fresh token is not repeated again and again.',
      '  · 403-stays: The same request was refused 249 times, and 248 more tokens were',
      '    asked for, 42 calls a second. (calls 4–10)',
      '  → Renew and retry once per request. If the fresh token is refused too, the 403',
    ].join('\n'),
  );
});

test('strategy, tokens and faults of the run are shown', () => {
  const text = renderCertificate(faulty, plain);
  expect(text).toContain('\nFault of the run: The journal was lost.\n');
  expect(text).toContain(
    '\nThe client is proactive: it renews its token by its own clock, typically 0.3 s\nbefore',
  );
  expect(text).toContain('\ntokens: 3 tokens requested, as many as needed\n');
});
