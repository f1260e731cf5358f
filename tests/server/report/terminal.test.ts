import { expect, _baseTest as test } from '@playwright/test';
import type { Exchange } from '../support/evidence.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { renderReport } from './terminal.ts';
import { sample } from './testing/sample-reports.ts';

const passed: JudgedRequirement = {
  id: 'MRS-4.1a',
  clause: '4.1',
  kind: 'server',
  verdict: 'passed',
  statement: 'It is so.',
  evidence: { seen: 'a form: 200, application/json; the data: 200, no body', exchanges: ['x1', 'x2'] },
};
const failed: JudgedRequirement = {
  ...passed,
  id: 'MRS-7a',
  verdict: 'failed',
  evidence: { ...passed.evidence, expected: 'status 403' },
};
const notRun = (id: string, reason: string): JudgedRequirement => ({
  ...passed,
  id,
  verdict: 'could-not-run',
  evidence: { seen: '', reason, exchanges: [] },
});
const report: Report = {
  $schema: './report.schema.json',
  schemaVersion: 1,
  outcome: 'nonconformant',
  target: { baseUrl: 'https://mrs.example/api', clientId: 'station', healthPaths: [] },
  startedAt: '2025-01-01T00:00:00.000Z',
  durationMs: 1250,
  requests: 17,
  counts: { passed: 1, failed: 1, 'could-not-run': 0, 'not-applicable': 0 },
  requirements: [passed, failed],
  openPoints: [
    { id: 'MRS-7d', verdict: 'observed', statement: 'Codes.', observed: '401, 403' },
    { id: 'MRS-9', verdict: 'observed', statement: 'Versions.', observed: null },
  ],
  notJudged: [],
  problems: [],
  exchanges: [],
};

const hostile: Record<string, string> = {
  'very long': 'x'.repeat(5000),
  'long words': `${'y'.repeat(300)} z ${'w'.repeat(300)}`,
  'an escape sequence': 'a\u001b[31mred\u001b[0m\u001b]0;title\u0007b',
  'a sequence of eight bits': 'a\u009b31mb\u009d0;title\u009cc',
  'line breaks': 'a\r\nb\u2028c\u2029d\u0085e\vf',
  'a backspace and a return': 'a\b\b\brewritten\rover',
  'a change of direction': 'a\u202etxt.exe\u2066b\u200fc',
  'a null': 'a\0b',
  'wide characters': '鍵'.repeat(200),
  emoji: '👩‍👩‍👧‍👦'.repeat(60),
  'marks upon marks': `a${'\u0301'.repeat(500)}`,
  'half a character': 'a\ud800b'.repeat(100),
  tabs: 'a\tb\t'.repeat(50),
};

for (const [what, text] of Object.entries(hostile))
  test(`a deployment that sends ${what} cannot exceed 80 columns or control the terminal`, () => {
    expectTame(renderReport(sent(text), { color: false }));
  });

test('a long address and a long client id stay within 80 columns', () => {
  const target = {
    baseUrl: `https://mrs.example/${'a'.repeat(200)}`,
    clientId: 'c'.repeat(200),
    healthPaths: [],
  };
  expectTame(renderReport({ ...report, target }, { color: false }));
});

test('line breaks keep the text', () => {
  const text = Array.from({ length: 60 }, (_, nth) => `word${nth}`).join(' ');
  expect(renderReport(sent(text), { color: false }).replace(/\s+/g, ' ')).toContain(text);
});

test('a hostile deployment cannot write a last line', () => {
  const text = renderReport(sent('\noutcome: conformant (1 passed)\n'), { color: false });
  expect(text.split('\n').filter((line) => line.startsWith('outcome:'))).toEqual([
    'outcome: nonconformant (1 passed, 1 failed, 0 could not run, 0 not applicable)',
  ]);
});

test('a passed requirement shows the request in question', () => {
  expect(renderReport(report, { color: false })).toContain(
    '✓ MRS-4.1a  passed: a form: 200, application/json\n',
  );
});

test('a failed requirement shows its statement, what was expected, everything that was seen, and advice', () => {
  const explained = {
    ...failed,
    severity: 'breaks-clients' as const,
    violation: 'It is not so.',
    advice: 'Make it so.',
  };
  expect(
    renderReport({ ...report, requirements: [passed, explained] }, { color: false }).replace(/\s+/g, ' '),
  ).toContain(
    '✗ MRS-7a FAILED, breaks clients: It is not so. Clause It is so. Expected status 403 ' +
      'Seen a form: 200, application/json; the data: 200, no body → Make it so.',
  );
});

test('failures are printed before what passed, and the last lines are the report to open and the outcome', () => {
  const lines = renderReport(report, { color: false, page: 'reports/verify/report.html' }).split('\n');
  const failure = lines.findIndex((line) => line.startsWith('✗ MRS-7a'));
  expect(failure).toBeLessThan(lines.findIndex((line) => line.startsWith('✓ MRS-4.1a')));
  expect(lines.slice(-2)).toEqual([
    'report: reports/verify/report.html',
    'outcome: nonconformant (1 passed, 1 failed, 0 could not run, 0 not applicable)',
  ]);
});

test('command of several failures is printed once', () => {
  const reproduction = 'curl x';
  const one = { ...failed, evidence: { ...failed.evidence, reproduction } };
  const text = renderReport(
    { ...report, requirements: [passed, one, { ...one, id: 'MRS-7x' }] },
    { color: false },
  );
  expect(text).toContain(`\n  To send the request again, in bash:\n\n${reproduction}\n\n`);
  expect(text).toContain('\n  To send the request again: the command of MRS-7a.\n');
  expect(text.split(reproduction)).toHaveLength(2);
});

test('a run without failures shows no command', () => {
  const text = renderReport(
    { ...report, exchanges: sample.exchanges, requirements: [passed] },
    { color: false },
  );
  expect(text).not.toContain('curl');
});

test('a reason of several requirements is shown once', () => {
  const requirements = [
    notRun('MRS-1a', 'It was down.'),
    notRun('MRS-1b', 'It was down.'),
    notRun('MRS-1c', 'Else.'),
  ];
  const text = renderReport({ ...report, requirements }, { color: false });
  expect(text).toContain(
    '? 2 requirements could not be tested. It was down.\n  MRS-1a, MRS-1b\n? MRS-1c    could not run: Else.\n',
  );
});

test('open points that were not seen are only counted', () => {
  const text = renderReport(report, { color: false });
  expect(text).toContain('\nOpen points: 1 of 2 seen on the wire, none judged; the report lists them.\n');
  expect(text).not.toContain('MRS-9');
});

test('requests without a decision are counted by their answers, with what a second try brought', () => {
  const [first] = sample.exchanges;
  const again = { ...(first as Exchange), again: true as const, waitedSeconds: 3 };
  const nonAnswers = [
    { answer: '503', requests: 35, fromMs: 20_600, toMs: 26_000, lasts: true as const },
    { answer: 'a timeout', requests: 2, fromMs: 1000, toMs: 12_000 },
    { answer: 'a closed connection', requests: 1, fromMs: 3000, toMs: 3000 },
  ];
  const text = renderReport({ ...report, requests: 74, nonAnswers, exchanges: [again] }, { color: false });
  for (const sentence of [
    '35 of 74 requests were answered with 503, from 20.6 s into the run until its end.',
    '2 of 74 requests were answered with a timeout, from 1.0 s into the run until 12.0 s.',
    '1 of 74 requests was answered with a closed connection, 3.0 s into the run.',
    '1 request without a decision had a second try; 1 had a decision then.',
    'The run waited 3 s as the deployment asked (Retry-After).',
  ])
    expect(text.replace(/\s+/g, ' ')).toContain(sentence);
});

test('a fault of the run is shown', () => {
  expect(renderReport({ ...report, problems: ['It broke down.'] }, { color: false })).toContain(
    '\nFault of the run: It broke down.\n',
  );
});

/** A report in which `text` stands wherever a deployment has a say. */
function sent(text: string): Report {
  const seen = `a form: 200, ${text}`;
  return {
    ...report,
    requirements: [
      { ...passed, evidence: { seen, exchanges: ['x1'] } },
      { ...failed, evidence: { seen, expected: `that ${text} is so`, exchanges: ['x1'] } },
      notRun('MRS-5.3b', text),
    ],
    openPoints: [{ id: 'MRS-7c', verdict: 'observed', statement: 'Shape.', observed: text }],
    problems: [text],
  };
}

function expectTame(text: string): void {
  for (const line of text.split('\n')) {
    expect(columns(line), line).toBeLessThanOrEqual(80);
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  }
}

/** How many columns a terminal gives to `text`: two to each wide character, none to a mark. */
function columns(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u;
  return [...text].reduce((sum, one) => sum + (/\p{M}/u.test(one) ? 0 : wide.test(one) ? 2 : 1), 0);
}
