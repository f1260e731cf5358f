/**
 * The structure of the project: who may import whom, no import cycles, test material apart from the product.
 * Biome's noRestrictedImports sees only the text of an import, not the file that it means; hence this check.
 */
import { posix } from 'node:path';
import ts from 'typescript';

/** The text of each file by its path, relative to the project and with slashes. */
export type Sources = ReadonlyMap<string, string>;

interface ImportRule {
  from: RegExp;
  to: RegExp;
  /** What the files do wrong and what to do, after "A imports B: ". */
  sentence: string;
}

const TEST_MATERIAL = /\.test\.ts$|(^|\/)testing\/|^scripts\/(check|e2e)\//;

const IMPORT_RULES: readonly ImportRule[] = [
  {
    from: /^mocks\//,
    to: /^tests\//,
    sentence:
      'mocks/ never imports tests/. Join the two in scripts/, or declare the type that mocks/ needs there.',
  },
  {
    from: /^tests\//,
    to: /^mocks\//,
    sentence:
      'tests/ never imports mocks/. Join the two in scripts/, or declare the type that tests/ needs there.',
  },
  {
    from: /^(mocks|tests)\//,
    to: /^scripts\//,
    sentence: 'only scripts/ imports scripts/. Move what both need to mocks/ or tests/support/.',
  },
  {
    from: /^tests\/(report|support|traffic)\//,
    to: /^tests\/(server|client|feed)\//,
    sentence:
      'what the three judges share imports no judge. Pass the value in, or move it to the shared folder.',
  },
  {
    from: /^tests\/server\//,
    to: /^tests\/client\//,
    sentence: 'judges do not import each other. Move what both need to tests/report/ or tests/support/.',
  },
  {
    from: /^tests\/client\//,
    to: /^tests\/(server|feed)\//,
    sentence: 'judges do not import each other. Move what both need to tests/report/ or tests/support/.',
  },
  {
    from: /^tests\/feed\//,
    to: /^tests\/(server|client)\//,
    sentence: 'judges do not import each other. Move what both need to tests/report/ or tests/support/.',
  },
  {
    from: /^mocks\/(contract|wire)\//,
    to: /^mocks\/(state|pipeline|journal|records|control|deployments)\//,
    sentence:
      'mocks/contract/ and mocks/wire/ know only the contract and HTTP. Pass the value in, or move it down.',
  },
  {
    from: /^mocks\/pipeline\//,
    to: /^mocks\/deployments\//,
    sentence:
      'the pipeline knows no defect or variant. Add a hook to mocks/pipeline/ that the deployment sets.',
  },
  {
    from: /^scripts\/proxy\/forward\//,
    to: /^scripts\/(judge|proxy\/(har|record))\//,
    sentence: 'what forwards knows nothing of what is recorded and judged. Pass the value in.',
  },
  {
    from: /^tests\/server\/[\d.]+-[\w-]+\.spec\.ts$/,
    to: /^(?!tests\/server\/((suite|requests)\.ts$|support\/))/,
    sentence: 'a requirement is judged on the evidence only. Move what it needs to tests/server/support/.',
  },
];

const isTest = (file: string): boolean => TEST_MATERIAL.test(file);

/** A sentence for each violation: the rule, the files, what to do. */
export function structureProblems(sources: Sources): string[] {
  const imports = importGraph(sources);
  const problems: string[] = [];
  for (const [file, targets] of imports)
    for (const target of targets) {
      for (const { from, to, sentence } of IMPORT_RULES)
        if (from.test(file) && to.test(target)) problems.push(`${file} imports ${target}: ${sentence}`);
      if (!isTest(file) && isTest(target))
        problems.push(
          `${file} imports ${target}: the product imports no test material. Move what it needs out of there.`,
        );
    }
  for (const cycle of importCycles(imports))
    problems.push(
      `Import cycle, which type-only imports make too: ${cycle.join(' → ')}. Move what they share to a file of its own.`,
    );
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

/** The shortest cycle through each file that no cycle before it went through. */
function importCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const file of graph.keys()) {
    const cycle = seen.has(file) ? undefined : shortestCycle(file, graph);
    if (!cycle) continue;
    cycles.push(cycle);
    for (const member of cycle) seen.add(member);
  }
  return cycles;
}

/** From a file back to itself. */
function shortestCycle(file: string, graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const paths: string[][] = [[file]];
  const reached = new Set<string>();
  for (const path of paths)
    for (const target of graph.get(path.at(-1) ?? '') ?? []) {
      if (target === file) return [...path, file];
      if (reached.has(target)) continue;
      reached.add(target);
      paths.push([...path, target]);
    }
  return undefined;
}
