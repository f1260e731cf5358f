/**
 * The structure of the project: who may import whom, and test material apart from the product. Biome finds import cycles.
 * Biome's noRestrictedImports sees only the text of an import, not the file that it means; hence this check.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import ts from 'typescript';

/** The text of each file by its path, relative to the project and with slashes. */
type Sources = ReadonlyMap<string, string>;

const TEST_MATERIAL = /\.test\.ts$|(^|\/)testing\/|^scripts\/(check|e2e)\//;

/** What no file may do, as "A imports B", what to do instead, and such files. */
const IMPORT_RULES: readonly [imports: RegExp, sentence: string, ...examples: string[]][] = [
  [
    /^mocks\/.* imports tests\//,
    'mocks/ never imports tests/. Join the two in scripts/, or declare the type that mocks/ needs there.',
    'mocks/index.ts imports tests/support/a.ts',
  ],
  [
    /^tests\/.* imports mocks\//,
    'tests/ never imports mocks/. Join the two in scripts/, or declare the type that tests/ needs there.',
    'tests/support/a.ts imports mocks/index.ts',
  ],
  [
    /^(mocks|tests)\/.* imports scripts\//,
    'only scripts/ imports scripts/. Move what both need to mocks/ or tests/support/.',
    'tests/support/a.ts imports scripts/mrs.ts',
    'mocks/index.ts imports scripts/index.ts',
  ],
  [
    /^tests\/(report|support|traffic)\/.* imports tests\/(server|client|feed)\//,
    'what the three judges share imports no judge. Pass the value in, or move it to the shared folder.',
    'tests/traffic/a.ts imports tests/client/rule.ts',
    'tests/report/a.ts imports tests/feed/judge.ts',
  ],
  [
    /^tests\/((server|feed)\/.* imports tests\/client|client\/.* imports tests\/(server|feed)|feed\/.* imports tests\/server)\//,
    'judges do not import each other. Move what both need to tests/report/ or tests/support/.',
    'tests/server/probe/a.ts imports tests/client/rule.ts',
    'tests/client/rule.ts imports tests/feed/judge.ts',
    'tests/feed/judge.ts imports tests/server/a.ts',
  ],
  [
    /^mocks\/contract\/[\w-]+\.ts imports mocks\/(?!contract\/)/,
    'mocks/contract/ knows only the contract. Pass the value in, or move it down.',
    'mocks/contract/a.ts imports mocks/state.ts',
  ],
  [
    /^mocks\/(options\.ts imports mocks\/deployments\/(?!(find-)?deployment\.ts)|(?!options\.ts)[\w-]+\.ts imports mocks\/deployments\/)/,
    'a mock knows no defect or variant. Find it by its name, or add a hook to mocks/respond.ts that the deployment sets.',
    'mocks/respond.ts imports mocks/deployments/b.ts',
    'mocks/options.ts imports mocks/deployments/defects.ts',
  ],
  [
    /^scripts\/proxy\/(forward|exchange|service)\.ts imports scripts\/(judge\/|proxy\/(call|har-file|proxy))/,
    'what forwards knows nothing of what is recorded and judged. Pass the value in.',
    'scripts/proxy/forward.ts imports scripts/proxy/proxy.ts',
  ],
  [
    /^tests\/server\/[\d.]+-[\w-]+\.spec\.ts imports (?!tests\/server\/((suite|requests)\.ts$|support\/))/,
    'a requirement is judged on the evidence only. Move what it needs to tests/server/support/.',
    'tests/server/7-errors.spec.ts imports tests/server/probe/run.ts',
  ],
  [
    /^(?!\S*(\.test\.ts|\/testing\/)|scripts\/(check|e2e)\/)\S+ imports (\S+\.test\.ts$|\S+\/testing\/|scripts\/(check|e2e)\/)/,
    'the product imports no test material. Move what it needs out of there.',
    'mocks/index.ts imports mocks/testing/chance.ts',
    'scripts/mrs.ts imports scripts/mrs.test.ts',
    'scripts/mrs.ts imports scripts/e2e/testing/mrs.ts',
  ],
];

const isTest = (file: string): boolean => TEST_MATERIAL.test(file);

/** A sentence for each violation: the files, the rule, what to do. */
const structureProblems = (sources: Sources): string[] =>
  [...importGraph(sources)].flatMap(([file, targets]) =>
    targets.flatMap((target) => {
      const place = `${file} imports ${target}`;
      return IMPORT_RULES.flatMap(([imports, sentence]) =>
        imports.test(place) ? `${place}: ${sentence}` : [],
      );
    }),
  );

/** A sentence for each file that the package ships and should not, or needs and does not ship. */
function packageProblems(shipped: readonly string[], sources: Sources): string[] {
  const problems: string[] = [];
  const outputs = new Set(shipped);
  for (const file of shipped)
    if (isTest(file.replace(/^dist\//, '').replace(/\.(d\.ts|js)$/, '.ts')))
      problems.push(`${file} is test material, and package.json ships it. Remove it from "files".`);
  for (const [file, targets] of importGraph(sources))
    for (const target of targets)
      if (outputs.has(outputOf(file)) && !outputs.has(outputOf(target)))
        problems.push(
          `${file} is shipped and imports ${target}, which is not. Add it to "files" in package.json.`,
        );
  return problems;
}

const outputOf = (file: string): string =>
  file.endsWith('.ts') ? `dist/${file.replace(/\.ts$/, '.js')}` : file;

/** The files of `sources` that each of them imports, also for types only or later by import(). */
function importGraph(sources: Sources): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const targets = ts
      .preProcessFile(text)
      .importedFiles.map(({ fileName }) => fileName)
      .map((name) => (name === 'mrs-contract' ? 'scripts/index.ts' : posix.join(posix.dirname(file), name)))
      .filter((target) => sources.has(target));
    graph.set(file, [...new Set(targets)]);
  }
  return graph;
}

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
  expect(shipped).toContain('dist/scripts/mrs.js');
  expect(packageProblems(shipped, sources)).toEqual([]);
});

/** A made-up project: each file with what it imports. */
const project = (files: Record<string, string[]>) =>
  new Map(
    Object.entries(files).map(([file, imports]) => {
      const names = imports.map((one) =>
        one === 'scripts/index.ts'
          ? 'mrs-contract'
          : posix.join('.', posix.relative(posix.dirname(file), one)),
      );
      return [file, names.map((one) => `import '${one}';`).join('\n')];
    }),
  );

for (const [, sentence, ...examples] of IMPORT_RULES)
  test(`imports that break a rule are reported: ${sentence}`, () => {
    for (const example of examples) {
      const [importer = '', target = ''] = example.split(' imports ');
      expect(structureProblems(project({ [importer]: [target], [target]: [] }))).toEqual([
        `${example}: ${sentence}`,
      ]);
    }
  });

test('the server judge may ask the feed judge, and scripts/ may import both sides', () => {
  const files = {
    'tests/server/support/data.ts': ['tests/feed/contract.ts'],
    'tests/feed/contract.ts': [],
    'mocks/index.ts': [],
    'scripts/index.ts': ['mocks/index.ts', 'tests/feed/contract.ts'],
  };
  expect(structureProblems(project(files))).toEqual([]);
});

test('a package that ships test material, or lacks a file, is reported', () => {
  const files = project({ 'scripts/mrs.ts': ['scripts/fleet/run.ts'], 'scripts/fleet/run.ts': [] });
  const shipped = ['dist/scripts/mrs.js', 'dist/mocks/testing/chance.js', 'tests/a.test.ts'];
  expect(packageProblems(shipped, files)).toEqual([
    expect.stringContaining('dist/mocks/testing/chance.js is test material'),
    expect.stringContaining('tests/a.test.ts is test material'),
    expect.stringContaining('scripts/mrs.ts is shipped and imports scripts/fleet/run.ts, which is not.'),
  ]);
});
