import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { renderJunit } from '../../report/junit.ts';
import { readSchema } from '../../report/schema.ts';
import { testRenderings } from '../../report/testing/renderings.ts';
import { all, parse } from '../../report/testing/xml.ts';
import { badgeOf } from './badge.ts';
import { pageModelOf, renderFleetPage } from './fleet-page.ts';
import { verdictsModelOf } from './model.ts';
import { renderFleet } from './terminal.ts';
import { CHOSEN, EXAMPLE, fleetOf, largeFleet, SAMPLES, VICTIM } from './testing/sample-fleets.ts';

testRenderings({
  samples: SAMPLES,
  victim: VICTIM,
  chosen: CHOSEN,
  modelOf: pageModelOf,
  terminalOf: renderFleet,
});

test('report on a fleet is valid by its schema', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(JSON.parse(readSchema('fleet')));
  for (const fleet of [...Object.values(SAMPLES), largeFleet()]) {
    validate(JSON.parse(JSON.stringify(fleet)));
    expect(validate.errors ?? []).toEqual([]);
  }
  expect(validate({ ...EXAMPLE, secret: 1 })).toBe(false);
});

test('page of 200 deployments and 30 clauses is smaller than 2 MB', () => {
  const html = renderFleetPage(largeFleet());
  expect(html.match(/<tr role="row" class="/g)).toHaveLength(200);
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
});

test('page shows the worst deployments first', () => {
  const names = [...renderFleetPage(EXAMPLE).matchAll(/scope="row"><a href="#deployment-([\w-]+)"/g)].map(
    ([, name]) => name,
  );
  expect(names.slice(0, 5)).toEqual(['green-bank', 'green-bank-staging', 'hat-creek', 'parkes', 'lofar']);
});

test('page shows a deployment of another suite apart from the others', () => {
  const [, matrix = '', other = ''] = renderFleetPage(EXAMPLE).split(
    /<section id="(?:matrix|other-suite-1)"/,
  );
  expect(matrix).not.toContain('scope="row"><a href="#deployment-yebes"');
  expect(other).toContain('scope="row"><a href="#deployment-yebes"');
  expect(other).toContain('cannot be compared');
});

test('JUnit has a case for each verdict in the class of its deployment, and an error for a missing report', () => {
  const document = parse(renderJunit(verdictsModelOf(EXAMPLE)));
  const cases = all(document, 'testcase').map(({ attributes }) => attributes);
  const verdicts = EXAMPLE.deployments.reduce(
    (sum, { requirements }) => sum + Math.max(1, requirements.length),
    0,
  );
  expect(cases).toHaveLength(verdicts + EXAMPLE.problems.length);
  expect(cases.filter(({ classname }) => classname === 'parkes')).toHaveLength(23);
  expect(all(document, 'error').map(({ attributes }) => attributes.message)).toEqual([
    '1 deployment has no report (lofar). Shard 2 left no report.',
  ]);
});

test('badge of a deployment has its outcome, and red where there is no report', () => {
  const badges = fleetOf([{ name: 'alpha' }, { name: 'beta', missing: '' }]).deployments.map((one) =>
    JSON.parse(badgeOf(one)),
  );
  expect(badges).toEqual([
    { schemaVersion: 1, label: 'mrs', message: 'conformant', color: 'brightgreen' },
    { schemaVersion: 1, label: 'mrs', message: 'no report', color: 'red' },
  ]);
});
