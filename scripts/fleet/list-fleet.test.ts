import { expect, _baseTest as test } from '@playwright/test';
import { parse } from 'yaml';
import type { Entry } from '../../tests/fleet/inventory.ts';
import { listFleet } from './list-fleet.ts';

const fleet = (size: number): Entry[] =>
  Array.from({ length: size }, (_, at) => ({
    name: `site-${String(at).padStart(3, '0')}`,
    baseUrl: `https://site-${at}.example`,
    line: at,
  }));
const matrix = (
  ...args: Parameters<typeof listFleet>
): { name: string; shard: string; deployments: string }[] => JSON.parse(listFleet(...args)).include;

test('matrix of GitHub has a job for each deployment', () => {
  expect(listFleet(fleet(2), 'github-matrix', { file: 'fleet.yaml' })).toBe(
    '{"include":[{"name":"site-000","shard":"1/2","deployments":"site-000"},{"name":"site-001","shard":"2/2","deployments":"site-001"}]}',
  );
});

test('matrix of a large fleet has no more than 256 jobs, and all deployments', () => {
  const jobs = matrix(fleet(600), 'github-matrix', { file: 'fleet.yaml' });
  expect(jobs).toHaveLength(256);
  expect(jobs.flatMap(({ deployments }) => deployments.split(' ')).toSorted()).toEqual(
    fleet(600).map(({ name }) => name),
  );
  expect(jobs[0]).toMatchObject({ name: 'site-000 and 2 more', shard: '1/256' });
});

test('matrix has one job for a host, and no shard without deployments', () => {
  const entries = fleet(4).map((one) => ({ ...one, baseUrl: 'https://one.example' }));
  expect(matrix(entries, 'github-matrix', { file: 'fleet.yaml' })).toEqual([
    expect.objectContaining({ shard: '1/1', deployments: 'site-000 site-001 site-002 site-003' }),
  ]);
});

test('child pipeline of GitLab has the number of shards, and a job that merges', () => {
  const pipeline = parse(listFleet(fleet(10), 'gitlab', { file: 'sites.yaml', jobs: 4 }));
  expect(pipeline['mrs-fleet']).toMatchObject({
    parallel: 4,
    script: [expect.stringMatching(/^npx --yes mrs-contract@[\d.]+ fleet run sites\.yaml$/)],
    artifacts: { when: 'always', paths: ['reports/fleet/'] },
  });
  expect(pipeline['mrs-fleet-report']).toMatchObject({ needs: ['mrs-fleet'], when: 'always' });
  expect(parse(listFleet(fleet(1), 'gitlab', { file: 'fleet.yaml' }))['mrs-fleet']).not.toHaveProperty(
    'parallel',
  );
});

test('Job of Kubernetes has an index for each shard, whose number it passes on', () => {
  const job = parse(listFleet(fleet(10), 'kubernetes', { file: 'fleet.yaml', jobs: 4 }));
  expect(job).toMatchObject({ apiVersion: 'batch/v1', kind: 'Job' });
  expect(job.spec).toMatchObject({ completionMode: 'Indexed', completions: 4, backoffLimitPerIndex: 0 });
  const [container] = job.spec.template.spec.containers;
  expect(container.env).toEqual([
    { name: 'MRS_SHARD_TOTAL', value: '4' },
    {
      name: 'MRS_RUN_ID',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" } },
    },
  ]);
});

test('jobs select by the labels and names that the list was selected by', () => {
  const options = { file: 'fleet.yaml', only: ['europe', 'site-001'] };
  const list = (format: 'gitlab' | 'kubernetes') => parse(listFleet(fleet(2), format, options));
  expect(matrix(fleet(2), 'github-matrix', options)).toEqual([
    expect.objectContaining({ only: '--only europe --only site-001' }),
    expect.objectContaining({ only: '--only europe --only site-001' }),
  ]);
  expect(list('gitlab')['mrs-fleet'].script).toEqual([
    expect.stringMatching(/ fleet run --only europe --only site-001$/),
  ]);
  expect(list('kubernetes').spec.template.spec.containers[0].args).toEqual(
    expect.arrayContaining(['/fleet/fleet.yaml', '--only', 'europe', '--only', 'site-001']),
  );
});

test('pods write to a folder each, and the comment says how to merge them', () => {
  const text = listFleet(fleet(2), 'kubernetes', { file: 'fleet.yaml' });
  expect(parse(text).spec.template.spec.containers[0].args.slice(-2)).toEqual([
    '--report-dir',
    '/reports/shard-$(JOB_COMPLETION_INDEX)',
  ]);
  expect(text).toMatch(/^# mrs fleet report \/reports --run-id "\$\(kubectl get job mrs-fleet .*\)"$/m);
});

test('name of the fleet file is one word of the shell', () => {
  const options = { file: "o'brien & co.yaml" };
  expect(parse(listFleet(fleet(2), 'gitlab', options))['mrs-fleet'].script).toEqual([
    expect.stringMatching(/ fleet run 'o'\\''brien & co\.yaml'$/),
  ]);
  expect(listFleet(fleet(2), 'kubernetes', options)).toContain(
    "--from-file='fleet.yaml=o'\\''brien & co.yaml'\n",
  );
});

test('more jobs than an engine has are refused', () => {
  expect(() => listFleet(fleet(3), 'gitlab', { file: 'fleet.yaml', jobs: 201 })).toThrow(
    '--jobs is 201, and gitlab has at most 200.',
  );
});
