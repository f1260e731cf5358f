/**
 * Prints a CycloneDX list of all packages that the package needs, and of those whose code it contains:
 * `node scripts/distribution/bill-of-materials.mjs`, after a build. `npm sbom --omit dev` leaves out packages that
 * development needs as well (npm/cli#7909), so those that the lock file has for development only are taken out here. Uses no
 * installed package.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));

const needed = new Set(
  Object.entries(read('package-lock.json').packages).flatMap(([path, { dev, name, version }]) =>
    dev ? [] : `${name ?? path.split('node_modules/').at(-1)}@${version}`,
  ),
);
const isNeeded = (reference) => needed.has(reference);
const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
const output = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] };
const { components, dependencies, ...bill } = JSON.parse(
  execFileSync('npm', args, { cwd: fileURLToPath(root), ...output }),
);
/** The packages in dist/prism.cjs, which the lock file has for development only. */
const bundled = read('dist/prism-packages.json').map(({ name, version, license }) => ({
  ...{ type: 'library', name, version, scope: 'required' },
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  'bom-ref': `bundled:${name}@${version}`,
  ...(license && { licenses: [{ license: { id: license } }] }),
  properties: [{ name: 'mrs-contract:bundled-in', value: 'dist/prism.cjs' }],
}));
const complete = {
  ...bill,
  components: [...components.filter((one) => isNeeded(one['bom-ref'])), ...bundled],
  dependencies: dependencies
    .filter(({ ref }) => isNeeded(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isNeeded) })),
};
process.stdout.write(JSON.stringify(complete, null, 2));
