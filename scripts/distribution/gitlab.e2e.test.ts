/** The component for GitLab CI, with its inputs filled in as GitLab does, and its script run as a runner does. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { OptionRow } from '../../tests/support/option-table.ts';
import { VERIFY_OPTIONS } from '../commands/verify.ts';
import { startMock } from '../mock/index.ts';
import { createWorkshop, root, runStep, type Workshop } from './testing/step.ts';

const text = readFileSync(join(root, 'templates', 'verify.yml'), 'utf8');
const PACKAGE = './mrs-contract-0.1.0.tgz';

interface Input {
  default?: string;
  regex?: string;
  description?: string;
}

interface GitLabJob {
  image: string;
  variables: Record<string, string | { value: string; expand: false }>;
  script: string[];
  artifacts: { when: string; paths: string[]; reports: { junit: string } };
}

const [header] = parseAllDocuments(text).map((one) => one.toJS());
const spec: { inputs: Record<string, Input> } = header.spec;

/** The only job, with these inputs and a package. Throws for an input that GitLab would refuse. */
function jobWith(inputs: Record<string, string>): GitLabJob {
  const filled = text.replace(/\$\[\[ inputs\.([\w-]+) \]\]/g, (_, name: string) => {
    const { default: preset, regex } = spec.inputs[name] ?? {};
    const value = inputs[name] ?? (name === 'package' ? PACKAGE : preset);
    if (value === undefined) throw new Error(`The input ${name} is missing.`);
    if (regex && !new RegExp(regex).test(value)) throw new Error(`The input ${name} is "${value}".`);
    return value;
  });
  const jobs = Object.values<GitLabJob>(parseAllDocuments(filled)[1]?.toJS() as Record<string, GitLabJob>);
  expect(jobs).toHaveLength(1);
  return jobs[0] as GitLabJob;
}

/** Runs the job. `protectedVariables` are those of the project. */
function runJob(workshop: Workshop, job: GitLabJob, protectedVariables: Record<string, string>) {
  const own = Object.entries(job.variables).map(([name, one]) => [
    ...[name, typeof one === 'string' ? one : one.value],
  ]);
  const gitlab = { CI: 'true', GITLAB_CI: 'true', TMPDIR: workshop.temporary };
  const variables = { ...gitlab, ...protectedVariables, ...Object.fromEntries(own) };
  return runStep(workshop, ['sh', '-e', '-c', job.script.join('\n')], variables);
}

const SECRET = 'a secret of $(touch pwned) the test';

test('a deployment with a defect fails, with the secret from a file and the reports as artifacts', async () => {
  const clients = [{ id: 'acme', secret: SECRET }];
  await using mock = await startMock({ clients, defect: 'any-grant-type' });
  const workshop = createWorkshop();
  const file = join(workshop.temporary, 'MRS_CLIENT_SECRET_FILE');
  writeFileSync(file, SECRET);
  const job = jobWith({ 'base-url': mock.url, 'client-id': 'acme', 'token-lifetime': '15m' });
  const { code, stdout } = await runJob(workshop, job, {
    MRS_CLIENT_SECRET_FILE: file,
    MRS_MOCK_CONTROL_KEY: mock.controlKey ?? '',
  });
  expect(code, stdout).toBe(1);
  expect(stdout).toMatch(/^outcome: nonconformant /m);
  const { when, paths, reports } = job.artifacts;
  expect(when).toBe('always');
  for (const path of [...paths, reports.junit, join(paths[0] ?? '', 'report.html')])
    expect(existsSync(join(workshop.folder, path)), path).toBe(true);
  const seen = workshop.seen();
  expect(seen[0]?.argv.slice(-2)).toEqual(['--', PACKAGE]);
  for (const { argv, env } of seen) expect(JSON.stringify([argv, env])).not.toContain('secret of $(');
});

test('an input that is missing or of another form is refused before the job starts', () => {
  expect(() => jobWith({ 'client-id': 'acme' })).toThrow('base-url is missing');
  expect(() => jobWith({ 'base-url': '', 'client-id': 'acme' })).toThrow('base-url is ""');
  const inputs = { 'base-url': 'https://mrs.example', 'client-id': 'acme' };
  expect(() => jobWith({ ...inputs, package: 'x --registry=x' })).toThrow('package is');
  // GitLab refuses any other name of artifacts, and its message does not name the input.
  expect(() => jobWith({ ...inputs, 'job-name': 'mrs: staging' })).toThrow('job-name is');
});

test('every input of the judge reaches mrs verify by a variable that it reads, and none is in the script', () => {
  const script = /^ {2}script:\n((?: {4}.*\n)+)/m.exec(text)?.[1] ?? '';
  expect(script).toContain('npm install');
  expect(script).not.toContain('$[[');
  const inputs = { 'base-url': 'https://mrs.example', 'client-id': 'acme' };
  const names = [
    ...['base-url', 'client-id', 'token-lifetime', 'max-wait', 'health-paths', 'profile', 'baseline'],
  ];
  for (const name of names) {
    const option = Object.values(VERIFY_OPTIONS).find(
      ({ flag }: OptionRow) => flag?.split(' ')[0] === `--${name}`,
    );
    const given = 'https://mrs.example/$X';
    expect(jobWith({ ...inputs, [name]: given }).variables).toMatchObject({
      [(option as OptionRow | undefined)?.variable ?? 'no option']: { value: given, expand: false },
    });
  }
  const own = ['job-name', 'stage', 'package', 'image'];
  expect(Object.keys(spec.inputs).toSorted()).toEqual([...names, ...own].toSorted());
});

test('the component and the nightly run take the image of this repository, and no package by a name that anyone could take', () => {
  const inputs = { 'base-url': 'https://mrs.example', 'client-id': 'acme' };
  const nightly = readFileSync(join(root, 'templates', 'nightly.gitlab-ci.yml'), 'utf8');
  const images = [...nightly.matchAll(/^ {2}image: (.*)$/gm)].map(([, image]) => image);
  expect(images.length).toBeGreaterThan(0);
  for (const image of [jobWith(inputs).image, ...images])
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`\nFROM ${image}\n`);
  expect(nightly).toContain(`PACKAGE: ${PACKAGE}\n`);
  expect(spec.inputs.package?.default).toBeUndefined();
  for (const { description } of Object.values(spec.inputs)) expect(description).toBeTruthy();
});
