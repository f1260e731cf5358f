import { expect, _baseTest as test } from '@playwright/test';
import { renderAnnotations } from '../../report/annotations.ts';
import { renderJunit } from '../../report/junit.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { renderPage } from '../../report/page.ts';
import { tokens } from '../../report/testing/markdown.ts';
import { textOf } from '../../report/testing/outline.ts';
import { testRenderings } from '../../report/testing/renderings.ts';
import { all, parse } from '../../report/testing/xml.ts';
import { suite } from '../../support/version.ts';
import { explain } from './explain.ts';
import { modelOf } from './model.ts';
import { renderReport } from './terminal.ts';
import { proof, SAMPLES, sample } from './testing/sample-reports.ts';

testRenderings({
  samples: SAMPLES,
  victim: SAMPLES.faulty,
  modelOf,
  terminalOf: renderReport,
});

test('JUnit has a test case for each requirement, with its clause and the time of its exchanges', () => {
  const cases = all(parse(renderJunit(modelOf(sample))), 'testcase').map(({ attributes }) => attributes);
  expect(cases).toEqual([
    { classname: '2', name: 'MRS-2a What MRS-2a states.', time: '0.040' },
    { classname: '4.1', name: 'MRS-4.1j What MRS-4.1j states.', time: '2.050' },
    { classname: '4.2', name: 'MRS-4.2a What MRS-4.2a states.', time: '2.010' },
    { classname: '4.3', name: 'MRS-4.3a What MRS-4.3a states.', time: '0.000' },
  ]);
});

test('JUnit failure names what was expected, what was seen and how to send the request again', () => {
  const [failure] = all(parse(renderJunit(modelOf(explain(sample)))), 'failure');
  expect(failure?.attributes).toEqual({
    type: 'nonconformity',
    message:
      'A token is issued for a wrong client_secret. Expected no token. Seen: a form with a wrong client_secret: 200, application/json.',
  });
  expect(failure?.text).toMatch(/Expected: +no token\nSeen: +a form with a wrong client_secret: 200/);
  expect(failure?.text).toContain("curl --include --url 'https://mrs.example.org/api/token/'");
});

test('JUnit message of a skipped requirement begins with its verdict', () => {
  const skipped = all(parse(renderJunit(modelOf(sample))), 'skipped').map(({ attributes }) => attributes);
  expect(skipped).toEqual([
    { message: 'could not run: No answer came.' },
    { message: 'not applicable: The paths are not shown.' },
  ]);
});

test('a failure that a baseline accepts is no failure of the job, and every format says until when and why', () => {
  const model = modelOf(SAMPLES.accepted);
  const accepted = 'accepted until 2030-01-31 by ops: A fix is due.';
  const junit = parse(renderJunit(model));
  expect(all(junit, 'failure')).toEqual([]);
  const messages = all(junit, 'skipped').map(({ attributes }) => attributes.message);
  expect(messages).toContainEqual(expect.stringContaining(`failed, ${accepted}`));
  expect(messages).toContainEqual(
    expect.stringContaining('accepted until 2030-02-28 by ops: The data is down.'),
  );
  const terminal = renderReport(SAMPLES.accepted, { color: false }).replace(/\s+/g, ' ');
  const page = textOf(renderPage(model)).replace(/\s+/g, ' ');
  for (const text of [terminal, page, renderMarkdown(model)]) {
    expect(text).toContain(accepted);
    expect(text).toContain('which the baseline accepts');
    expect(text).not.toContain('Fix what failed');
  }
  expect(terminal).toMatch(/outcome: accepted \(1 passed, 1 failed, /);
  expect(renderAnnotations(model, { GITHUB_ACTIONS: 'true' })[0]).toMatch(/^::notice /);
});

test('a fault of a baseline is an error in JUnit, which is otherwise green', () => {
  const messages = all(parse(renderJunit(modelOf(SAMPLES.outlived))), 'error').map(
    ({ attributes }) => attributes.message,
  );
  expect(messages).toEqual(SAMPLES.outlived.baseline.faults);
});

test('a run on the bundled mock, and one that was judged again, say so in every format', () => {
  const model = modelOf(SAMPLES.again);
  const texts = [
    renderReport(SAMPLES.again, { color: false }),
    textOf(renderPage(model)),
    renderMarkdown(model),
    renderJunit(model),
  ];
  for (const text of texts)
    expect(text).toMatch(/bundled.?mock[\s\S]*judged.?again|judged.?again[\s\S]*bundled.?mock/i);
  expect(texts[0]).toMatch(/outcome: nonconformant \(.*; bundled mock; judged again\)$/);
  expect(renderPage(model)).toMatch(/<title>.*bundled mock/);
});

test('JUnit properties hold the outcome and the target', () => {
  const [properties] = all(parse(renderJunit(modelOf(sample))), 'properties');
  expect(properties?.children.map(({ attributes }) => attributes)).toEqual([
    { name: 'outcome', value: 'nonconformant' },
    { name: 'target', value: 'https://mrs.example.org/api' },
    { name: 'client', value: 'acme' },
    { name: 'requests', value: '3' },
    { name: 'suite', value: `mrs-contract ${suite.version}` },
    { name: 'requirements', value: suite.requirements },
    { name: 'specification', value: suite.specification },
    { name: 'contract', value: suite.contract },
    { name: 'run', value: sample.runId },
  ]);
});

test('Markdown shows a failure with its facts and the command', () => {
  const blocks = tokens(renderMarkdown(modelOf(explain(sample)))).filter(({ type }) => type === 'code');
  expect(blocks.map((block) => 'text' in block && block.text)).toEqual([
    [
      'Expected:        no token',
      'Seen:            a form with a wrong client_secret: 200, application/json',
      'Body:            a JSON object: { token }',
      'Read as:         How it is read.',
      'Expiry known by: waited for the agreed lifetime',
    ].join('\n'),
    expect.stringMatching(/^curl --include --url 'https:\/\/mrs.example.org\/api\/token\/' .*$/),
  ]);
});

test('Markdown lists only open points that were observed', () => {
  const summary = renderMarkdown(modelOf(sample));
  expect(summary).toContain('<summary>Open points: 1 of 2 seen on the wire, none judged</summary>');
  expect(summary).toContain('- MRS-7d: The codes of errors. `400, 401`');
  expect(summary).not.toContain('MRS-9');
});

for (const [format, render] of [
  ['page', renderPage],
  ['Markdown', renderMarkdown],
] as const)
  test(`${format} shows the proof, or that there is none`, () => {
    const unproved = render(modelOf({ ...sample, proof: undefined as never }));
    expect(unproved).toMatch(/Self-test of the suite: not run; it is optional \(`?mrs prove`?\)|`Self-test/);
    const proven = render(modelOf({ ...sample, proof }));
    expect(proven).toContain('The suite caught 31 of 31 mocks');
    expect(proven).toContain(proof.digest);
  });

test('page shows faults of the run and each reason, up to four, before the requirements', () => {
  const [, , first] = sample.requirements;
  if (!first) throw new Error('The sample has a requirement that could not be run.');
  const requirements = [1, 2, 3, 4, 5, 6, 7].map((number) => ({
    ...first,
    id: `MRS-${number}`,
    evidence: { ...first.evidence, reason: `Reason ${number}.` },
  }));
  const html = renderPage(modelOf({ ...sample, requirements, problems: ['It broke.', 'Twice.'] }));
  const header = textOf(html.split('<main>')[0] ?? '');
  expect(header).toContain('2 faults of the run');
  expect(header).toContain('It broke.');
  expect(header.match(/Reason \d/g)).toEqual(['Reason 1', 'Reason 2', 'Reason 3', 'Reason 4']);
  expect(header).toContain('3 more');
});

test('first screen of the page says what is wrong, how grave it is and what to do', () => {
  const html = renderPage(modelOf(sample));
  const header = textOf(html.split('<main>')[0] ?? '');
  expect(header).toContain('1 of 4 requirements is violated');
  expect(header).toMatch(
    /security A token is issued for a wrong client_secret\. MRS-4\.1j\s*Compare the whole secret\./,
  );
  expect(header).toContain(`mrs-contract ${suite.version}`);
  expect(header).toContain(sample.runId);
});

test('each format names the severity of a failure', () => {
  const model = modelOf(sample);
  expect(renderMarkdown(model)).toContain('- ✗ **security**: A token is issued for a wrong client');
  const [, failed] = all(parse(renderJunit(model)), 'testcase');
  const properties = all(failed as never, 'property').map(({ attributes }) => attributes);
  expect(properties).toContainEqual({ name: 'severity', value: 'security' });
  expect(renderReport(sample, { color: false })).toContain('✗ MRS-4.1j FAILED, security: A token is issued');
});

test('requirements that one cause kept from being tested are one line, in the page and the terminal', () => {
  const reason = 'Cannot reach https://mrs.example: unknown host. Correct the host name in MRS_BASE_URL.';
  const [first] = sample.requirements;
  if (!first) throw new Error('The sample has requirements.');
  const requirements = [1, 2, 3].map((number) => ({
    ...first,
    id: `MRS-${number}`,
    verdict: 'could-not-run' as const,
    evidence: { seen: '', reason, exchanges: [] },
  }));
  const report = {
    ...sample,
    outcome: 'incomplete' as const,
    counts: { passed: 0, failed: 0, 'could-not-run': 3, 'not-applicable': 0 },
    requirements,
    cause: { headline: 'The deployment cannot be reached', sentence: reason },
  };
  const [header = '', main = ''] = renderPage(modelOf(report)).split('<main>');
  expect(textOf(header)).toContain('The deployment cannot be reached');
  expect(textOf(header).split('unknown host')).toHaveLength(2);
  expect(main.match(/<details class="fold could-not-run">/g)).toHaveLength(1);
  const text = renderReport(report, { color: false }).replace(/\s+/g, ' ');
  expect(text.split('unknown host')).toHaveLength(2);
  expect(text).toContain('? not tested: 3 requirements');
});
