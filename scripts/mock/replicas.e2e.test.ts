/** Replicas of the mock after a balancer, judged by our own suite: they are as good as one mock. */
import { once } from 'node:events';
import { expect, _baseTest as test } from '@playwright/test';
import { newDirectory, type Run, verifyHere } from '../e2e/testing/verify-run.ts';
import { nginx, startNginx } from './testing/nginx.ts';
import { CREDENTIALS, LIFETIME, type ReplicaProcess, startReplicas } from './testing/replica-processes.ts';
import { type Balancer, startRoundRobin } from './testing/round-robin.ts';

const KEY = 'a key of at least 32 characters, for the tests';

/** Calls that a replica answers before it is killed: some of a run, which makes more than 60. */
const SOME = 8;

const BALANCERS: { name: string; start(ports: readonly number[]): Promise<Balancer>; isMissing: boolean }[] =
  [
    { name: 'a round-robin balancer', start: startRoundRobin, isMissing: false },
    {
      name: 'nginx',
      start: (ports) => startNginx(nginx ?? '', test.info().outputPath('nginx'), ports),
      isMissing: nginx === undefined,
    },
  ];

const judge = ({ url }: Balancer): Promise<Run> =>
  verifyHere({
    ...CREDENTIALS,
    MRS_BASE_URL: url,
    MRS_TOKEN_LIFETIME: LIFETIME,
    MRS_HEALTH_PATHS: '/health/',
  });

for (const { name, start, isMissing } of BALANCERS) {
  test(`three replicas of one key are conformant through ${name}, although one is killed`, async () => {
    test.skip(isMissing, `${name} is not installed.`);
    await using running = await startReplicas(newDirectory(), [KEY, KEY, KEY]);
    const [first, ...others] = running.replicas as [ReplicaProcess, ...ReplicaProcess[]];
    await using balancer = await start(running.replicas.map(({ port }) => port));
    const killed = once(first.child, 'exit').then(() => others.map(({ calls }) => calls()));
    first.killAfter(SOME);
    const run = await judge(balancer);
    expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const before = await killed;
    for (const [at, { calls }] of others.entries()) {
      expect(before[at]).toBeGreaterThan(0);
      expect(calls()).toBeGreaterThan(before[at] ?? 0);
    }
  });

  test(`a replica with another key is nonconformant through ${name}`, async () => {
    test.skip(isMissing, `${name} is not installed.`);
    await using running = await startReplicas(newDirectory(), [KEY, KEY, `another ${KEY}`]);
    await using balancer = await start(running.replicas.map(({ port }) => port));
    const run = await judge(balancer);
    expect(run, run.stdout).toMatchObject({ code: 1, report: { outcome: 'nonconformant' } });
    const failed = run.report?.requirements.filter(({ verdict }) => verdict === 'failed') ?? [];
    expect(failed.map(({ evidence }) => evidence.seen).join(' ')).toContain('401');
  });
}
