/**
 * Builds the product into dist/: `npm run build`. A failed build exits with 2, the code of an error: 1 would say that
 * a deployment is nonconformant. Files in dist/ that no source makes any more are deleted; the others stay where
 * they are, because a running command may be using them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import './generate.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(root, 'dist');
const compiler = join(root, 'node_modules/typescript-7/bin/tsc');

if (!process.exitCode) {
  const { status } = spawnSync(process.execPath, [compiler, '-b', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status === 0) {
    deleteStale();
    await mergeProfiles();
  } else process.exitCode = 2;
}

/** The profiles as commands read them, if what they are made of is newer. */
async function mergeProfiles() {
  const folder = join(root, 'mocks/contract/profiles');
  const sources = readdirSync(folder).map((name) => join(folder, name));
  const code = readdirSync(join(output, 'mocks/contract')).filter((name) => name.endsWith('.js'));
  const made = [join(output, 'openapi.json'), ...code.map((name) => join(output, 'mocks/contract', name))];
  const newest = Math.max(...[...sources, ...made].map((file) => statSync(file).mtimeMs));
  const merged = sources.map((file) => join(output, 'profiles', `${basename(file, '.overlay.yaml')}.json`));
  if (merged.every((file) => existsSync(file) && statSync(file).mtimeMs >= newest)) return;
  const { mergeProfiles: merge } = await import(
    pathToFileURL(join(output, 'mocks/contract/profile.js')).href
  );
  await merge();
}

function deleteStale() {
  for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
    if (!/\.[cm]?js$|\.d\.[cm]?ts$/.test(name)) continue;
    const source = name.replace(/(\.d)?\.([cm]?)[jt]s$/, '.$2ts');
    if (!existsSync(join(root, source))) rmSync(join(output, name));
  }
}
