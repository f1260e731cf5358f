/** What the documents say about commands, files and each other is true. */
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { blocksOf, commandsIn, documents, proseOf, readDocument } from './testing/documents.ts';
import { mrsHere } from './testing/mrs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const helps = new Map<string, string>();

/** `words` of a command line; the help of the command or subcommand that they name. */
async function helpOf(words: readonly string[]): Promise<string> {
  const hasSubcommands = ['profile', 'fleet'].includes(words[0] ?? '');
  const command = words.slice(0, hasSubcommands ? 2 : 1);
  const known = helps.get(command.join(' '));
  if (known !== undefined) return known;
  const { stdout: help } = await mrsHere([...command, '--help']);
  helps.set(command.join(' '), help);
  return help;
}

const flagsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => flag);

/** The `mrs` command lines in inline code and console blocks, as words after `mrs`. */
function commandLines(text: string): string[][] {
  const spans = [...proseOf(text).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...spans, ...blocksOf(text, 'console').flatMap(commandsIn)].flatMap((code) => {
    const [, words] =
      /(?:^|\| |&& )(?:npx |npm run )?mrs(?: --)? (.*)/.exec(code.split(' -- ')[0] ?? '') ?? [];
    return words === undefined ? [] : [words.split(/\s+/)];
  });
}

/** GitHub's id of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

// A stored view of hostile text links to nothing, and looks as if it did.
for (const document of documents.filter((name) => !name.includes('/hostile-'))) {
  const text = readDocument(document);

  test(`every relative link in ${document} leads to a file and a heading`, () => {
    const links = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? document : posix.join(posix.dirname(document), path);
      if (!existsSync(`${root}${target}`)) return true;
      if (anchor === undefined) return false;
      const headings = [...proseOf(readDocument(target)).matchAll(/^#+ (.*)$/gm)];
      return !headings.some(([, heading = '']) => anchorOf(heading) === anchor);
    });
    expect(broken).toEqual([]);
  });

  test(`every mrs command in ${document} has the options that it is given`, async () => {
    for (const words of commandLines(text)) {
      if (words[0] === 'COMMAND' || words[0]?.startsWith('-')) continue;
      const known = flagsIn(await helpOf(words));
      const unknown = flagsIn(words.join(' ')).filter((flag) => !known.includes(flag));
      expect(unknown, words.join(' ')).toEqual([]);
    }
  });
}

const COMMANDS = [
  ...['mock', 'verify', 'observe', 'certify', 'explain', 'feed', 'watch', 'fleet'],
  ...['judge', 'proxy', 'profile', 'prove'],
];
const WITH_OPTIONS = [
  ...COMMANDS.filter((name) => !['fleet', 'profile'].includes(name)),
  ...['fleet run', 'fleet report'],
];

/** Options of Playwright, which runs the suite too, of Node.js and of Vitest. */
const OF_OTHERS = ['--test', '--last-failed', '--ui', '--project', '--update'];

test('every option in the documents belongs to a command', async () => {
  const known = new Set(['--version', ...OF_OTHERS]);
  for (const command of [...COMMANDS, ...WITH_OPTIONS])
    for (const flag of flagsIn(await helpOf(command.split(' ')))) known.add(flag);
  // The changelog also names options that are gone.
  const present = documents.filter((path) => path !== 'CHANGELOG.md').map(readDocument);
  const spans = [...proseOf(present.join('\n')).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  expect(spans.flatMap(flagsIn).filter((flag) => !known.has(flag))).toEqual([]);
});

test('the README names every command', async () => {
  const [help = ''] = (await helpOf(['--help'])).split('\nExamples:');
  const listed = [...help.matchAll(/^ {2}([a-z]+)(?: .*)?$/gm)].map(([, name]) => name);
  const commands = listed.slice(listed.indexOf('mock')).filter((name) => name !== 'help');
  expect(commands.toSorted()).toEqual(COMMANDS.toSorted());
  for (const command of commands) expect(readDocument('README.md')).toContain(`| \`mrs ${command}\` |`);
});
