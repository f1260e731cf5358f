/** The nightly templates, job by job as a runner runs them, for three deployments: a good night, and one with a violation. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { startMock } from '../mock/index.ts';
import { createWorkshop, readYaml, runStep, type Workshop } from './testing/step.ts';

const NAMES = ['north', 'south', 'west'];
const SECRET = 'the-secret-of-the-nightly-run';
const KEY = 'the-key-of-the-nightly-mocks';

interface Posted {
  url: string;
  headers: Record<string, unknown>;
  body: Record<string, string>;
}

/** Three mocks, a webhook that keeps what is posted to it, and the folder of what outlives a job. */
async function startNights() {
  const options = { clients: [{ id: 'acme', secret: SECRET }], tokenLifetime: 60, controlKey: KEY };
  const mocks = await Promise.all(NAMES.map(() => startMock(options)));
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    posted.push({ url, headers, body: JSON.parse(await text(request)) });
    response.end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const deployments = NAMES.map((name, at) => ({ name, baseUrl: mocks[at]?.url, healthPaths: ['/health/'] }));
  const secrets = { clientSecret: { env: 'ACME_SECRET' }, mockControlKey: { env: 'ACME_KEY' } };
  const fleet = { defaults: { clientId: 'acme', tokenLifetime: 60, ...secrets }, deployments };
  return {
    posted,
    fleet: JSON.stringify(fleet), // YAML, too.
    /** Of the CI server. */
    kept: outputPath('kept'),
    webhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** From now on, the deployment `west` violates the specification. */
    async spoil() {
      const port = Number(new URL(mocks[2]?.url ?? '').port);
      await mocks[2]?.close();
      mocks[2] = await startMock({ ...options, port, defect: 'any-grant-type' });
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.all(mocks.map((mock) => mock.close()));
    },
  };
}

type Nights = Awaited<ReturnType<typeof startNights>>;

interface Job {
  name: string;
  code: number;
  printed: string;
}

interface Night {
  jobs: Job[];
  /** The folder of the published page. */
  page: string;
  comment?: string;
}

/** A new workspace with fleet.yaml, as after a checkout. */
function openWorkspace({ fleet }: Nights): Workshop {
  const workshop = createWorkshop();
  for (const folder of [workshop.folder, workshop.temporary]) {
    rmSync(folder, { recursive: true, force: true }); // Nothing is there of the job before.
    mkdirSync(folder);
  }
  writeFileSync(join(workshop.folder, 'fleet.yaml'), fleet);
  return workshop;
}

function copy(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true });
}

interface GitHubStep {
  uses?: string;
  run?: string;
  if?: string;
  env?: Record<string, string>;
  with?: Record<string, string>;
}

/** When a step or a job goes on, by its `if`: in which event, and whether something failed before it. */
const CONDITIONS: Record<string, (isPullRequest: boolean, failed: boolean) => boolean> = {
  '': (_, failed) => !failed,
  'always()': () => true,
  "${{ !cancelled() && github.event_name != 'pull_request' }}": (isPullRequest) => !isPullRequest,
  "${{ !cancelled() && github.event_name == 'pull_request' }}": (isPullRequest) => isPullRequest,
  "${{ failure() && github.event_name != 'pull_request' }}": (isPullRequest, failed) =>
    failed && !isPullRequest,
};

/** Runs the workflow for GitHub. The actions that it uses copy files, as those of GitHub do. */
async function runOnGitHub(nights: Nights, isPullRequest = false): Promise<Night> {
  const { jobs, env } = readYaml('templates/nightly.github.yml');
  const place = outputPath('github');
  const page = join(place, 'page');
  const ended: Job[] = [];
  let comment: string | undefined;
  const values: Record<string, string> = {
    'secrets.ACME_SECRET': SECRET,
    'secrets.ALERT_URL': nights.webhook,
    'github.event.pull_request.number': '7',
    'github.token': 'token-of-the-job',
    'github.server_url': 'https://git.example',
    'github.repository': 'acme/fleet',
    'github.run_id': '4711',
  };
  const filled = (value: string, own: Record<string, string>) =>
    value.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_, name: string) => {
      const found = own[name] ?? values[name];
      if (found === undefined) throw new Error(`The workflow reads ${name}.`);
      return found;
    });

  async function runJob(name: string, own: Record<string, string>): Promise<void> {
    const workshop = openWorkspace(nights);
    const inWork = (path = '') => join(workshop.folder, path);
    const history = join(nights.kept, 'history.jsonl');
    const actions: Record<string, (given: Record<string, string>) => void> = {
      'actions/checkout': () => {},
      'actions/setup-node': () => {},
      'actions/upload-artifact': ({ name: artifact = '', path }) =>
        copy(inWork(path), join(place, 'artifacts', filled(artifact, own))),
      'actions/download-artifact': ({ pattern, path = '' }) => {
        expect(pattern).toBe('shard-*');
        for (const shard of ['shard-0', 'shard-1'])
          copy(join(place, 'artifacts', shard), join(inWork(path), shard));
      },
      'actions/cache/restore': ({ path = '' }) => copy(history, inWork(path)),
      'actions/cache/save': ({ path = '' }) => copy(inWork(path), history),
      'actions/upload-pages-artifact': ({ path }) => copy(inWork(path), page),
    };
    const gh = join(workshop.temporary, 'gh');
    writeFileSync(gh, '#!/bin/sh\nprintf "%s\\n" "$*" > gh.txt\ncat >> gh.txt\n', { mode: 0o755 });
    const runner = {
      ...{ PATH: `${workshop.temporary}:${workshop.env.PATH}`, RUNNER_TEMP: workshop.temporary },
      ...{ CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/fleet', ACME_KEY: KEY },
    };
    let [code, printed] = [0, ''];
    for (const step of jobs[name].steps as GitHubStep[]) {
      const goesOn = CONDITIONS[step.if ?? ''];
      if (!goesOn) throw new Error(`The test does not know the condition ${step.if}.`);
      if (!goesOn(isPullRequest, code !== 0)) continue;
      const action = step.uses?.split('@')[0] ?? '';
      if (step.run === undefined) actions[action]?.(step.with ?? {});
      if (step.run === undefined) expect(actions).toHaveProperty([action]);
      else {
        const set = Object.entries(step.env ?? {}).map(([key, value]) => [key, filled(value, own)]);
        const variables = { ...runner, ...env, ...Object.fromEntries(set) };
        const result = await runStep(workshop, ['bash', '-e', '-c', step.run], variables);
        printed += result.stdout + result.stderr;
        code ||= result.code;
      }
    }
    if (existsSync(inWork('gh.txt'))) comment = readFileSync(inWork('gh.txt'), 'utf8');
    ended.push({ name, code, printed });
  }

  rmSync(place, { recursive: true, force: true });
  const { shard } = jobs.judge.strategy.matrix;
  for (const [at, one] of shard.entries())
    await runJob('judge', { 'matrix.shard': one, 'strategy.job-index': String(at) });
  await runJob('report', {});
  return { jobs: ended, page, ...(comment !== undefined && { comment }) };
}

interface GitLabJob {
  extends?: string;
  before_script?: string[];
  script: string[];
  variables?: Record<string, string>;
  cache?: { paths: string[] };
  artifacts?: { paths: string[] };
  parallel?: { matrix: [{ SHARD: string[] }] };
  rules: { if: string; when?: string; variables?: Record<string, string> }[];
}

/** Runs the jobs for GitLab. Artifacts go to all later jobs; the history is a cache. */
async function runOnGitLab(nights: Nights, isMergeRequest = false): Promise<Night> {
  const file: Record<string, GitLabJob> = readYaml('templates/nightly.gitlab-ci.yml');
  const place = outputPath('gitlab');
  const artifacts = join(place, 'artifacts');
  const ended: Job[] = [];
  rmSync(place, { recursive: true, force: true });
  const source = isMergeRequest ? 'merge_request_event' : 'schedule';
  for (const [name, own] of Object.entries(file).filter(([key]) => !key.startsWith('.'))) {
    const job = { ...file[own.extends ?? ''], ...own };
    const rule = job.rules.find((one) => one.if.startsWith(`$CI_PIPELINE_SOURCE == "${source}"`));
    const failed = ended.some(({ code }) => code !== 0 && name !== 'mrs-judge');
    const isReached = { always: true, on_failure: failed, on_success: !failed }[rule?.when ?? 'on_success'];
    if (!rule || !isReached) continue;
    for (const SHARD of job.parallel?.matrix[0].SHARD ?? [undefined]) {
      const workshop = openWorkspace(nights);
      const inWork = (path: string) => join(workshop.folder, path);
      copy(artifacts, workshop.folder);
      const variables: Record<string, string> = {
        ...{ CI: 'true', GITLAB_CI: 'true', TMPDIR: workshop.temporary, CI_API_V4_URL: nights.webhook },
        ...{ CI_PROJECT_ID: '5', CI_MERGE_REQUEST_IID: '7', CI_PIPELINE_URL: 'https://git.example/4711' },
        ...{ ACME_SECRET: SECRET, ACME_KEY: KEY, COMMENT_TOKEN: 'token-of-the-project' },
        ...{ ALERT_URL: nights.webhook, ...(SHARD !== undefined && { SHARD }) },
        ...{ ...file[own.extends ?? '']?.variables, ...job.variables, ...rule.variables },
      };
      for (const path of job.cache?.paths ?? []) copy(join(nights.kept, path), inWork(path));
      const lines = [...(job.before_script ?? []), ...job.script].join('\n');
      const { code, stdout, stderr } = await runStep(workshop, ['sh', '-e', '-c', lines], variables);
      if (variables.HISTORY_POLICY === 'pull-push')
        for (const path of job.cache?.paths ?? []) copy(inWork(path), join(nights.kept, path));
      for (const path of job.artifacts?.paths ?? []) copy(inWork(path), join(artifacts, path));
      ended.push({ name, code, printed: stdout + stderr });
    }
  }
  return { jobs: ended, page: join(artifacts, 'public') };
}

const SINCE = /west has violations that it did not have when it was last accepted \(since \d{4}-\d\d-\d\d\b/;

for (const [system, runNight, report] of [
  ['GitHub', runOnGitHub, 'report'],
  ['GitLab', runOnGitLab, 'mrs-report'],
] as const)
  test(`the nightly run on ${system} is red on the night when a deployment gets worse, and says since when`, async () => {
    await using nights = await startNights();
    mkdirSync(nights.kept, { recursive: true });
    const of = ({ jobs }: Night) => jobs.find(({ name }) => name === report);

    const first = await runNight(nights);
    expect(
      first.jobs.map(({ code }) => code),
      first.jobs.map(({ printed }) => printed).join('\n'),
    ).toEqual(first.jobs.map(() => 0));
    expect(of(first)?.printed).toContain('outcome: conformant (3 conformant,');
    expect(nights.posted).toEqual([]);
    const [, link = ''] =
      /href="([^"]+west\/report\.html)"/.exec(readFileSync(join(first.page, 'index.html'), 'utf8')) ?? [];
    expect(existsSync(join(first.page, link)), link).toBe(true);

    await nights.spoil();
    const second = await runNight(nights);
    expect(of(second)?.code).toBe(1);
    expect(of(second)?.printed).toMatch(SINCE);
    expect(nights.posted.map(({ body }) => body.text)).toEqual([expect.stringContaining('west')]);
    expect(nights.posted[0]?.body.text).toMatch(/^## ✗ nonconformant: [\s\S]*4711$/);
    expect(readFileSync(join(second.page, 'index.html'), 'utf8')).toContain('MRS-4.1f');

    const kept = readFileSync(join(nights.kept, 'history.jsonl'), 'utf8');
    expect(kept.trim().split('\n')).toHaveLength(2);
    const change = await runNight(nights, true);
    expect(of(change)?.code).toBe(1);
    const comment = change.comment ?? nights.posted[1]?.body.body;
    expect(comment).toContain('## ✗ nonconformant: ');
    expect(readFileSync(join(nights.kept, 'history.jsonl'), 'utf8')).toBe(kept);
    for (const { jobs } of [first, second, change])
      for (const { printed } of jobs) expect(printed).not.toContain(SECRET);
  });

test('the comment on a pull request is written by gh, and on a merge request by the API with the token of the project', async () => {
  await using nights = await startNights();
  mkdirSync(nights.kept, { recursive: true });
  const { comment } = await runOnGitHub(nights, true);
  expect(comment).toMatch(/^pr comment 7 --repo acme\/fleet --body-file -\n## ✓ conformant: /);
  await runOnGitLab(nights, true);
  expect(nights.posted).toMatchObject([
    { url: '/projects/5/merge_requests/7/notes', headers: { 'private-token': 'token-of-the-project' } },
  ]);
});
