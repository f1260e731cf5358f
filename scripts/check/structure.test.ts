import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { packageProblems, structureProblems } from './structure.ts';

const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));
const FILES = /\.(ts|js|mjs|cts)$/;

const sources = new Map(
  ['mocks', 'tests', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(folder, path),
      ),
    )
    .concat('playwright.config.ts')
    .filter((file) => FILES.test(file))
    .map((file): [string, string] => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]),
);

test('the project keeps its import rules', () => {
  expect(sources.size).toBeGreaterThan(300);
  expect(structureProblems(sources)).toEqual([]);
});

test('the package ships the product, and nothing else', () => {
  const npm = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const shipped: string[] = JSON.parse(npm)[0].files.map(({ path }: { path: string }) => path);
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  expect(shipped).toContain('dist/scripts/mrs.js');
  expect(packageProblems(files, shipped, sources)).toEqual([]);
});

/** A made-up project: each file with what it imports. */
const project = (files: Record<string, string[]>) =>
  new Map(
    Object.entries(files).map(([file, imports]) => [
      file,
      imports.map((one) => `import '${one}';`).join('\n'),
    ]),
  );

for (const [rule, importer, specifier, target] of [
  ['mocks/ never imports tests/', 'mocks/index.ts', '../tests/support/a.ts', 'tests/support/a.ts'],
  ['tests/ never imports mocks/', 'tests/support/a.ts', '../../mocks/index.ts', 'mocks/index.ts'],
  ['only scripts/ imports scripts/', 'tests/support/a.ts', '../../scripts/mrs.ts', 'scripts/mrs.ts'],
  ['only scripts/ imports scripts/', 'mocks/index.ts', 'mrs-contract', 'scripts/index.ts'],
  ['the three judges share', 'tests/traffic/a.ts', '../client/rule.ts', 'tests/client/rule.ts'],
  ['the three judges share', 'tests/report/a.ts', '../feed/judge.ts', 'tests/feed/judge.ts'],
  ['judges do not import', 'tests/server/probe/a.ts', '../../client/rule.ts', 'tests/client/rule.ts'],
  ['judges do not import', 'tests/client/rule.ts', '../feed/judge.ts', 'tests/feed/judge.ts'],
  ['judges do not import', 'tests/feed/judge.ts', '../server/a.ts', 'tests/server/a.ts'],
  ['knows only the contract', 'mocks/contract/a.ts', '../state.ts', 'mocks/state.ts'],
  [
    'what forwards knows nothing',
    'scripts/proxy/forward/a.ts',
    '../record/b.ts',
    'scripts/proxy/record/b.ts',
  ],
  ['no defect or variant', 'mocks/pipeline/a.ts', '../deployments/b.ts', 'mocks/deployments/b.ts'],
  ['on the evidence only', 'tests/server/7-errors.spec.ts', './probe/run.ts', 'tests/server/probe/run.ts'],
  ['no test material', 'mocks/index.ts', './testing/chance.ts', 'mocks/testing/chance.ts'],
  ['no test material', 'scripts/mrs.ts', './mrs.test.ts', 'scripts/mrs.test.ts'],
] as const)
  test(`${importer} must not import ${target}`, () => {
    const problems = structureProblems(project({ [importer]: [specifier], [target]: [] }));
    expect(problems).toEqual([expect.stringContaining(`${importer} imports ${target}: `)]);
    expect(problems[0]).toContain(rule);
  });

test('the server judge may ask the feed judge, and scripts/ may import both sides', () => {
  const files = {
    'tests/server/support/data.ts': ['../../feed/contract.ts'],
    'tests/feed/contract.ts': [],
    'mocks/index.ts': [],
    'scripts/index.ts': ['../mocks/index.ts', '../tests/feed/contract.ts'],
  };
  expect(structureProblems(project(files))).toEqual([]);
});

test('a package that ships test material, lacks a file or leaves files out is reported', () => {
  const files = project({ 'scripts/mrs.ts': ['./fleet/run.ts'], 'scripts/fleet/run.ts': [] });
  const shipped = ['dist/scripts/mrs.js', 'dist/mocks/testing/chance.js', 'tests/a.test.ts'];
  expect(packageProblems(['dist', '!dist/**/*.test.*'], shipped, files)).toEqual([
    expect.stringContaining('"files" has "!dist/**/*.test.*"'),
    expect.stringContaining('dist/mocks/testing/chance.js is test material'),
    expect.stringContaining('tests/a.test.ts is test material'),
    expect.stringContaining('scripts/mrs.ts is shipped and imports scripts/fleet/run.ts, which is not.'),
  ]);
});
