/** Commands that are ended early, or end with an error: what they leave, and that nothing of an earlier run stays. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { json, startDeployment, untimed } from './testing/deployment.ts';
import { leftIn, newFolder, run, runInShell, startMrs } from './testing/mrs.ts';
import { failedIn } from './testing/verify-run.ts';

/** A folder in which an earlier run of each command left a report. */
function folderWithReports(): string {
  const folder = newFolder();
  for (const command of ['verify', 'feed', 'judge', 'certify', 'proxy', 'fleet']) {
    mkdirSync(join(folder, 'reports', command), { recursive: true });
    for (const name of ['report.json', 'junit.xml'])
      writeFileSync(join(folder, 'reports', command, name), '{"outcome":"conformant"}');
  }
  return folder;
}

const reportsOf = (files: Record<string, string>, command: string): string[] =>
  Object.keys(files).filter((path) => path.startsWith(`reports/${command}/`));

/** A deployment that wants a token for its health check, and a promise of its request number `nth`. */
async function startBroken(nth: number) {
  let calls = 0;
  let reached = () => {};
  const reaches = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const deployment = await startDeployment({
    ...untimed,
    health: ({ token }) => json(token ? 200 : 403, {}),
    send(answer) {
      if (++calls === nth) reached();
      return answer;
    },
  });
  return { ...deployment, reaches };
}

// Those that SIGTERM and SIGHUP end are in feed.e2e.test.ts.
test('a run of mrs verify that Ctrl-C ends leaves a report of what was seen', async () => {
  // At the third request to its health check, of which two were enough.
  await using deployment = await startBroken(11);
  const cwd = folderWithReports();
  const { child, ended } = startMrs(['verify'], { cwd, env: deployment.env });
  await deployment.reaches;
  // npx passes on the Ctrl-C that the terminal sends to both.
  for (const _ of [1, 2]) child.kill('SIGINT');
  const { code, files, lastLine, stdout } = leftIn(cwd, await ended);
  const report = JSON.parse(files['reports/verify/report.json'] ?? '{}');
  expect([code, failedIn(report)], stdout).toEqual([1, ['MRS-4.3b']]);
  expect(lastLine).toMatch(/^outcome: nonconformant \(\d+ passed, 1 failed, /);
  expect(report.remarks[0]).toMatch(/^Interrupted after \d+ s, at request \d+\.$/);
  expect(files['reports/verify/evidence.har']).toContain('"interrupted":"Interrupted after ');
});

test('a run of mrs observe that is interrupted drafts nothing', async () => {
  await using deployment = await startBroken(3);
  const cwd = newFolder();
  const { child, ended } = startMrs(['observe'], { cwd, env: deployment.env });
  await deployment.reaches;
  child.kill('SIGTERM');
  const { code, stdout, files } = leftIn(cwd, await ended);
  expect([code, Object.keys(files)]).toEqual([3, []]);
  expect(stdout).toMatch(/Too little was seen for a draft\. Interrupted after \d+ s, at request \d+\./);
});

for (const command of ['verify', 'feed', 'certify', 'fleet'] as const)
  test(`a run of mrs ${command} that is killed leaves no report of an earlier run`, async () => {
    await using deployment = await startBroken(1);
    const cwd = folderWithReports();
    const entry = {
      ...{ name: 'a', baseUrl: deployment.url, clientId: 'a', clientSecret: { env: 'MRS_CLIENT_SECRET' } },
    };
    writeFileSync(join(cwd, 'fleet.json'), JSON.stringify({ deployments: [entry] }));
    const args = {
      verify: ['verify'],
      feed: ['feed', deployment.url],
      certify: ['certify', '--', process.execPath, '-e', 'setInterval(() => {}, 1000)'],
      fleet: ['fleet', 'run', 'fleet.json'],
    }[command];
    const { child, ended } = startMrs(args, { cwd, env: deployment.env });
    const isGone = (text: unknown) => /Examining/.test(String(text)) && child.kill('SIGKILL');
    child.stdout?.on('data', isGone);
    void deployment.reaches.then(() => child.kill('SIGKILL'));
    const { files } = leftIn(cwd, await ended);
    expect(reportsOf(files, command)).toEqual([]);
  });

const KNOWN = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'a', MRS_CLIENT_SECRET: 'b-secret' };
for (const [what, args, env] of [
  ['verify with a baseline that is missing', ['verify', '--baseline', 'none.yaml'], KNOWN],
  ['feed with a file that is missing', ['feed', 'none.json'], {}],
  ['judge with a file that is missing', ['judge', 'none.har'], {}],
  ['certify with a program that is missing', ['certify', '--', './none'], {}],
  ['proxy with authorities that are missing', ['proxy', '--target', 'https://a.example', '--ca', 'none'], {}],
  ['fleet run with a file that is missing', ['fleet', 'run', 'none.yaml'], {}],
  ['verify with a mistyped variable', ['verify'], { ...KNOWN, MRS_TOKEN_LIFTIME: '5' }],
  ['fleet report with a directory that is missing', ['fleet', 'report', 'none'], {}],
] as const)
  test(`mrs ${what} leaves no report of an earlier run`, async () => {
    const cwd = folderWithReports();
    const { code, files } = await run(args, { cwd, env });
    const command = args[0];
    expect([code, reportsOf(files, command)]).toEqual([2, []]);
    // Those of other commands are not touched.
    expect(Object.keys(files).filter((path) => path.startsWith('reports/'))).toHaveLength(10);
  });

for (const [command, ...args] of [
  ['verify', '--lifetime', '--report-dir', 'other'],
  ['verify', '--report-dir', 'other', '--timeout'],
  ['certify', '--strikt', 'x', '--report-dir=other', '--', 'true', '--report-dir', 'reports/certify'],
] as const)
  test(`mrs ${[command, ...args].join(' ')} leaves no report of an earlier run in the directory that it names`, async () => {
    const cwd = folderWithReports();
    cpSync(join(cwd, 'reports', command), join(cwd, 'other'), { recursive: true });
    const { code, files } = await run([command, ...args], { cwd });
    const left = Object.keys(files).filter((path) => path.startsWith('other/'));
    expect([code, left, reportsOf(files, command).length]).toEqual([2, [], 2]);
  });

for (const [what, args, end] of [
  ['verify', ['verify'], '> /dev/full'],
  ['feed', ['feed', 'ods.json', '--quiet'], '> /dev/full'],
  ['verify with a summary', ['verify'], '> log'],
] as const)
  test(`mrs ${what} whose output cannot be written ends with 2, and says why`, async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'ods.json'), '{"ods_data": []}');
    const env = what.endsWith('summary') ? { GITHUB_STEP_SUMMARY: '/dev/full' } : {};
    const { code, stderr } = await runInShell(args, end, { cwd, env });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/could not be written[:. (].*ENOSPC/)]);
  });

test('mrs feed whose reader has gone leaves its reports', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'ods.json'), '{"ods_data": []}');
  const { code, files } = await runInShell(['feed', 'ods.json'], '| true; exit "$PIPESTATUS"', { cwd });
  expect([code, JSON.parse(files['reports/feed/report.json'] ?? '{}').outcome]).toEqual([0, 'conformant']);
});

for (const args of [
  ['verify', '--dry-run'],
  ['certify', '--list'],
  ['verify', '--lifetime', '5', '--dry-run'],
  ['verify', '--token-lifetime', 'x', '--report-dir', 'other'],
] as const)
  test(`mrs ${args.join(' ')} leaves the reports as they are`, async () => {
    const { code, files } = await run(args, { cwd: folderWithReports() });
    expect([code, reportsOf(files, args[0]).length]).toEqual([args.length > 2 ? 2 : 0, 2]);
  });
