/**
 * Builds the product into dist/: `npm run build`. A failed build exits with 2, the code of an error: 1 would say that
 * a deployment is nonconformant. Files in dist/ that no source makes any more are deleted; the others stay where
 * they are, because a running command may be using them.
 */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import './generate.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const configFile = join(root, 'tsconfig.build.json');
const output = join(root, 'dist');

const host = ts.createSolutionBuilderHost(ts.sys, undefined, ts.createDiagnosticReporter(ts.sys, true));
const failed = process.exitCode || ts.createSolutionBuilder(host, [configFile], {}).build();
if (failed) process.exitCode = 2;
else deleteStale();

function deleteStale() {
  const config = ts.getParsedCommandLineOfConfigFile(
    configFile,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  );
  const made = new Set(
    config.fileNames
      .filter((name) => !name.endsWith('.d.ts'))
      .flatMap((name) => ts.getOutputFileNames(config, name, false))
      .map((name) => join(name)),
  );
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    const file = join(output, name);
    if (/\.(js|cjs|d\.ts|d\.cts)$/.test(name) && !made.has(file)) rmSync(file);
  }
}
