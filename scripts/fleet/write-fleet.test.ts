import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { SAMPLES } from '../../tests/server/report/testing/sample-reports.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { collectReports } from './collect-reports.ts';
import { writeFleet } from './write-fleet.ts';

const SECRET = 'observatory-Kx81-qwertz';

/** Merges one report, in which a deployment has sent `text`. */
function mergeOne(name: string, text: string): { code: number; output: string } {
  const folder = test.info().outputPath('reports');
  const report = structuredClone(SAMPLES.unproved);
  for (const { evidence } of report.requirements) evidence.seen = `${evidence.seen} ${text}`;
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'report.json'), JSON.stringify(report));
  const secrets = createSecrets();
  secrets.register(SECRET, 'secret of another');
  const output = join(folder, 'fleet');
  const { log } = console;
  console.log = () => {};
  try {
    const code = writeFleet({
      collected: collectReports([folder], { output }),
      output,
      runId: undefined,
      print: 'quiet',
      secrets,
    });
    return { code, output };
  } finally {
    console.log = log;
  }
}

test('secret of another deployment, sent by one, is not in the report on the fleet', () => {
  const { code, output } = mergeOne('alpha', SECRET);
  expect(code).toBe(1);
  const files = ['fleet.json', 'fleet.html', 'junit.xml', 'summary.md'];
  for (const file of files) {
    const text = readFileSync(join(output, file), 'utf8');
    expect(text, file).toContain('‹secret of another›');
    expect(text, file).not.toContain('Kx81');
  }
  expect(readdirSync(join(output, 'badges'))).toEqual(['alpha.json']);
});

test('name that a secret begins with stays', () => {
  const { output } = mergeOne('observatory', 'nothing');
  expect(readFileSync(join(output, 'fleet.json'), 'utf8')).toContain('"name": "observatory"');
});

test('files are replaced, and a second report on the same runs is the same', () => {
  const first = mergeOne('alpha', 'nothing');
  const before = readFileSync(join(first.output, 'fleet.json'), 'utf8');
  const second = mergeOne('alpha', 'nothing');
  expect(readFileSync(join(second.output, 'fleet.json'), 'utf8')).toBe(before);
});

test('link in the place of a folder of reports is refused, and nothing is written through it', () => {
  const elsewhere = test.info().outputPath('elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  mkdirSync(test.info().outputPath('reports/fleet'), { recursive: true });
  symlinkSync(elsewhere, test.info().outputPath('reports/fleet/badges'));
  expect(() => mergeOne('alpha', '')).toThrow(/badges is a link, and nothing is written through it\./);
  expect(readdirSync(elsewhere)).toEqual([]);
});
