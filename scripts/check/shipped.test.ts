/** The files of the package. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('./', import.meta.resolve('mrs-contract/package.json')));
const TEST_MATERIAL = /\.test\.|\/testing\/|scripts\/(check|e2e|bench)\//;

/** A sentence for each file that is shipped and should not be, or is imported and not shipped. `textOf` reads a file. */
function problemsOf(shipped: readonly string[], textOf: (file: string) => string): string[] {
  const all = new Set(shipped);
  const importsOf = (file: string) =>
    [...textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g)].map(([, name = '']) =>
      posix.join(posix.dirname(file), name),
    );
  return [
    ...shipped.filter((file) => TEST_MATERIAL.test(file)).map((file) => `${file} is test material.`),
    ...shipped
      .filter((file) => file.startsWith('dist/') && file.endsWith('.js'))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => !all.has(target))
          .map((target) => `${file} imports ${target}, which is not shipped.`),
      ),
  ];
}

test('the package ships the product, and nothing else', () => {
  const npm = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: process.platform === 'win32',
  });
  const shipped: string[] = JSON.parse(npm)[0].files.map(({ path }: { path: string }) => path);
  expect(shipped).toContain('dist/scripts/mrs.js');
  expect(problemsOf(shipped, (file) => readFileSync(join(root, file), 'utf8'))).toEqual([]);
});

test('a package that ships test material, or lacks a file, is reported', () => {
  const texts: Record<string, string> = {
    'dist/scripts/mrs.js': "import { run } from './fleet/run.js';\nawait import('./commands/a.js');",
    'dist/scripts/commands/a.js': "import '../mrs.js';",
    'dist/mocks/testing/chance.js': '',
  };
  expect(problemsOf(Object.keys(texts), (file) => texts[file] ?? '')).toEqual([
    'dist/mocks/testing/chance.js is test material.',
    'dist/scripts/mrs.js imports dist/scripts/fleet/run.js, which is not shipped.',
  ]);
});
