/** `mrs judge` on what it wrote before: the evidence in a page or a file is judged again, and a change is noticed. */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import type { Report } from '../../tests/report/report.ts';
import { json, startDeployment, untimed } from './testing/deployment.ts';
import { mrsHere } from './testing/mrs.ts';
import { factIn, verify } from './testing/verify-run.ts';

const client = fileURLToPath(new URL('../../dist/tests/client/corpus/run.js', import.meta.url));

const COMMANDS: Record<string, string[]> = {
  verify: ['verify', '--quiet', '--report-dir', 'first'],
  certify: [
    ...['certify', '--quiet', '--scenario', 'steady', '--report-dir', 'first'],
    ...['--', process.execPath, client, 'new-token-every-third-call'],
  ],
};

/** The reports of each command, which are written once. */
const written = new Map<string, string>();

/** A folder of the test with the reports of one of the commands. */
async function write(command: string): Promise<string> {
  const folder = test.info().outputPath('.');
  const before = written.get(command);
  if (before !== undefined) cpSync(join(before, 'first'), join(folder, 'first'), { recursive: true });
  else await mrsHere(COMMANDS[command] ?? [], { cwd: folder, env: {} });
  written.set(command, before ?? folder);
  return folder;
}

const reportIn = (folder: string, directory: string): Report =>
  JSON.parse(readFileSync(join(folder, directory, 'report.json'), 'utf8'));

const again = (cwd: string, file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  mrsHere(['judge', file, '--report-dir', 'second', ...args], { cwd, env });

for (const command of Object.keys(COMMANDS))
  test(`page of mrs ${command} is judged again to the same verdicts`, async () => {
    const folder = await write(command);
    const { stdout } = await again(folder, 'first/report.html');
    const [first, second] = [reportIn(folder, 'first'), reportIn(folder, 'second')];
    expect(second.items).toEqual(first.items);
    expect([second.outcome, second.remarks[0]]).toEqual([
      first.outcome,
      'The verdicts of the page follow from its evidence.',
    ]);
    expect(stdout.trimEnd()).toMatch(/judged again\)$/);
  });

for (const [command, file] of [
  ['verify', 'evidence.har'],
  ['certify', 'evidence.json'],
] as const)
  test(`${file} of mrs ${command} is judged as the run was, whatever its name and form`, async () => {
    const folder = await write(command);
    const { format, log, ...rest } = JSON.parse(readFileSync(join(folder, 'first', file), 'utf8'));
    const last = log && { log: { version: log.version, entries: log.entries, ...log } };
    writeFileSync(join(folder, 'saved'), JSON.stringify({ ...rest, ...last, format }, null, 1));
    await again(folder, 'saved');
    expect(reportIn(folder, 'second').items).toEqual(reportIn(folder, 'first').items);
  });

test('evidence of a run on a deployment is judged again as it was, without a request and a secret', async () => {
  await using deployment = await startDeployment({
    ...untimed,
    health: ({ token }) => json(token ? 200 : 403, {}),
  });
  const run = await verify({ ...deployment.env, MRS_PROFILE: 'rfc6750' });
  const sent = deployment.calls.length;
  const file = join(run.directory, 'evidence.har');
  const text = readFileSync(file, 'utf8');
  for (const secret of [deployment.traits.clientSecret, ...deployment.tokens])
    expect(text).not.toContain(secret);

  const cwd = test.info().outputPath('.');
  const judged = await again(cwd, file, [], deployment.env);
  const report = reportIn(cwd, 'second');
  for (const member of [
    'outcome',
    'subject',
    'counts',
    'items',
    'sections',
    'exchanges',
    'startedAt',
  ] as const)
    expect(report[member], member).toEqual(run.report?.[member]);
  const digest = createHash('sha256').update(text.trimEnd()).digest('hex');
  expect(factIn(report, 'Evidence')).toBe(`sha256:${digest}`);
  expect(judged).toMatchObject({ code: 1, stderr: '' });
  expect(judged.stdout).toMatch(/\n✗ Judged again: [\s\S]*\noutcome: nonconformant \(.*; judged again\)\n$/);
  expect(deployment.calls).toHaveLength(sent);
});

test('a secret of the environment is taken out of the evidence of others', async () => {
  const folder = await write('verify');
  const har = readFileSync(join(folder, 'first/evidence.har'), 'utf8');
  writeFileSync(join(folder, 'other.har'), har.replaceAll('"text":"', '"text":"hunter2-hunter2 '));
  const { code } = await again(folder, 'other.har', [], { MRS_CLIENT_SECRET: 'hunter2-hunter2' });
  expect(code).toBe(0);
  for (const file of readdirSync(join(folder, 'second')))
    expect(readFileSync(join(folder, 'second', file), 'utf8'), file).not.toContain('hunter2');
});

for (const [what, args, sentence] of [
  ['a lifetime', ['--token-lifetime', '90'], '--token-lifetime is for recordings'],
  ['health checks', ['--health-paths', '/live'], '--health-paths is for recordings'],
  [
    'a baseline that does not exist',
    ['--baseline', 'none.yaml'],
    'The baseline none.yaml cannot be read (ENOENT)',
  ],
] as const)
  test(`evidence of a run with ${what} is refused`, async () => {
    const folder = await write('verify');
    const { code, stderr } = await again(folder, 'first/evidence.har', args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });

test('a recording with a baseline is refused, and so is a file with broken evidence', async () => {
  const folder = test.info().outputPath('.');
  writeFileSync(join(folder, 'known.yaml'), '[]');
  writeFileSync(join(folder, 'traffic.har'), '{"log": {"entries": []}}');
  writeFileSync(join(folder, 'broken.har'), '{"log": {"_mrs": {"format": "mrs-contract evidence"}}}');
  const recording = await again(folder, 'traffic.har', ['--baseline', 'known.yaml']);
  expect(recording.stderr).toMatch(/^--baseline \(MRS_BASELINE\) is for the evidence of mrs verify, /);
  const certified = await again(await write('certify'), 'first/evidence.json', ['--baseline', 'known.yaml']);
  expect(certified.stderr).toMatch(
    /^--baseline \(MRS_BASELINE\) is for the evidence of mrs verify, .* of mrs certify\./,
  );
  const broken = await again(folder, 'broken.har', ['--baseline', 'known.yaml']);
  expect(broken.stderr).toMatch(/^broken\.har is damaged: /);
});

for (const [what, from, to, sentence] of [
  [
    'a changed byte of the evidence',
    '"startedDateTime":',
    '"startedDateTimes":',
    /^The evidence in page\.html was changed: /,
  ],
  ['no evidence', 'id="mrs-evidence"', 'id="other"', /^page\.html does not hold the evidence of a report\. /],
  [
    'a report that is damaged',
    '"schemaVersion":2',
    '"schemaVersion":9',
    /^page\.html is not a report: \/schemaVersion /,
  ],
] as const)
  test(`page with ${what} is refused`, async () => {
    const folder = await write('verify');
    const page = readFileSync(join(folder, 'first/report.html'), 'utf8');
    expect(page).toContain(from);
    writeFileSync(join(folder, 'page.html'), page.replace(from, to));
    const { code, stderr } = await again(folder, 'page.html');
    expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  });

for (const [what, from, to, remark] of [
  [
    'says another verdict',
    /("id":"MRS-7a".*?"verdict":)"passed"/,
    '$1"failed"',
    /^The page does not agree with its evidence: MRS-7a is passed by its evidence, and failed in the page\.$/,
  ],
  [
    'has another headline',
    /<h1>.*<\/h1>/,
    '<h1>Certified</h1>',
    /^The page does not agree with its evidence, /,
  ],
  [
    'shows another answer',
    '"status":401',
    '"status":403',
    /^The page does not agree with its evidence, although the verdicts are the same\.$/,
  ],
] as const)
  test(`page that ${what} than its evidence is reported`, async () => {
    const folder = await write('verify');
    const page = readFileSync(join(folder, 'first/report.html'), 'utf8');
    writeFileSync(join(folder, 'page.html'), page.replace(from, to));
    await again(folder, 'page.html');
    expect(reportIn(folder, 'second').remarks[0]).toMatch(remark);
  });
