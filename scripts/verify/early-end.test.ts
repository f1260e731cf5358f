/** A run that is ended early, at each of its requests: it accuses no one of what it did not see, and keeps what it saw. */
import { expect, test } from 'vitest';
import { judgeAll } from '../../tests/server/judge.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { targetIn } from '../../tests/server/probe/target.ts';
import { applyBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import { fileOf, foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import { createVirtualClock } from '../../tests/support/clock.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { json, startDeployment, type Traits } from '../e2e/testing/deployment.ts';
import { failedIn, itemsIn } from '../e2e/testing/verify-run.ts';

/** The report on a deployment, where the run is ended while request number `last` is under way, and how many requests there were. */
async function reportUntil(last: number, traits: Partial<Traits> = {}) {
  const clock = createVirtualClock();
  const end = new AbortController();
  const { send = (answer) => answer } = traits;
  let calls = 0;
  await using deployment = await startDeployment(
    {
      ...{ tokenLifetimeMs: 60_000, ...traits },
      send(...given) {
        if (++calls === last) end.abort(new Error('Interrupted'));
        return send(...given);
      },
    },
    clock.now,
  );
  const evidence = await gather(targetIn(deployment.env), {
    ...{ secrets: createSecrets(), clock, progress: () => {}, signal: end.signal },
  });
  return { report: reportOf({ evidence, profile: undefined, ...judgeAll(evidence) }), evidence, calls };
}

/** Each asks to wait at every seventh request. */
function limiting(): Partial<Traits> {
  let calls = 0;
  const busy = { status: 429, headers: { 'retry-after': '2' } };
  return { send: (answer) => (++calls % 7 === 0 ? busy : answer) };
}

/** A deployment that hands out one token until it expires, and whose token of before is nearly over. */
function reusing(): Partial<Traits> {
  let reads = 0;
  const refuse = ({ status }: { status: number }) => status === 200 && ++reads === 1;
  return {
    send: (answer, { path }) =>
      path.endsWith('/ods_data/') && refuse(answer) ? json(403, { error: 'expired' }) : answer,
  };
}

/** A deployment, and what a run finds in it that goes to its end. */
const DEPLOYMENTS: readonly [what: string, traits: () => Partial<Traits>, fails: string[]][] = [
  ['that is correct', () => ({}), []],
  ['that limits requests', limiting, []],
  ['whose first token was nearly over', reusing, []],
  [
    'that accepts every token',
    () => ({ opens: ({ kind }) => kind !== 'missing' }),
    ['MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-7a'],
  ],
  [
    'whose health check asks for a token',
    () => ({ health: ({ token }) => json(token ? 200 : 403, {}) }),
    ['MRS-4.3b'],
  ],
];

/** Every request of each would take a minute: each deployment begins at another one. */
const EVERY = 17;

for (const [nth, [what, traits, fails]] of DEPLOYMENTS.entries())
  test(`a run that is ended at a request to a deployment ${what} finds nothing that is not there, and loses nothing`, async () => {
    const { calls: all, report: whole } = await reportUntil(Number.POSITIVE_INFINITY, traits());
    expect(failedIn(whole)).toEqual(fails);
    let before: string[] = [];
    for (let last = nth + 1; last <= all; last += EVERY) {
      const { report, calls } = await reportUntil(last, traits());
      expect(calls, 'nothing is sent after the end').toBe(last);
      const failed = failedIn(report);
      const at = `ended at request ${last} of ${all}`;
      expect(fails, at).toEqual(expect.arrayContaining(failed));
      expect(failed, at).toEqual(expect.arrayContaining(before));
      expect(report.outcome, at).toBe(failed.length > 0 ? 'nonconformant' : 'incomplete');
      const sentences = [`${report.headline}.`, ...report.remarks];
      expect(sentences, at).toContainEqual(
        expect.stringMatching(/^Interrupted after \d+ s, at request \d+\.$/),
      );
      before = failed;
    }
  });

test('what was not asked could not be run for that reason, and a baseline does not accept the rest', async () => {
  const { report, evidence } = await reportUntil(30, { health: ({ token }) => json(token ? 200 : 403, {}) });
  expect(report).toMatchObject({
    outcome: 'nonconformant',
    remarks: [expect.stringMatching(/^Interrupted /)],
  });
  const [left] = itemsIn(report, 'could-not-run');
  expect(left?.reason).toMatch(/^Interrupted after \d+ s, at request 30\.$/);
  const saved = foreignEvidence(JSON.stringify(fileOf(evidence)), 'evidence.har').evidence;
  expect(reportOf({ evidence: saved, profile: undefined, ...judgeAll(saved) })).toEqual(report);
  const entry = { requirement: 'MRS-4.3b', reason: 'known', owner: 'ops', until: '2999-01-01' };
  expect(applyBaseline(report, [entry]).baseline).toMatchObject({ outcome: 'incomplete' });
  // Also where all that is left was seen.
  const seen = { ...report, items: report.items.filter(({ verdict }) => verdict !== 'could-not-run') };
  expect(applyBaseline(seen, [entry]).baseline).toMatchObject({ outcome: 'incomplete' });
});
