import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { HOSTILE } from '../../report/testing/hostile.ts';
import { isBinding, ledger, type Requirement } from '../../support/requirements.ts';
import { UsageError } from '../../support/usage-error.ts';
import { exitCodes, type Verdict } from '../../support/verdict.ts';
import type { Evidence, Exchange } from '../support/evidence.ts';
import { blankEvidence } from '../testing/blank-evidence.ts';
import {
  buildReport,
  type JudgedRequirement,
  type Report,
  readReport,
  reportSchema,
  type TestVerdict,
} from './report.ts';
import { sample } from './testing/sample-reports.ts';

const rows: Requirement[] = [
  { id: 'MRS-1a', clause: '1', kind: 'server', statement: 'One.' },
  { id: 'MRS-1b', clause: '1', kind: 'interpretation', statement: 'Two.', reading: 'Read so.' },
  { id: 'MRS-1c', clause: '1', kind: 'open', statement: 'Three.' },
  { id: 'MRS-2a', clause: '2', kind: 'client', statement: 'Four.' },
  { id: 'MRS-2b', clause: '2', kind: 'not-observable', statement: 'Five.', reason: 'Unseen.' },
];

const blank = blankEvidence();
const evidence: Evidence = {
  ...blank,
  target: { baseUrl: 'http://mrs.example', clientId: 'station', healthPaths: ['/live'] },
  startedAt: '2025-01-01T00:00:00.000Z',
  durationMs: 12,
  requests: 3,
  token: { ...blank.token, valid: exchange('x1', 'a form', 200, 1) },
  data: { ...blank.data, withoutToken: exchange('x2', 'the data without a token', 401, 1) },
  health: [{ plain: exchange('x3', 'the health check /live', 204, 2) }],
};
const allPassed = [verdict('MRS-1a', 'passed'), verdict('MRS-1b', 'passed')];

for (const [one, two, outcome] of [
  ['passed', 'passed', 'conformant'],
  ['passed', 'not-applicable', 'conformant'],
  ['passed', 'could-not-run', 'incomplete'],
  ['passed', 'failed', 'nonconformant'],
  ['failed', 'could-not-run', 'nonconformant'],
  ['failed', 'not-applicable', 'nonconformant'],
  ['failed', 'failed', 'nonconformant'],
  ['could-not-run', 'not-applicable', 'incomplete'],
  ['could-not-run', 'could-not-run', 'incomplete'],
  ['not-applicable', 'not-applicable', 'incomplete'],
] as const)
  test(`${one} and ${two}, in either order, make a run ${outcome}`, () => {
    for (const [a, b] of [
      [one, two],
      [two, one],
    ] as const) {
      const report = build([verdict('MRS-1a', a), verdict('MRS-1b', b)]);
      expect(report.outcome).toBe(outcome);
      expect(report.requirements.map((requirement) => requirement.verdict)).toEqual([a, b]);
      expect(Object.values(report.counts).reduce((sum, count) => sum + count)).toBe(2);
    }
  });

for (const one of ['passed', 'failed', 'could-not-run', 'not-applicable'] as const)
  test(`a fault of the run makes it an error, where all are ${one}`, () => {
    const report = build([verdict('MRS-1a', one), verdict('MRS-1b', one)], ['It broke down.']);
    expect(report).toMatchObject({ outcome: 'error', problems: ['It broke down.'] });
  });

test('the exit codes are those of the design', () => {
  expect(exitCodes).toEqual({
    accepted: 0,
    conformant: 0,
    'conformant-to-profile': 0,
    nonconformant: 1,
    error: 2,
    incomplete: 3,
  });
});

test('a requirement without a test could not be run', () => {
  const report = build([verdict('MRS-1a', 'passed')]);
  expect(report.outcome).toBe('incomplete');
  expect(report.requirements[1]).toMatchObject({
    id: 'MRS-1b',
    verdict: 'could-not-run',
    evidence: { seen: '', reason: 'No test of it ran.', exchanges: [] },
  });
});

test('a run in which no test ran is incomplete, and so is one of an empty ledger', () => {
  expect(build([]).outcome).toBe('incomplete');
  expect(buildReport([], evidence, [], []).outcome).toBe('incomplete');
});

for (const id of ['MRS-9z', 'MRS-1', 'MRS-1c', 'MRS-2a', 'MRS-2b', 'smoke'])
  test(`a test for ${id}, which owes no verdict, is an error`, () => {
    const report = build([...allPassed, verdict(id, 'passed')]);
    expect(report.outcome).toBe('error');
    expect(report.problems).toEqual([
      `A test is for ${id}, which is not a requirement of tests/requirements.yaml.`,
    ]);
  });

for (const [order, gravest] of [
  [['passed', 'failed', 'could-not-run'], 'failed'],
  [['could-not-run', 'passed'], 'could-not-run'],
  [['not-applicable', 'passed'], 'passed'],
  [['not-applicable', 'could-not-run'], 'could-not-run'],
  [['not-applicable', 'not-applicable'], 'not-applicable'],
] as [Verdict[], Verdict][])
  test(`of ${order.join(', ')} for one requirement, ${gravest} stands`, () => {
    for (const verdicts of [order, order.toReversed()]) {
      const report = build([...verdicts.map((one) => verdict('MRS-1a', one)), verdict('MRS-1b', 'passed')]);
      expect(report.requirements[0]?.verdict).toBe(gravest);
      expect(report.counts.passed).toBe(gravest === 'passed' ? 2 : 1);
    }
  });

test('a verdict rests on its exchanges, in words and once each', () => {
  const report = build([
    { id: 'MRS-1a', verdict: 'failed', expected: 'more', exchanges: ['x2', 'x1', 'x2', 'x1'] },
  ]);
  expect(report.requirements[0]?.evidence).toEqual({
    seen: 'the data without a token: 401, no body; a form: 200, application/json',
    expected: 'more',
    exchanges: ['x2', 'x1'],
  });
});

test('what was seen begins with the deciding answer, and counts the others that were alike', () => {
  const { token, data } = evidence;
  const more: Evidence = {
    ...evidence,
    token: { ...token, again: exchange('x4', 'the form again', 200, 3) },
    data: {
      ...data,
      first: exchange('x5', 'the data', 200, 4),
      expiredToken: exchange('x6', 'the data with the expired token', 401, 5),
    },
  };
  const seenOf = (exchanges: string[]) =>
    buildReport(rows, more, [{ id: 'MRS-1a', verdict: 'failed', exchanges }], []).requirements[0]?.evidence
      .seen;
  expect(seenOf(['x1', 'x2', 'x5', 'x6', 'x4'])).toBe(
    'a form: 200, application/json; the data without a token and 1 more request: 401, no body; ' +
      'the data and 1 more request: 200, application/json',
  );
});

test('an interpretation is reported with its reading', () => {
  expect(build(allPassed).requirements[1]).toMatchObject({ kind: 'interpretation', reading: 'Read so.' });
});

test('what is not judged is named, with its reason where there is one', () => {
  expect(build(allPassed).notJudged).toEqual([
    { id: 'MRS-2a', clause: '2', kind: 'client', statement: 'Four.' },
    { id: 'MRS-2b', clause: '2', kind: 'not-observable', statement: 'Five.', reason: 'Unseen.' },
  ]);
});

test('each statement of the specification is judged, observed or named as not judged, once', () => {
  const report = buildReport(ledger, evidence, [], []);
  const told = [...report.requirements, ...report.openPoints, ...report.notJudged].map(({ id }) => id);
  expect(told.toSorted()).toEqual(ledger.map(({ id }) => id).toSorted());
  expect(new Set(told).size).toBe(told.length);
  expect(report.openPoints.map(({ id }) => id)).toEqual(
    ledger.filter(({ kind }) => kind === 'open').map(({ id }) => id),
  );
});

test('every open point is observed and none is judged, whatever was seen', () => {
  for (const point of buildReport(ledger, evidence, [], []).openPoints)
    expect(point).toEqual({
      id: expect.any(String),
      verdict: 'observed',
      statement: expect.stringMatching(/./),
      observed: point.observed === null ? null : expect.stringMatching(/./),
    });
});

test('what was observed of open points is reported', () => {
  const { openPoints } = buildReport(ledger, evidence, [], []);
  const seen = Object.fromEntries(openPoints.map(({ id, observed }) => [id, observed]));
  expect(seen).toMatchObject({
    'MRS-4.3c': '/live',
    'MRS-4.3d': 'GET /live: 204',
    'MRS-4.3e': 'no body',
    'MRS-7d': '401',
    'MRS-7e': 'the data without a token: 401, no body',
    'MRS-5e': null,
    'MRS-6': null,
    'MRS-9': null,
  });
});

test('exchanges are listed in the order in which they were sent', () => {
  const quick = {
    ...evidence,
    token: { ...evidence.token, again: exchange('x10', 'the form again', 200, 3) },
  };
  expect(buildReport(rows, quick, [], []).exchanges.map(({ id }) => id)).toEqual(['x1', 'x2', 'x3', 'x10']);
});

test('exchanges within one millisecond keep their order too', () => {
  const instant = {
    ...evidence,
    data: { ...evidence.data, withoutToken: exchange('x2', 'the data', 401, 7) },
    token: {
      ...evidence.token,
      valid: exchange('x1', 'a form', 200, 7),
      again: exchange('x3', 'again', 200, 7),
    },
    health: [],
  };
  expect(buildReport(rows, instant, [], []).exchanges.map(({ id }) => id)).toEqual(['x1', 'x2', 'x3']);
});

for (const [what, verdicts, problems] of [
  ['all passed', ledger.filter(isBinding).map(({ id }) => verdict(id, 'passed')), []],
  ['all failed', ledger.filter(isBinding).map(({ id }) => verdict(id, 'failed')), []],
  ['nothing ran', [], []],
  ['not applicable', ledger.filter(isBinding).map(({ id }) => verdict(id, 'not-applicable')), []],
  ['the run broke down', [verdict('smoke', 'passed')], ['It broke down.']],
] as [string, TestVerdict[], string[]][])
  test(`the report of a run is one by its schema: ${what}`, () => {
    expect(faultsOf(buildReport(ledger, evidence, verdicts, problems))).toEqual([]);
  });

test('the report of a run without an answer is one by its schema', () => {
  const { response: _, ...unanswered } = exchange('x1', 'a form', 200, 1);
  const down = { ...evidence, token: { ...evidence.token, valid: { ...unanswered, failure: 'reset' } } };
  expect(faultsOf(buildReport(ledger, down, [], []))).toEqual([]);
});

test('the report of a run that verified no certificates is one by its schema', () => {
  const report = buildReport(ledger, { ...evidence, certificatesVerified: false }, [], []);
  expect(report.certificatesVerified).toBe(false);
  expect(faultsOf(report)).toEqual([]);
});

function reportFile(text: string): string {
  const file = test.info().outputPath('report.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function complaint(file: string): string {
  try {
    readReport(file);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'none';
}

const judging = (difference: Partial<JudgedRequirement>): Report => ({
  ...sample,
  requirements: sample.requirements.slice(0, 1).map((one) => ({ ...one, ...difference })),
});

const { exchanges, target } = sample;
const [answered, unanswered] = exchanges;
const { outcome: _, ...withoutOutcome } = sample;
const { failure: __, ...withoutEither } = unanswered ?? {};
const nothing = { seen: '', exchanges: [] };

test('a report is read as it was written', () => {
  expect(readReport(reportFile(JSON.stringify(sample, null, 2)))).toEqual(sample);
});

test('a report that holds hostile text is a report', () => {
  const observed = Object.values(HOSTILE).join('');
  const report = { ...sample, openPoints: sample.openPoints.map((point) => ({ ...point, observed })) };
  expect(readReport(reportFile(JSON.stringify(report)))).toEqual(report);
});

for (const [what, text] of [
  ['an empty file', ''],
  ['HTML', '<html></html>'],
  ['a report that is cut off', JSON.stringify(sample).slice(0, -1)],
  ['YAML', 'outcome: conformant'],
] as const)
  test(`${what} is not JSON`, () => {
    const file = reportFile(text);
    expect(complaint(file)).toBe(
      `${file} cannot be read as a report (it is not JSON). Name a report.json of mrs verify.`,
    );
  });

test('a report that is missing or a directory is refused with the reason', () => {
  const directory = dirname(reportFile(''));
  for (const [file, code] of [
    [directory, 'EISDIR'],
    [`${directory}/none.json`, 'ENOENT'],
  ])
    expect(complaint(file ?? '')).toBe(
      `${file} cannot be read as a report (${code}). Name a report.json of mrs verify.`,
    );
});

for (const [what, value, fault] of [
  ['null', null, 'it must be object'],
  ['a list', [sample], 'it must be object'],
  ['an empty object', {}, "it must have required property 'schemaVersion'"],
  ['a report of another schema', { ...sample, schemaVersion: 2 }, '/schemaVersion must be equal to constant'],
  ['a report without an outcome', withoutOutcome, "it must have required property 'outcome'"],
  ['a report of more', { ...sample, more: 1 }, 'it must NOT have additional properties'],
  [
    'an unknown outcome',
    { ...sample, outcome: 'fine' },
    '/outcome must be equal to one of the allowed values',
  ],
  [
    'a target with a secret',
    { ...sample, target: { ...target, secret: 's' } },
    '/target must NOT have additional properties',
  ],
  ['a moment that is none', { ...sample, startedAt: 'today' }, '/startedAt must match format "date-time"'],
  ['a negative count', { ...sample, requests: -1 }, '/requests must be >= 0'],
  [
    'an id of another kind',
    judging({ id: 'MRS-1\u001b[2J' }),
    '/requirements/0/id must match pattern "^MRS-\\d+(\\.\\d+)*[a-z]?(@[a-z0-9-]+)?$"',
  ],
  [
    'a verdict that rests on nothing',
    judging({ evidence: nothing }),
    '/requirements/0/evidence/seen must NOT have fewer than 1 characters',
  ],
  [
    'a failure of no expectation',
    judging({ verdict: 'failed' }),
    "/requirements/0/evidence must have required property 'expected'",
  ],
  ...(['could-not-run', 'not-applicable'] as const).map(
    (verdict) =>
      [
        `${verdict} without a reason`,
        judging({ verdict, evidence: nothing }),
        "/requirements/0/evidence must have required property 'reason'",
      ] as const,
  ),
  [
    'a verdict without exchanges',
    judging({ evidence: { seen: 'x', exchanges: [] } }),
    '/requirements/0/evidence/exchanges must NOT have fewer than 1 items',
  ],
  [
    'a verdict of another name',
    judging({ verdict: 'skipped' as Verdict }),
    '/requirements/0/verdict must be equal to one of the allowed values',
  ],
  [
    'an open point that is judged',
    { ...sample, openPoints: sample.openPoints.map((point) => ({ ...point, verdict: 'failed' })) },
    '/openPoints/0/verdict must be equal to constant',
  ],
  [
    'a run that says little of certificates',
    { ...sample, certificatesVerified: 'no' },
    '/certificatesVerified must be equal to constant',
  ],
  [
    'an exchange of neither answer nor failure',
    { ...sample, exchanges: [withoutEither] },
    "/exchanges/0 must have required property 'response'",
  ],
  [
    'an exchange of both',
    { ...sample, exchanges: [{ ...answered, failure: 'x' }] },
    '/exchanges/0 must match exactly one schema in oneOf',
  ],
] as const)
  test(`${what} is refused, with the location of the fault`, () => {
    const file = reportFile(JSON.stringify(value));
    expect(complaint(file)).toBe(`${file} is not a report: ${fault}. Name a report.json of mrs verify.`);
  });

function verdict(id: string, one: Verdict): TestVerdict {
  if (one === 'passed') return { id, verdict: one, exchanges: ['x1'] };
  if (one === 'failed') return { id, verdict: one, expected: 'something else', exchanges: ['x1'] };
  return { id, verdict: one, reason: 'For this reason.', exchanges: [] };
}

function exchange(id: string, what: string, status: number, sentAtMs: number): Exchange {
  const [mediaType, bodyBytes] = status === 200 ? ['application/json', 9] : [undefined, 0];
  return {
    id,
    what,
    request: {
      method: 'GET',
      path: what.endsWith('/live') ? '/live' : '/',
      headers: [['accept', 'application/json']],
    },
    sentAtMs,
    durationMs: 1,
    response: {
      status,
      ...(mediaType && { mediaType }),
      headers: [],
      bodyBytes,
      digest: '0'.repeat(64),
      excerpt: '',
      json: { wellFormed: false, error: 'the body is empty' },
    },
  };
}

function build(verdicts: TestVerdict[], problems: string[] = []): Report {
  return buildReport(rows, evidence, verdicts, problems);
}

/** Where a report is not what its schema says. */
function faultsOf(report: unknown): string[] {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(reportSchema));
  return validate(report) ? [] : (validate.errors ?? []).map(({ instancePath }) => instancePath);
}
