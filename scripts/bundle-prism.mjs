/**
 * Bundles what the mock uses of Prism into one file, dist/prism.cjs, with the licences of all packages in it: as
 * dependencies, they would be 116 packages and 100 MB, most of them for bodies that the mock never generates.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ['package-lock.json', 'scripts/bundle-prism.mjs'];
const [BUNDLE, LICENSES, PACKAGES] = ['prism.cjs', 'THIRD-PARTY-LICENSES', 'prism-packages.json'].map(
  (name) => join(root, 'dist', name),
);

const ENTRY = `export { createInstance, getHttpOperationsFromSpec, ProblemJsonError } from '@stoplight/prism-http';`;
/** Packages and files of Prism that the mock never calls, with what Prism reads of them when it is loaded. */
const LEFT_OUT = {
  '@faker-js/faker': '',
  'json-schema-faker':
    'exports.JSONSchemaFaker = { extend() {}, option() {}, generate: refuse("generates no bodies") };',
  '@stoplight/http-spec/postman/operation':
    'exports.transformPostmanCollectionOperations = refuse("reads no Postman collections");',
  './validators/security': 'exports.validateSecurity = refuse("checks tokens itself");',
  'node-fetch': 'module.exports = refuse("sends no requests");',
  'http-proxy-agent': 'module.exports = refuse("sends no requests");',
  'https-proxy-agent': 'module.exports = refuse("sends no requests");',
  seedrandom: '',
  // Node.js 24 warns of its own, which looks the same up in the same way, outside of node_modules.
  url: `exports.parse = exports.format = refuse("loads no documents");
    exports.resolve = (from, to) => {
      const { protocol, pathname, search, hash, href } = new URL(to, new URL(from, 'resolve://'));
      return protocol === 'resolve:' ? pathname + search + hash : href;
    };`,
  pino: 'module.exports = refuse("brings its own logger");',
};
const REFUSE = `const refuse = (what) => () => {
  throw new Error("The mock " + what + ", so that this part of Prism is not in dist/prism.cjs. See scripts/bundle-prism.mjs.");
};
`;

/** Makes the files if the locked packages or this program changed since. Rejects if a package cannot be bundled. */
export async function bundlePrism() {
  const modified = (file) => statSync(file).mtimeMs;
  const newest = Math.max(...SOURCES.map((name) => modified(join(root, name))));
  if ([BUNDLE, LICENSES, PACKAGES].every((file) => existsSync(file) && modified(file) >= newest)) return;
  const { rolldown } = await import('rolldown');
  const bundle = await rolldown({
    input: 'prism',
    platform: 'node',
    external: /^ajv(\/|$)/, // A dependency of this package as well.
    resolve: { mainFields: ['main', 'module'] },
    plugins: [{ name: 'parts', resolveId: resolvePart, load: loadPart }],
  });
  const { output } = await bundle.generate({ format: 'cjs', minify: true, codeSplitting: false });
  const packages = packagesOf(Object.keys(output[0].modules));
  mkdirSync(dirname(BUNDLE), { recursive: true });
  writeFileSync(LICENSES, packages.map(licenseOf).join(`\n${'-'.repeat(80)}\n\n`));
  writeFileSync(
    PACKAGES,
    JSON.stringify(packages.map(({ name, version, license }) => ({ name, version, license }))),
  );
  writeFileSync(BUNDLE, output[0].code);
}

async function resolvePart(id, importer) {
  if (id === 'prism' || Object.hasOwn(LEFT_OUT, id)) return `\0${id}`;
  if (id !== 'jsonc-parser') return null;
  // Its main file passes `require` on, which no bundler follows.
  const found = await this.resolve(id, importer, { skipSelf: true });
  return found.id.replace('/umd/', '/esm/');
}

function loadPart(id) {
  if (!id.startsWith('\0')) return null;
  return id === '\0prism' ? ENTRY : REFUSE + LEFT_OUT[id.slice(1)];
}

/** The packages that the files belong to, sorted: the same version may be installed twice. */
function packagesOf(files) {
  const found = new Map();
  for (const file of files.filter((one) => !one.startsWith('\0'))) {
    let folder = dirname(file);
    // A folder of a package may have a manifest without a name.
    while (!existsSync(join(folder, 'package.json')) || !manifestIn(folder).version) folder = dirname(folder);
    const manifest = manifestIn(folder);
    found.set(`${manifest.name}@${manifest.version}`, { ...manifest, folder });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Throws where a package has neither a licence text nor the MIT licence, whose text is known. */
function licenseOf({ name, version, license, licenses, author, folder }) {
  const id = license ?? licenses?.map(({ type }) => type).join(' or ');
  const file = readdirSync(folder).find((one) => /^licen[sc]e/i.test(one));
  if (!file && id !== 'MIT')
    throw new Error(`${name} ${version} has no licence text. Bundle another version of it.`);
  const text = file
    ? readFileSync(join(folder, file), 'utf8')
    : MIT(author?.name ?? author ?? `the authors of ${name}`);
  return `${name} ${version} (${id})\n\n${text.replaceAll('\r\n', '\n').trim()}\n`;
}

const MIT = (author) => `Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
