/**
 * The structure of the project: who may import whom, and test material apart from the product. Biome finds import cycles.
 * Biome's noRestrictedImports sees only the text of an import, not the file that it means; hence this check.
 */
import { posix } from 'node:path';
import ts from 'typescript';

/** The text of each file by its path, relative to the project and with slashes. */
export type Sources = ReadonlyMap<string, string>;

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
    /^mocks\/((pipeline\/)?(?!options\.ts)[\w-]+\.ts) imports mocks\/deployments\//,
    'a mock knows no defect or variant. Add a hook to mocks/pipeline/ that the deployment sets.',
  ],
  [
    /^scripts\/proxy\/forward\/.* imports scripts\/(judge|proxy\/(har|record))\//,
    'what forwards knows nothing of what is recorded and judged. Pass the value in.',
  ],
  [
    /^tests\/server\/[\d.]+-[\w-]+\.spec\.ts imports (?!tests\/server\/((suite|requests)\.ts$|support\/))/,
    'a requirement is judged on the evidence only. Move what it needs to tests/server/support/.',
  ],
];

const isTest = (file: string): boolean => TEST_MATERIAL.test(file);

/** A sentence for each violation: the rule, the files, what to do. */
export function structureProblems(sources: Sources): string[] {
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
export function packageProblems(
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
