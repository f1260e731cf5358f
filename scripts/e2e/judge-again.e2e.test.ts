/** `mrs judge` on what it wrote before: the evidence in a page or a file is judged again, and a change is noticed. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import type { Report } from '../../tests/report/report.ts';
import { mrsHere } from './testing/mrs.ts';

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

const again = (cwd: string, file: string) =>
  mrsHere(['judge', file, '--report-dir', 'second'], { cwd, env: {} });

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

test('evidence.har of a run is judged as the run was', async () => {
  const folder = await write('verify');
  await again(folder, 'first/evidence.har');
  expect(reportIn(folder, 'second').items).toEqual(reportIn(folder, 'first').items);
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
