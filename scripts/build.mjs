/**
 * Builds the product into dist/: `npm run build`. A failed build exits with 2, the code of an error: 1 would say that
 * a deployment is nonconformant. Files in dist/ that no source makes any more are deleted; the others stay where
 * they are, because a running command may be using them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundlePrism } from './bundle-prism.mjs';
import './generate.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist');
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

await bundlePrism().catch(fail);
if (!process.exitCode) {
  const { status } = spawnSync(process.execPath, [compiler, '-b', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status === 0) {
    deleteStale();
    await writeProfiles().catch(fail);
  } else process.exitCode = 2;
}

function fail({ message }) {
  console.error(message);
  process.exitCode = 2;
}

/** The contract under each profile of the package, for commands to read at their start. Rejects where a profile is invalid. */
async function writeProfiles() {
  const [from, to] = [join(root, 'mocks/contract/profiles'), join(output, 'profiles')];
  const names = readdirSync(from).map((file) => basename(file, '.overlay.yaml'));
  const sources = [...names.map((name) => join(from, `${name}.overlay.yaml`)), join(root, 'openapi.yaml')];
  const reader = join(output, 'mocks/contract/profile.js');
  const newest = Math.max(...[...sources, reader].map((file) => statSync(file).mtimeMs));
  const outputs = names.map((name) => join(to, `${name}.json`));
  if (outputs.every((file) => existsSync(file) && statSync(file).mtimeMs >= newest)) return;
  const { readProfile } = await import(pathToFileURL(reader));
  mkdirSync(to, { recursive: true });
  for (const [at, file] of outputs.entries())
    writeFileSync(file, JSON.stringify(await readProfile(sources[at])));
}

function deleteStale() {
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?js$|\.d\.[cm]?ts$/.test(name) || name === 'prism.cjs') continue;
    const source = name.replace(/(\.d)?\.([cm]?)[jt]s$/, '.$2ts');
    if (!existsSync(join(root, source))) rmSync(join(output, name));
  }
}
