import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { root } from './testing/step.ts';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const program = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'distribution', name), ...args], { encoding: 'utf8' });

/** The notes on `tag`, of a changelog with this text. */
function notes(tag: string, text: string) {
  const file = outputPath('CHANGELOG.md');
  writeFileSync(file, text);
  return program('release-notes.mjs', tag, file);
}

const CHANGELOG = `# Changelog

## [Unreleased]

- Later.

## [${version}] - 2030-01-01

### Added

- A thing.

## [0.0.1]

- Earlier.

[${version}]: https://example.org/
`;

test('the notes are the section of the version, without its heading', () => {
  expect(notes(`v${version}`, CHANGELOG)).toMatchObject({
    status: 0,
    stdout: '### Added\n\n- A thing.\n',
    stderr: '',
  });
});

const REFUSED: [string, tag: string, text: string, message: string][] = [
  ['a tag that is not a version', 'latest', CHANGELOG, '"latest" is not the tag of a release.'],
  ['a tag of another version', 'v0.0.1', CHANGELOG, 'The tag v0.0.1 is not the version in package.json'],
  ['a version without a section', `v${version}`, '## [Unreleased]\n\n- A.\n', 'says nothing of'],
];
for (const [what, tag, text, message] of REFUSED)
  test(`${what} has no notes: 2`, () => {
    expect(notes(tag, text)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    });
  });

test('the bill of materials lists the production packages of the lock file and those of the bundle, and no other', () => {
  const { stdout, stderr } = program('bill-of-materials.mjs');
  expect(stdout, stderr).not.toBe('');
  const { metadata, components } = JSON.parse(stdout);
  expect(metadata.component.purl).toBe(`pkg:npm/mrs-contract@${version}`);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = Object.entries<{ dev?: true; version: string }>(packages)
    .filter(([path, { dev }]) => path && !dev)
    .map(
      ([path, one]) => `pkg:npm/${path.replace(/.*node_modules\//, '').replace('@', '%40')}@${one.version}`,
    );
  type Component = { purl: string; properties?: { name: string; value: string }[] };
  const isBundled = ({ properties = [] }: Component) =>
    properties.some(({ name, value }) => name === 'mrs-contract:bundled-in' && value === 'dist/prism.cjs');
  const listed = components.filter((one: Component) => !isBundled(one)).map(({ purl }: Component) => purl);
  expect(listed.toSorted()).toEqual([...new Set(locked)].toSorted());
  expect(listed).toContain('pkg:npm/yaml@2.9.1'); // A plain `npm sbom --omit dev` leaves out what development needs as well.
  const bundled = components.filter(isBundled).map(({ purl }: Component) => purl);
  expect(bundled).toContain('pkg:npm/%40stoplight/prism-http@5.12.0');
  const licences = readFileSync(join(root, 'dist/THIRD-PARTY-LICENSES'), 'utf8');
  const named = [...licences.matchAll(/^(@?[\w./-]+) (\d\S+) \([^)]+\)$/gm)].map(
    ([, name = '', of]) => `pkg:npm/${name.replace('@', '%40')}@${of}`,
  );
  expect(bundled).toEqual(named);
});
