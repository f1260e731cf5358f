import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ItemVerdict, Outcome } from '../support/outcome.ts';
import { createSecrets } from '../support/secrets.ts';
import { markup } from './markup.ts';
import type { Item, ReportModel } from './model.ts';
import { createPublisher } from './publish.ts';
import { jobUrl, profileResource, proofResource, renderStatement } from './statement.ts';
import { STATEMENT_SCHEMA } from './testing/statement-schema.ts';
import { writeReports } from './write.ts';

const ajv = new Ajv2020({ allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(STATEMENT_SCHEMA);

const item = (id: string, verdict: ItemVerdict): Item => ({
  id,
  anchor: id,
  className: '1',
  statement: 'It is so.',
  verdict,
  facts: [],
  findings: [],
});

const modelWith = (outcome: Outcome, ...list: Item[]): ReportModel => ({
  kind: 'Report',
  topic: 'Topic',
  command: 'mrs verify',
  subject: { name: 'Deployment', text: 'https://mrs.example' },
  outcome,
  headline: 'So it is',
  next: 'Nothing.',
  remarks: [],
  counts: [],
  tally: '',
  facts: [],
  properties: {},
  items: { title: 'Requirements', about: '', noun: 'requirement', list },
  problems: [],
  own: { sections: [], footer: markup``, markdown: { last: [] } },
});

const PROOF = {
  defects: { caught: 3, total: 3 },
  variants: { accepted: 2, total: 2 },
  digest: `sha256:${'ab'.repeat(32)}`,
};

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The statement, which must have the published shape. */
function statementOf(...args: Parameters<typeof renderStatement>) {
  const statement = JSON.parse(renderStatement(...args));
  expect(validate(statement) ? [] : validate.errors).toEqual([]);
  return statement;
}

const CASES: [Outcome, ItemVerdict[], string][] = [
  ['conformant', ['passed', 'not-applicable'], 'PASSED'],
  ['conformant-to-profile', ['passed'], 'PASSED'],
  ['conformant', ['passed', 'warned'], 'WARNED'],
  ['nonconformant', ['passed', 'failed'], 'FAILED'],
  ['nonconformant', ['passed', 'warned'], 'FAILED'],
  ['incomplete', ['passed', 'could-not-run'], 'FAILED'],
  ['incomplete', ['passed', 'warned'], 'FAILED'],
  ['error', ['passed'], 'FAILED'],
];
for (const [outcome, verdicts, result] of CASES)
  test(`outcome ${outcome} with ${verdicts.join(' and ')} is ${result}`, () => {
    const model = modelWith(outcome, ...verdicts.map((verdict, at) => item(`MRS-${at}`, verdict)));
    expect(statementOf(Buffer.from('{}'), model).predicate.result).toBe(result);
  });

test('each test is in the list of its verdict, and one that could not run is in none', () => {
  const model = modelWith(
    'incomplete',
    item('a', 'passed'),
    item('b', 'failed'),
    item('c', 'warned'),
    item('c', 'warned'), // A rule of feeds is an item for each finding.
    item('d', 'could-not-run'),
    item('e', 'not-applicable'),
  );
  const { passedTests, warnedTests, failedTests } = statementOf(Buffer.from('{}'), model).predicate;
  expect({ passedTests, warnedTests, failedTests }).toEqual({
    passedTests: ['a'],
    warnedTests: ['c'],
    failedTests: ['b'],
  });
});

test('the configuration names the tool, the contract, the requirements, the profile and the proof', () => {
  const document = { openapi: '3.1.0' };
  const { configuration } = statementOf(Buffer.from('{}'), modelWith('conformant'), [
    profileResource('nrao-ods', document),
    proofResource(PROOF),
  ]).predicate;
  const digestOf = (name: string) => ({
    sha256: sha256(readFileSync(new URL(import.meta.resolve(`mrs-contract/${name}`)))),
  });
  expect(configuration).toEqual([
    { name: 'mrs-contract', uri: expect.stringMatching(/^pkg:npm\/mrs-contract@\d/) },
    { name: 'openapi.yaml', digest: digestOf('openapi.yaml') },
    { name: 'requirements.yaml', digest: digestOf('requirements.yaml') },
    { name: 'profile nrao-ods', digest: { sha256: sha256('{"openapi":"3.1.0"}') } },
    {
      name: 'proof',
      digest: { sha256: 'ab'.repeat(32) },
      annotations: { defectsCaught: 3, defects: 3, variantsAccepted: 2, variants: 2 },
    },
  ]);
});

test('the subject is report.json as it was written, whatever the publisher changed in it', () => {
  const directory = test.info().outputPath('reports');
  mkdirSync(directory);
  const publisher = createPublisher(createSecrets());
  const report = { seen: 'a\u0085b' }; // Written as an escape.
  writeReports({ report, schema: '{}', model: modelWith('conformant') }, directory, publisher);
  const { subject } = JSON.parse(readFileSync(join(directory, 'statement.json'), 'utf8'));
  const written = readFileSync(join(directory, 'report.json'));
  expect(written.toString()).toContain('\\u0085');
  expect(subject).toEqual([{ name: 'report.json', digest: { sha256: sha256(written) } }]);
});

test('a report that was held back gets no statement', () => {
  const directory = test.info().outputPath('reports');
  mkdirSync(directory);
  const secrets = createSecrets();
  secrets.register('hunter2-hunter2', 'client secret');
  const report = { seen: 'hunter2-hunter2' };
  const model = modelWith('conformant');
  writeReports({ report, schema: '{}', model }, directory, createPublisher(secrets));
  expect(existsSync(join(directory, 'statement.json'))).toBe(false);
});

test('the URL is that of the job, in GitHub Actions and GitLab CI', () => {
  const github = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'a/b', GITHUB_RUN_ID: '7' };
  expect(jobUrl(github)).toBe('https://github.com/a/b/actions/runs/7');
  expect(jobUrl({ CI_JOB_URL: 'https://gitlab.example/a/-/jobs/7' })).toBe(
    'https://gitlab.example/a/-/jobs/7',
  );
  expect(jobUrl({ CI_JOB_URL: 'not a url' })).toBeUndefined();
  expect(jobUrl({})).toBeUndefined();
  const statement = statementOf(Buffer.from('{}'), modelWith('conformant'), [], jobUrl(github));
  expect(statement.predicate.url).toBe('https://github.com/a/b/actions/runs/7');
});
