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

/** What no file may do, as "A imports B", and what to do instead. */
const IMPORT_RULES: readonly [imports: RegExp, sentence: string][] = [
  [
    /^mocks\/.* imports tests\//,
    'mocks/ never imports tests/. Join the two in scripts/, or declare the type that mocks/ needs there.',
  ],
  [
    /^tests\/.* imports mocks\//,
    'tests/ never imports mocks/. Join the two in scripts/, or declare the type that tests/ needs there.',
  ],
  [
    /^(mocks|tests)\/.* imports scripts\//,
    'only scripts/ imports scripts/. Move what both need to mocks/ or tests/support/.',
  ],
  [
    /^tests\/(report|support|traffic)\/.* imports tests\/(server|client|feed)\//,
    'what the three judges share imports no judge. Pass the value in, or move it to the shared folder.',
  ],
  [
    /^tests\/((server|feed)\/.* imports tests\/client|client\/.* imports tests\/(server|feed)|feed\/.* imports tests\/server)\//,
    'judges do not import each other. Move what both need to tests/report/ or tests/support/.',
  ],
  [
    /^mocks\/contract\/[\w-]+\.ts imports mocks\/(?!contract\/)/,
    'mocks/contract/ knows only the contract. Pass the value in, or move it down.',
  ],
  [
    /^mocks\/(options\.ts imports mocks\/deployments\/(?!(find-)?deployment\.ts)|(?!options\.ts)[\w-]+\.ts imports mocks\/deployments\/)/,
    'a mock knows no defect or variant. Find it by its name, or add a hook to mocks/respond.ts that the deployment sets.',
  ],
  [
    /^scripts\/proxy\/(forward|exchange|service)\.ts imports scripts\/(judge\/|proxy\/(har-file|recorder|journal-feed))/,
    'what forwards knows nothing of what is recorded and judged. Pass the value in.',
  ],
  [
    /^tests\/server\/[\d.]+-[\w-]+\.spec\.ts imports (?!tests\/server\/((suite|requests)\.ts$|support\/))/,
    'a requirement is judged on the evidence only. Move what it needs to tests/server/support/.',
  ],
];

const isTest = (file: string): boolean => TEST_MATERIAL.test(file);

/** A sentence for each violation: the rule, the files, what to do. */
function structureProblems(sources: Sources): string[] {
  const problems: string[] = [];
  for (const [file, targets] of importGraph(sources))
    for (const target of targets) {
      const place = `${file} imports ${target}`;
      for (const [imports, sentence] of IMPORT_RULES)
        if (imports.test(place)) problems.push(`${place}: ${sentence}`);
      if (!isTest(file) && isTest(target))
        problems.push(`${place}: the product imports no test material. Move what it needs out of there.`);
    }
  return problems;
}

/** A sentence for each file that the package ships and should not, or needs and does not ship. */
function packageProblems(
  patterns: readonly string[],
  shipped: readonly string[],
  sources: Sources,
): string[] {
  const problems = patterns
    .filter((pattern) => pattern.startsWith('!'))
    .map((pattern) => `package.json: "files" has "${pattern}". List only what is shipped.`);
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
  ['what forwards knows nothing', 'scripts/proxy/forward.ts', './recorder.ts', 'scripts/proxy/recorder.ts'],
  ['no defect or variant', 'mocks/respond.ts', './deployments/b.ts', 'mocks/deployments/b.ts'],
  ['no defect or variant', 'mocks/options.ts', './deployments/defects.ts', 'mocks/deployments/defects.ts'],
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
