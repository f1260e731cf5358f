import { expect, test } from '@playwright/test';
import { all, type Element, parse } from '../../report/testing/xml.ts';
import { inOneLine } from '../../report/text.ts';
import { renderJunit } from './junit.ts';
import { HOSTILE, poisoned, sample } from './testing/sample-reports.ts';

test('each requirement is a test case of its clause, with the time of its exchanges', () => {
  const cases = all(parse(renderJunit(sample)), 'testcase').map(({ attributes }) => attributes);
  expect(cases).toEqual([
    { classname: '2', name: 'MRS-2a What MRS-2a states.', time: '0.040' },
    { classname: '4.1', name: 'MRS-4.1j What MRS-4.1j states.', time: '2.050' },
    { classname: '4.2', name: 'MRS-4.2a What MRS-4.2a states.', time: '2.010' },
    { classname: '4.3', name: 'MRS-4.3a What MRS-4.3a states.', time: '0.000' },
  ]);
});

test('a failure says what was expected, what was seen and how to see it again', () => {
  const [failure] = all(parse(renderJunit(sample)), 'failure');
  expect(failure?.attributes).toEqual({
    type: 'nonconformity',
    message: 'Expected no token. Seen: a form with a wrong client_secret: 200, application/json.',
  });
  expect(failure?.text).toContain('Expected: no token\nSeen:     a form with a wrong client_secret: 200');
  expect(failure?.text).toContain('curl --include "$MRS_BASE_URL/token/"');
});

test('what was skipped says which verdict it had', () => {
  const skipped = all(parse(renderJunit(sample)), 'skipped').map(({ attributes }) => attributes.message);
  expect(skipped).toEqual(['could not run: No answer came.', 'not applicable: The paths are not shown.']);
  const verdicts = all(parse(renderJunit(sample)), 'property')
    .filter(({ attributes }) => attributes.name === 'verdict')
    .map(({ attributes }) => attributes.value);
  expect(verdicts).toEqual(['passed', 'failed', 'could-not-run', 'not-applicable']);
});

test('the counts are those of the elements', () => {
  const document = parse(renderJunit({ ...sample, problems: ['It broke.', 'Twice.'] }));
  for (const suite of [...all(document, 'testsuites'), ...all(document, 'testsuite')])
    expect(suite.attributes).toMatchObject({
      tests: String(all(document, 'testcase').length),
      failures: String(all(document, 'failure').length),
      errors: String(all(document, 'error').length),
      skipped: String(all(document, 'skipped').length),
      time: '2.050',
    });
  expect(all(document, 'error').map(({ attributes }) => attributes.message)).toEqual(['It broke.', 'Twice.']);
});

test('the properties tell the outcome and the target', () => {
  const [properties] = all(parse(renderJunit(sample)), 'properties');
  expect(properties?.children.map(({ attributes }) => attributes)).toEqual([
    { name: 'outcome', value: 'nonconformant' },
    { name: 'target', value: 'https://mrs.example.org/api' },
    { name: 'client', value: 'acme' },
    { name: 'requests', value: '3' },
  ]);
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the document stays well-formed, with the same elements`, () => {
    const report = { ...sample, problems: ['It broke.'] };
    const outline = ({ name, attributes, children }: Element): unknown => [
      name,
      Object.keys(attributes),
      children.map(outline),
    ];
    const xml = renderJunit(poisoned(report, text));
    expect(outline(parse(xml))).toEqual(outline(parse(renderJunit(report))));
    const [target] = all(parse(xml), 'property').filter(({ attributes }) => attributes.name === 'target');
    expect(target?.attributes.value).toBe(inOneLine(`${text}${report.target.baseUrl}${text}`));
    expect(xml).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
