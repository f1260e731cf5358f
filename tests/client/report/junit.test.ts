import { expect, test } from '@playwright/test';
import { all, type Element, parse } from '../../report/testing/xml.ts';
import { inOneLine } from '../../report/text.ts';
import { HOSTILE, poisoned } from '../../server/report/testing/sample-reports.ts';
import { renderCertificateJunit } from './junit.ts';
import { broken, CHOSEN, conformant, faulty, SAMPLES } from './testing/sample-certificates.ts';

const caseOf = (document: Element, rule: string): Element | undefined =>
  all(document, 'testcase').find(({ attributes }) => attributes.name?.startsWith(`${rule} `));

test('each rule is a test case of its clause, or of good practice', () => {
  const cases = all(parse(renderCertificateJunit(broken)), 'testcase');
  expect(cases).toHaveLength(broken.rules.length);
  expect(cases[0]?.attributes).toEqual({
    ...{ classname: 'MRS-4.1c', time: '0.000' },
    name: 'form-content-type The credentials are posted as application/x-www-form-urlencoded.',
  });
  expect(cases.at(-1)?.attributes.classname).toBe('practice');
});

test('a failure says what was seen, in which calls, and what to do', () => {
  const [failure] = all(parse(renderCertificateJunit(broken)), 'failure');
  expect(failure?.attributes).toEqual({
    type: 'nonconformity',
    message:
      'steady: Each of 6 calls had a token of its own, the first of which was good for 900 s. parallel: 20 tokens were asked for in place of one.',
  });
  expect(failure?.text).toContain('good for 900 s. (calls 3, 5, 7, 9 and 11)\nparallel: 20 tokens');
  expect(failure?.text).toContain('What to do: Keep the token');
});

test('a warning passes, and says so', () => {
  const stampede = caseOf(parse(renderCertificateJunit(broken)), 'stampede');
  expect(stampede?.children.map(({ name }) => name)).toEqual(['properties', 'system-out']);
  const [output] = all(stampede as Element, 'system-out');
  expect(output?.text).toMatch(/^Warning: Parallel requests share one renewal\.\n\nparallel: 20 requests/);
  expect(output?.text).toContain('What to do: Let the first');
});

test('what was skipped says which verdict it had', () => {
  const skipped = all(parse(renderCertificateJunit(broken)), 'skipped');
  expect(skipped.map(({ attributes }) => attributes.message)).toEqual([
    'could not run: The client ended before it could renew a token.',
    'could not run: The client ended before it could renew a token.',
    'could not run: The scenario token-429 was never begun.',
    'not applicable: The client asked for no health check.',
  ]);
});

for (const [name, report] of Object.entries(SAMPLES))
  test(`${name}: the counts are those of the elements`, () => {
    const document = parse(renderCertificateJunit(report));
    for (const suite of [...all(document, 'testsuites'), ...all(document, 'testsuite')])
      expect(suite.attributes).toMatchObject({
        tests: String(all(document, 'testcase').length),
        failures: String(all(document, 'failure').length),
        errors: String(all(document, 'error').length),
        skipped: String(all(document, 'skipped').length),
      });
  });

test('a fault of the run is an error', () => {
  const errors = all(parse(renderCertificateJunit(faulty)), 'error');
  expect(errors.map(({ attributes }) => attributes.message)).toEqual(faulty.problems);
});

test('the properties tell the outcome, the client, the strategy and the tokens', () => {
  const [properties] = all(parse(renderCertificateJunit(conformant)), 'properties');
  expect(properties?.children.map(({ attributes }) => attributes)).toEqual([
    { name: 'outcome', value: 'conformant' },
    { name: 'client', value: 'python3 reader.py --every 0.5' },
    { name: 'strategy', value: expect.stringMatching(/^The client is reactive: /) },
    { name: 'tokens', value: '14 tokens asked for, 8 would do' },
    { name: 'requests', value: '55' },
  ]);
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: the document stays well-formed, with the same elements`, () => {
    const report = { ...broken, problems: ['It broke.'] };
    const outline = ({ name, attributes, children }: Element): unknown => [
      name,
      Object.keys(attributes),
      children.map(outline),
    ];
    const xml = renderCertificateJunit(poisoned(report, text, CHOSEN));
    const document = parse(xml);
    expect(outline(document)).toEqual(outline(parse(renderCertificateJunit(report))));
    const [error] = all(document, 'error');
    expect(error?.attributes.message).toBe(inOneLine(`${text}It broke.${text}`));
    expect(xml).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
