/**
 * Builds the product into dist/: `npm run build`. A failed build exits with 2, the code of an error: 1 would say that
 * a deployment is nonconformant. Files in dist/ that no source makes any more are deleted; the others stay where
 * they are, because a running command may be using them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundlePrism } from './bundle-prism.mjs';
import './generate.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist');
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

await bundlePrism().catch(({ message }) => {
  console.error(`dist/prism.cjs cannot be made: ${message}`);
  process.exitCode = 2;
});
if (!process.exitCode) {
  const { status } = spawnSync(process.execPath, [compiler, '-b', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status === 0) deleteStale();
  else process.exitCode = 2;
}

function deleteStale() {
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?js$|\.d\.[cm]?ts$/.test(name) || name === 'prism.cjs') continue;
    const source = name.replace(/(\.d)?\.([cm]?)[jt]s$/, '.$2ts');
    if (!existsSync(join(root, source))) rmSync(join(output, name));
  }
}
