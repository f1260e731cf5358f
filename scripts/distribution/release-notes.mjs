/**
 * Prints what CHANGELOG.md says of a version: `node scripts/distribution/release-notes.mjs v1.2.3 [FILE]`. Fails unless the tag is that of
 * package.json and the changelog has a section on it with text, so that nothing is released undocumented.
 */
import { readFileSync } from 'node:fs';

const [tag = '', file = new URL('../../CHANGELOG.md', import.meta.url)] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [, named] = /^v(\d+\.\d+\.\d+)$/.exec(tag) ?? [];

// What is released becomes `latest` on npm and of the image, which no prerelease should.
if (named === undefined) refuse(`"${tag}" is not the tag of a release. Name it v1.2.3, without a suffix.`);
if (named !== version)
  refuse(`The tag ${tag} is not the version in package.json, ${version}. Change one of them.`);
const sections = readFileSync(file, 'utf8').split(/^## /m).slice(1);
const section = sections.find((text) => text.startsWith(`[${named}]`));
const notes = section
  ?.split('\n')
  .slice(1)
  .join('\n')
  .replace(/^\[[^\]]+\]: .*$/gm, '')
  .trim();
if (!notes)
  refuse(
    `CHANGELOG.md says nothing of ${named}. Give what is under [Unreleased] the heading "## [${named}]".`,
  );
console.log(notes);

/** @param {string} problem */
function refuse(problem) {
  console.error(problem);
  process.exit(2);
}
