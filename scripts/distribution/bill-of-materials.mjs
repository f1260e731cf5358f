/**
 * Prints a CycloneDX list of all packages that the package needs, and of those whose code it contains:
 * `node scripts/distribution/bill-of-materials.mjs`, after a build. `npm sbom --omit dev` leaves out packages that
 * development needs as well (npm/cli#7909), so the list is made of a copy of the manifest and the lock file without
 * development. Uses no installed package.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const read = (name) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const withoutDevelopment = ({ devDependencies, peerDependencies, peerDependenciesMeta, scripts, ...rest }) =>
  rest;

const lock = read('package-lock.json');
const packages = Object.entries(lock.packages).filter(([, { dev }]) => !dev);
const folder = mkdtempSync(join(tmpdir(), 'mrs-contract-sbom-'));
try {
  const write = (name, content) => writeFileSync(join(folder, name), JSON.stringify(content));
  write('package.json', withoutDevelopment(read('package.json')));
  write('package-lock.json', {
    ...lock,
    packages: { ...Object.fromEntries(packages), '': withoutDevelopment(lock.packages['']) },
  });
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'library'];
  const bill = JSON.parse(
    execFileSync('npm', args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  bill.components.push(...bundled());
  process.stdout.write(JSON.stringify(bill, null, 2));
} finally {
  rmSync(folder, { recursive: true });
}

/** The packages in dist/prism.cjs, which the lock file has for development only. Throws without a build. */
function bundled() {
  return read('dist/prism-packages.json').map(({ name, version, license }) => ({
    ...{
      type: 'library',
      name,
      version,
      scope: 'required',
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    },
    'bom-ref': `bundled:${name}@${version}`,
    ...(license && { licenses: [{ license: { id: license } }] }),
    properties: [{ name: 'mrs-contract:bundled-in', value: 'dist/prism.cjs' }],
  }));
}
